// Messages that a role gave to `send` and that no connection has taken yet, oldest first.

/** One message and whoever waits for it. */
export interface QueuedMessage {
  readonly frames: readonly Uint8Array[]
  /** Whether it means anything only within the registration in which it was sent: READY. */
  readonly ofRegistration: boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export class SendQueue {
  #messages: QueuedMessage[] = []
  #whenEmpty: (() => void)[] = []
  /** Why nothing is sent any more. */
  #closed: Error | undefined
  /** Taken, and neither done nor put back. */
  #taken = 0

  /** How many wait, the one that is being sent included. */
  get length(): number {
    return this.#messages.length + this.#taken
  }

  add(frames: readonly Uint8Array[], ofRegistration: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#messages.push({ frames, ofRegistration, resolve, reject })
    })
  }

  /** The oldest message; it has to be given back to `done` or to `putBack`. */
  take(): QueuedMessage | undefined {
    const message = this.#messages.shift()
    if (message !== undefined) this.#taken++
    return message
  }

  done(message: QueuedMessage): void {
    this.#taken--
    message.resolve()
    this.#announce()
  }

  /** It was not sent after all, and is the oldest again. */
  putBack(message: QueuedMessage): void {
    this.#taken--
    if (this.#closed === undefined) this.#messages.unshift(message)
    else message.reject(this.#closed)
    this.#announce()
  }

  /** The registration is over: what belonged to it is asked for anew in the next one. */
  dropOfRegistration(): void {
    const kept: QueuedMessage[] = []
    for (const message of this.#messages) {
      if (message.ofRegistration) message.resolve()
      else kept.push(message)
    }
    this.#messages = kept
    this.#announce()
  }

  /** Nothing is sent any more: whatever waits is rejected, and so is what is put back later. */
  close(error: Error): void {
    this.#closed = error
    for (const message of this.#messages.splice(0)) message.reject(error)
    this.#announce()
  }

  /** Resolves once nothing waits. */
  whenEmpty(): Promise<void> {
    if (this.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenEmpty.push(resolve))
  }

  #announce(): void {
    if (this.length > 0) return
    for (const resolve of this.#whenEmpty.splice(0)) resolve()
  }
}
