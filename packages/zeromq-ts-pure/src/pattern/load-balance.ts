// Sending to many peers in turn, each message to one that has room (ZeroMQ RFC 28 and 30, "round-robin"). Hot path.

import type { Message } from '../engine/message.ts'
import type { Pipe } from '../engine/pipe.ts'

export class LoadBalance {
  /** Pipes that may have room; `#next` is the one to be tried next. */
  readonly #open: Pipe[] = []
  #next = 0

  get canSend(): boolean {
    return this.#open.some((pipe) => pipe.canWrite)
  }

  attached(pipe: Pipe): void {
    this.#open.push(pipe)
  }

  writable(pipe: Pipe): void {
    if (!this.#open.includes(pipe)) this.#open.push(pipe)
  }

  detached(pipe: Pipe): void {
    const index = this.#open.indexOf(pipe)
    if (index >= 0) this.#remove(index)
  }

  /** @returns the pipe that took the message; undefined when none has room */
  send(message: Message): Pipe | undefined {
    while (this.#open.length > 0) {
      const index = this.#next
      const pipe = this.#open[index] as Pipe
      if (pipe.write(message)) {
        this.#next = index + 1 < this.#open.length ? index + 1 : 0
        return pipe
      }
      this.#remove(index)
    }
    return undefined
  }

  #remove(index: number): void {
    const moved = this.#open.pop() as Pipe
    if (index < this.#open.length) this.#open[index] = moved
    if (this.#next >= this.#open.length) this.#next = 0
  }
}
