// One dial: a DEALER on its way to a router, until it is closed. Frames go in and come out; what they mean is not its
// business. The socket makes lost connections anew by itself, under the same routing id.

import { Dealer } from 'zeromq-ts-pure'

/** Where and as whom to dial. */
export interface ConnectionSettings {
  readonly address: string
  readonly routingId: string
  /** ZMTP's own heartbeats, which find dead connections of peers that eMQP sends no HEARTBEAT; milliseconds. */
  readonly zmtpHeartbeat: { readonly intervalMs: number; readonly timeoutMs: number } | undefined
}

/** What happens on it. Nothing is called once it has been closed. */
export interface ConnectionEvents {
  /** The handshake is done, for the first time or again. */
  readonly connected: () => void
  readonly disconnected: () => void
  /** One message. No other is read before a returned promise settles. */
  readonly received: (frames: readonly Uint8Array[]) => void | Promise<void>
  /** The peer is no ZeroMQ router, or does not let us in; the socket tries again. */
  readonly refused: (error: Error) => void
  /** The socket cannot go on; nothing more comes. */
  readonly broken: (error: unknown) => void
}

export class Connection {
  readonly #socket: Dealer
  readonly #events: ConnectionEvents
  #closed = false

  /** @throws ZeroMQError where the address cannot be dialed */
  constructor(settings: ConnectionSettings, events: ConnectionEvents) {
    this.#events = events
    this.#socket = new Dealer({
      routingId: settings.routingId,
      linger: 0,
      reconnectInterval: 100,
      reconnectMaxInterval: 5_000,
      heartbeatInterval: settings.zmtpHeartbeat?.intervalMs ?? 0,
      heartbeatTimeout: settings.zmtpHeartbeat?.timeoutMs ?? -1,
      queueOperations: true,
    })
    this.#listen()
    try {
      this.#socket.connect(settings.address)
    } catch (error) {
      this.close(0)
      throw error
    }
    void this.#receive()
  }

  /** Resolves when the socket has room for it. Rejects when it is closed before that. */
  async send(frames: readonly Uint8Array[]): Promise<void> {
    await this.#socket.send(frames)
  }

  /** Closes; what was sent still goes out in the background for so many milliseconds. */
  close(lingerMs: number): void {
    if (this.#closed) return
    this.#closed = true
    this.#socket.linger = lingerMs
    this.#socket.close()
  }

  #listen(): void {
    const whileOpen =
      <T>(handle: (event: T) => void) =>
      (event: T): void => {
        if (!this.#closed) handle(event)
      }
    this.#socket.events.on('handshake', whileOpen(this.#events.connected))
    this.#socket.events.on('disconnect', whileOpen(this.#events.disconnected))
    this.#socket.events.on(
      'handshake:error:protocol',
      whileOpen((event: { error: Error }) => this.#events.refused(event.error)),
    )
    this.#socket.events.on(
      'handshake:error:other',
      whileOpen((event: { error: Error }) => this.#events.refused(event.error)),
    )
  }

  async #receive(): Promise<void> {
    try {
      for await (const frames of this.#socket) {
        if (this.#closed) return
        await this.#events.received(frames)
      }
      if (!this.#closed) this.#events.broken(new Error('the socket ended'))
    } catch (error) {
      if (!this.#closed) this.#events.broken(error)
    }
  }
}
