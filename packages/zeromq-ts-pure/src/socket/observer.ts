// Watches what happens to a socket's connections, with the interface of npm `zeromq`: either `receive` and `for await`,
// or listeners by event type.

import { EventEmitter } from 'node:events'
import type { Event, EventOfType, EventType, Monitor } from '../engine/monitor.ts'
import type { Hold } from '../engine/pipe.ts'
import { ZeroMQError } from '../error.ts'
import { Waiting } from './waiting.ts'

/** Events kept for a reader that does not read; older ones are forgotten. */
const KEPT_EVENTS = 10_000

/**
 * The events of one socket; `socket.events` gives it.
 *
 * @example
 * socket.events.on('connect:retry', ({ address, interval }) => console.log(`${address} again in ${interval} ms`))
 */
export class Observer {
  readonly #monitor: Monitor
  readonly #waiting: Waiting<Event>
  readonly #events: Event[] = []
  #emitter: EventEmitter | undefined
  #closed = false

  constructor(monitor: Monitor, hold: Hold) {
    this.#monitor = monitor
    this.#waiting = new Waiting(hold, () => 'EAGAIN')
    monitor.listener = (event) => this.#observe(event)
    Object.seal(this)
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Stops observing; a pending `receive` rejects with EAGAIN. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#monitor.listener = undefined
    this.#waiting.failAll()
  }

  /**
   * The next event.
   *
   * @throws ZeroMQError EBADF when closed, EBUSY when another receive is pending or listeners were added
   */
  receive(): Promise<Event> {
    if (this.#emitter !== undefined) {
      throw new ZeroMQError('EBUSY', {
        message:
          'Observer is in event emitter mode. After a call to events.on() it is not possible to read events with events.receive().',
      })
    }
    if (this.#closed && this.#events.length === 0) throw new ZeroMQError('EBADF')
    if (this.#waiting.length > 0) {
      const message = 'Observer is busy reading; only one receive operation may be in progress at any time'
      throw new ZeroMQError('EBUSY', { message })
    }
    const event = this.#events.shift()
    if (event !== undefined) return Promise.resolve(event)
    return this.#waiting.add(() => this.#next(), -1)
  }

  /** Calls the listener with each event of the type. From then on `receive` cannot be used. */
  on<E extends EventType>(type: E, listener: (data: EventOfType<E>) => void): this {
    this.#emitting().on(type, listener)
    return this
  }

  off<E extends EventType>(type: E, listener: (data: EventOfType<E>) => void): this {
    this.#emitting().off(type, listener)
    return this
  }

  [Symbol.asyncIterator](): AsyncIterator<Event, undefined> {
    return {
      next: async () => {
        if (this.#closed && this.#events.length === 0) return { value: undefined, done: true }
        try {
          return { value: await this.receive(), done: false }
        } catch (error) {
          if (this.#closed && error instanceof ZeroMQError && error.code === 'EAGAIN') {
            return { value: undefined, done: true }
          }
          throw error
        }
      },
    }
  }

  #emitting(): EventEmitter {
    if (this.#emitter === undefined) {
      this.#emitter = new EventEmitter()
      for (const event of this.#events.splice(0)) this.#emitter.emit(event.type, event)
    }
    return this.#emitter
  }

  #observe(event: Event): void {
    if (this.#emitter !== undefined) {
      this.#emitter.emit(event.type, event)
    } else {
      if (this.#events.length === KEPT_EVENTS) this.#events.shift()
      this.#events.push(event)
      this.#waiting.retry()
    }
    if (event.type === 'end') this.close()
  }

  #next(): { readonly result: Event } | undefined {
    const event = this.#events.shift()
    return event === undefined ? undefined : { result: event }
  }
}
