// PULL: receives from all its peers, in turn (ZeroMQ RFC 30).

import type { Message } from '../engine/message.ts'
import type { Pipe } from '../engine/pipe.ts'
import { FairQueue } from '../pattern/fair-queue.ts'
import type { Pattern, SendOutcome } from '../pattern/pattern.ts'
import { defineOptions } from './options.ts'
import { optionsOf, Socket } from './socket.ts'
import type { Readable, SocketOptions } from './socket-options.ts'

class PullPattern implements Pattern {
  readonly canSend = false
  readonly receiveForbidden = false
  readonly #inbound = new FairQueue()

  get canReceive(): boolean {
    return this.#inbound.canReceive
  }

  detached(pipe: Pipe): void {
    this.#inbound.detached(pipe)
  }

  readable(pipe: Pipe): void {
    this.#inbound.readable(pipe)
  }

  send(): SendOutcome {
    return 'wrong-state'
  }

  receive(): Message | undefined {
    return this.#inbound.receive()
  }
}

/**
 * Receives what {@link Push} peers hand out.
 *
 * @example
 * const pull = new Pull()
 * pull.connect('tcp://127.0.0.1:5555')
 * for await (const [work] of pull) console.log(work.toString())
 */
export class Pull extends Socket<PullPattern> implements Readable {
  declare receiveHighWaterMark: number
  declare receiveTimeout: number

  constructor(options: SocketOptions<Pull> = {}) {
    super('PULL', options, () => new PullPattern())
  }

  receive(): Promise<Message> {
    return this.take()
  }

  [Symbol.asyncIterator](): AsyncIterator<Message, undefined> {
    return this.iterate()
  }
}

defineOptions<Pull>(Pull.prototype, ['receiveHighWaterMark', 'receiveTimeout'], optionsOf)
