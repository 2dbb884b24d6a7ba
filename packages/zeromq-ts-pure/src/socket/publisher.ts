// PUB: sends each message to all peers that subscribed to its topic (ZeroMQ RFC 29).

import type { Message } from '../engine/message.ts'
import type { Pipe } from '../engine/pipe.ts'
import { Distribute } from '../pattern/distribute.ts'
import type { Pattern, PatternSettings, SendOutcome } from '../pattern/pattern.ts'
import type { MessageLike } from './message.ts'
import { defineOptions } from './options.ts'
import { optionsOf, Socket } from './socket.ts'
import type { SocketOptions, Writable } from './socket-options.ts'

class PublisherPattern implements Pattern {
  readonly canSend = true
  readonly canReceive = false
  readonly receiveForbidden = true
  readonly #settings: PatternSettings
  readonly #outbound = new Distribute()

  constructor(settings: PatternSettings) {
    this.#settings = settings
  }

  /** A subscriber that comes back says anew what it wants. */
  disconnected(pipe: Pipe): void {
    this.#outbound.forget(pipe)
  }

  detached(pipe: Pipe): void {
    this.#outbound.forget(pipe)
  }

  readable(pipe: Pipe): void {
    for (let message = pipe.read(); message !== undefined; message = pipe.read()) {
      this.#outbound.subscription(pipe, message)
    }
  }

  send(message: Message): SendOutcome {
    const { noDrop } = this.#settings
    return this.#outbound.send(message, noDrop) || !noDrop ? 'sent' : 'full'
  }

  receive(): undefined {
    return undefined
  }
}

/**
 * Sends each message to every subscriber of its first part's beginning; who cannot keep up misses messages.
 *
 * @example
 * const publisher = new Publisher()
 * await publisher.bind('tcp://127.0.0.1:5555')
 * await publisher.send(['weather', 'rain'])
 */
export class Publisher extends Socket<PublisherPattern> implements Writable {
  declare sendHighWaterMark: number
  declare sendTimeout: number
  declare noDrop: boolean

  constructor(options: SocketOptions<Publisher> = {}) {
    super('PUB', options, (settings) => new PublisherPattern(settings))
  }

  send(message: MessageLike | readonly MessageLike[]): Promise<void> {
    return this.transmit(message)
  }
}

defineOptions<Publisher>(Publisher.prototype, ['sendHighWaterMark', 'sendTimeout', 'noDrop'], optionsOf)
