// PUSH: sends each message to one of its peers, in turn (ZeroMQ RFC 30).

import type { Message } from '../engine/message.ts'
import type { Pipe } from '../engine/pipe.ts'
import { LoadBalance } from '../pattern/load-balance.ts'
import type { Pattern, SendOutcome } from '../pattern/pattern.ts'
import type { MessageLike } from './message.ts'
import { defineOptions } from './options.ts'
import { optionsOf, Socket } from './socket.ts'
import type { SocketOptions, Writable } from './socket-options.ts'

class PushPattern implements Pattern {
  readonly canReceive = false
  readonly receiveForbidden = true
  readonly #outbound = new LoadBalance()

  get canSend(): boolean {
    return this.#outbound.canSend
  }

  attached(pipe: Pipe): void {
    this.#outbound.attached(pipe)
  }

  detached(pipe: Pipe): void {
    this.#outbound.detached(pipe)
  }

  /** A PULL has nothing to say; what it says all the same is read and forgotten. */
  readable(pipe: Pipe): void {
    while (pipe.read() !== undefined);
  }

  writable(pipe: Pipe): void {
    this.#outbound.writable(pipe)
  }

  send(message: Message): SendOutcome {
    return this.#outbound.send(message) === undefined ? 'full' : 'sent'
  }

  receive(): undefined {
    return undefined
  }
}

/**
 * Hands each message to one of its peers.
 *
 * @example
 * const push = new Push()
 * await push.bind('tcp://127.0.0.1:5555')
 * await push.send('work')
 */
export class Push extends Socket<PushPattern> implements Writable {
  declare sendHighWaterMark: number
  declare sendTimeout: number

  constructor(options: SocketOptions<Push> = {}) {
    super('PUSH', options, () => new PushPattern())
  }

  send(message: MessageLike | readonly MessageLike[]): Promise<void> {
    return this.transmit(message)
  }
}

defineOptions<Push>(Push.prototype, ['sendHighWaterMark', 'sendTimeout'], optionsOf)
