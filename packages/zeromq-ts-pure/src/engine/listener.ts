// One bound endpoint: accepts streams, gives each a session, and each peer that completed its handshake a pipe of its
// own, which ends with the connection.

import { networkError } from '../error.ts'
import type { ByteStream } from '../transport/byte-stream.ts'
import { type Endpoint, formatEndpoint } from '../transport/endpoint.ts'
import { TcpListener } from '../transport/tcp.ts'
import type { Peer } from '../zmtp/connection.ts'
import { createPipe, identify, type Link, type LinkContext, lingerTimer, type Stopping } from './link.ts'
import type { Pipe } from './pipe.ts'
import { Session, type SessionOwner } from './session.ts'

export class Listener implements Link, SessionOwner {
  readonly #context: LinkContext
  readonly #transport: TcpListener
  readonly #sessions = new Map<Session, Pipe | undefined>()
  #stopping: { readonly resolve: () => void; readonly lingerTimer: NodeJS.Timeout | undefined } | undefined

  private constructor(context: LinkContext, transport: TcpListener) {
    this.#context = context
    this.#transport = transport
  }

  /**
   * Binds; the address in `context` is replaced by the one that was bound.
   *
   * @throws ZeroMQError EADDRINUSE, EADDRNOTAVAIL, EACCES, ENODEV (the name does not resolve)
   */
  static async bind(endpoint: Endpoint, context: LinkContext): Promise<Listener> {
    let listener: Listener | undefined
    try {
      const transport = await TcpListener.bind(endpoint, context.settings, {
        accepted: (stream) => listener?.accept(stream),
        failed: (cause) => {
          const error = networkError(cause, context.address)
          context.monitor.emit({ type: 'accept:error', address: context.address, error })
        },
      })
      const { host, port } = transport.address
      const address = formatEndpoint(host, port)
      listener = new Listener({ ...context, address }, transport)
      context.monitor.emit({ type: 'bind', address })
      return listener
    } catch (cause) {
      const error = networkError(cause, context.address)
      context.monitor.emit({ type: 'bind:error', address: context.address, error })
      throw error
    }
  }

  /** The address that was bound, with its port. */
  get address(): string {
    return this.#context.address
  }

  accept(stream: ByteStream): void {
    if (this.#stopping !== undefined) {
      stream.destroy()
      return
    }
    this.#context.monitor.emit({ type: 'accept', address: this.address })
    const session = new Session(stream, this.#context, this)
    this.#sessions.set(session, undefined)
    session.open()
  }

  stop(): Stopping {
    const released = this.#transport.close().then(() => {
      this.#context.monitor.emit({ type: 'close', address: this.address })
    })
    const closed = new Promise<void>((resolve) => {
      const { linger } = this.#context.settings
      this.#stopping = { resolve, lingerTimer: lingerTimer(this, linger) }
      for (const [session, pipe] of [...this.#sessions]) {
        pipe?.retire()
        if (linger === 0) pipe?.discard()
        session.close()
      }
      this.#finishIfDone()
    })
    return { released, over: Promise.all([released, closed]).then(() => undefined) }
  }

  abandon(): void {
    for (const [session, pipe] of [...this.#sessions]) {
      pipe?.discard()
      session.destroy()
    }
  }

  // --- SessionOwner

  established(session: Session, peer: Peer): Pipe {
    const { host } = this.#context
    const pipe = createPipe(this.#context)
    identify(pipe, peer)
    this.#sessions.set(session, pipe)
    host.attached(pipe)
    host.connected(pipe)
    return pipe
  }

  ended(session: Session): void {
    const pipe = this.#sessions.get(session)
    this.#sessions.delete(session)
    pipe?.end()
    this.#finishIfDone()
  }

  #finishIfDone(): void {
    if (this.#stopping === undefined || this.#sessions.size > 0) return
    clearTimeout(this.#stopping.lingerTimer)
    this.#stopping.resolve()
  }
}
