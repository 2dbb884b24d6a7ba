// DEALER: sends to its peers in turn, receives from all of them in turn (ZeroMQ RFC 28).

import type { Message } from '../engine/message.ts'
import type { Pipe } from '../engine/pipe.ts'
import { FairQueue } from '../pattern/fair-queue.ts'
import { LoadBalance } from '../pattern/load-balance.ts'
import type { Pattern, PatternSettings, SendOutcome } from '../pattern/pattern.ts'
import type { MessageLike } from './message.ts'
import { defineOptions } from './options.ts'
import { optionsOf, Socket } from './socket.ts'
import type { Readable, SocketOptions, Writable } from './socket-options.ts'

class DealerPattern implements Pattern {
  readonly receiveForbidden = false
  readonly #settings: PatternSettings
  readonly #inbound = new FairQueue()
  readonly #outbound = new LoadBalance()

  constructor(settings: PatternSettings) {
    this.#settings = settings
  }

  get canSend(): boolean {
    return this.#outbound.canSend
  }

  get canReceive(): boolean {
    return this.#inbound.canReceive
  }

  attached(pipe: Pipe): void {
    this.#outbound.attached(pipe)
  }

  connected(pipe: Pipe): void {
    if (this.#settings.probeRouter) pipe.write([Buffer.alloc(0)])
  }

  detached(pipe: Pipe): void {
    this.#inbound.detached(pipe)
    this.#outbound.detached(pipe)
  }

  readable(pipe: Pipe): void {
    this.#inbound.readable(pipe)
  }

  writable(pipe: Pipe): void {
    this.#outbound.writable(pipe)
  }

  send(message: Message): SendOutcome {
    return this.#outbound.send(message) === undefined ? 'full' : 'sent'
  }

  receive(): Message | undefined {
    return this.#inbound.receive()
  }
}

/**
 * Sends to its peers in turn and receives from all of them; the asynchronous counterpart of {@link Router}.
 *
 * @example
 * const dealer = new Dealer({ routingId: 'worker-1' })
 * dealer.connect('tcp://127.0.0.1:5555')
 * await dealer.send(['', 'hello'])
 * const reply = await dealer.receive()
 */
export class Dealer extends Socket<DealerPattern> implements Writable, Readable {
  declare sendHighWaterMark: number
  declare sendTimeout: number
  declare receiveHighWaterMark: number
  declare receiveTimeout: number
  declare routingId: string | null
  declare probeRouter: boolean

  constructor(options: SocketOptions<Dealer> = {}) {
    super('DEALER', options, (settings) => new DealerPattern(settings))
  }

  send(message: MessageLike | readonly MessageLike[]): Promise<void> {
    return this.transmit(message)
  }

  receive(): Promise<Message> {
    return this.take()
  }

  [Symbol.asyncIterator](): AsyncIterator<Message, undefined> {
    return this.iterate()
  }
}

defineOptions<Dealer>(
  Dealer.prototype,
  ['sendHighWaterMark', 'sendTimeout', 'receiveHighWaterMark', 'receiveTimeout', 'routingId', 'probeRouter'],
  optionsOf,
)
