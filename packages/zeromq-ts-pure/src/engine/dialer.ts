// One connected endpoint: dials, hands the stream to a session, and dials again with growing waits whenever that ends.
// Its pipe outlives its connections, so messages wait for the peer to come back (unless `immediate` is set).

import type { Dial } from '../transport/byte-stream.ts'
import type { Endpoint } from '../transport/endpoint.ts'
import { dialTcp } from '../transport/tcp.ts'
import type { Peer } from '../zmtp/connection.ts'
import { createPipe, identify, type Link, type LinkContext, lingerTimer, type Stopping } from './link.ts'
import type { Pipe } from './pipe.ts'
import { ReconnectBackoff } from './reconnect.ts'
import { Session, type SessionOwner } from './session.ts'

export class Dialer implements Link, SessionOwner {
  readonly #endpoint: Endpoint
  readonly #context: LinkContext
  readonly #lost: () => void
  readonly #backoff = new ReconnectBackoff()
  #pipe: Pipe | undefined
  #dial: Dial | undefined
  #session: Session | undefined
  #retry: NodeJS.Timeout | undefined
  #lingerTimer: NodeJS.Timeout | undefined
  /** Set once the endpoint is being given up; called when nothing of it is left. */
  #stopped: (() => void) | undefined
  /** Nothing will be dialed any more (`reconnectInterval` is -1): what is unsent stays so. */
  #hopeless = false
  #over = false

  /** @param lost called when the connection is lost and no other one is to come */
  constructor(endpoint: Endpoint, context: LinkContext, lost: () => void) {
    this.#endpoint = endpoint
    this.#context = context
    this.#lost = lost
  }

  start(): void {
    if (!this.#context.settings.immediate) this.#attach()
    this.#attempt()
  }

  stop(): Stopping {
    const { linger } = this.#context.settings
    const over = new Promise<void>((resolve) => {
      this.#stopped = resolve
      this.#lingerTimer = lingerTimer(this, linger)
      this.#pipe?.retire()
      if (linger === 0) this.#pipe?.discard()
      const unsent = this.#hopeless ? 0 : (this.#pipe?.pending ?? 0)
      if (unsent > 0) this.#session?.end()
      else if (this.#session === undefined) this.#finish()
      else this.#session.close()
    })
    return { released: Promise.resolve(), over }
  }

  abandon(): void {
    this.#pipe?.discard()
    if (this.#session === undefined) this.#finish()
    else this.#session.destroy()
  }

  // --- SessionOwner

  established(session: Session, peer: Peer): Pipe {
    this.#backoff.succeeded()
    const pipe = this.#pipe ?? this.#attach()
    identify(pipe, peer)
    this.#context.host.connected(pipe)
    if (this.#stopped !== undefined) session.end()
    return pipe
  }

  ended(): void {
    this.#session = undefined
    if (this.#stopped !== undefined && (this.#pipe === undefined || this.#pipe.pending === 0)) {
      this.#finish()
      return
    }
    if (this.#context.settings.reconnectInterval < 0) {
      this.#finish()
      this.#lost()
      return
    }
    if (this.#pipe !== undefined) {
      if (this.#context.settings.immediate) {
        this.#pipe.end()
        this.#pipe = undefined
      } else {
        this.#context.host.disconnected(this.#pipe)
      }
    }
    this.#retryLater()
  }

  #attach(): Pipe {
    this.#pipe = createPipe(this.#context)
    this.#context.host.attached(this.#pipe)
    return this.#pipe
  }

  #attempt(): void {
    const { address, monitor, settings } = this.#context
    this.#dial = dialTcp(this.#endpoint, settings, {
      opened: (stream) => {
        this.#dial = undefined
        monitor.emit({ type: 'connect', address })
        this.#session = new Session(stream, this.#context, this)
        this.#session.open()
      },
      failed: () => {
        this.#dial = undefined
        monitor.emit({ type: 'close', address })
        this.#retryLater()
      },
    })
    monitor.emit({ type: 'connect:delay', address })
  }

  #retryLater(): void {
    const { address, monitor, settings } = this.#context
    if (this.#over) return
    if (settings.reconnectInterval < 0) {
      this.#hopeless = true
      if (this.#stopped !== undefined) this.#finish()
      return
    }
    const waitMs = this.#backoff.nextWaitMs(settings.reconnectInterval, settings.reconnectMaxInterval, Math.random())
    monitor.emit({ type: 'connect:retry', address, interval: waitMs })
    this.#retry = setTimeout(() => this.#attempt(), waitMs).unref()
  }

  #finish(): void {
    this.#over = true
    clearTimeout(this.#lingerTimer)
    clearTimeout(this.#retry)
    this.#dial?.abort()
    this.#pipe?.end()
    this.#stopped?.()
  }
}
