// REP: one request, then its reply, back along the way it came (ZeroMQ RFC 28).

import type { Message } from '../engine/message.ts'
import type { Pipe } from '../engine/pipe.ts'
import { FairQueue } from '../pattern/fair-queue.ts'
import type { Pattern, SendOutcome } from '../pattern/pattern.ts'
import type { MessageLike } from './message.ts'
import { defineOptions } from './options.ts'
import { optionsOf, Socket } from './socket.ts'
import type { Readable, SocketOptions, Writable } from './socket-options.ts'

/** The request that waits for its reply: who asked, and the envelope that leads back. */
interface Asked {
  readonly pipe: Pipe
  readonly envelope: Message
}

class ReplyPattern implements Pattern {
  readonly #inbound = new FairQueue()
  #asked: Asked | undefined

  get canSend(): boolean {
    return this.#asked !== undefined
  }

  get canReceive(): boolean {
    return this.#asked === undefined && this.#inbound.canReceive
  }

  get receiveForbidden(): boolean {
    return this.#asked !== undefined
  }

  detached(pipe: Pipe): void {
    this.#inbound.detached(pipe)
  }

  readable(pipe: Pipe): void {
    this.#inbound.readable(pipe)
  }

  /** A reply to a peer that is gone, or that does not read, is dropped. */
  send(message: Message): SendOutcome {
    if (this.#asked === undefined) return 'wrong-state'
    const { pipe, envelope } = this.#asked
    this.#asked = undefined
    pipe.write([...envelope, ...message])
    return 'sent'
  }

  receive(): Message | undefined {
    if (this.#asked !== undefined) return undefined
    for (let message = this.#inbound.receive(); message !== undefined; message = this.#inbound.receive()) {
      const delimiter = message.findIndex((part) => part.length === 0)
      const pipe = this.#inbound.last
      // Without a delimiter, or with nothing behind it, it is no request.
      if (delimiter < 0 || delimiter === message.length - 1 || pipe === undefined) continue
      this.#asked = { pipe, envelope: message.slice(0, delimiter + 1) }
      return message.slice(delimiter + 1)
    }
    return undefined
  }
}

/**
 * Receives a request, then sends its reply, then may receive the next one.
 *
 * @example
 * const reply = new Reply()
 * await reply.bind('tcp://127.0.0.1:5555')
 * for await (const [question] of reply) await reply.send(`you asked: ${question}`)
 */
export class Reply extends Socket<ReplyPattern> implements Writable, Readable {
  declare sendHighWaterMark: number
  declare sendTimeout: number
  declare receiveHighWaterMark: number
  declare receiveTimeout: number
  declare routingId: string | null

  constructor(options: SocketOptions<Reply> = {}) {
    super('REP', options, () => new ReplyPattern())
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

defineOptions<Reply>(
  Reply.prototype,
  ['sendHighWaterMark', 'sendTimeout', 'receiveHighWaterMark', 'receiveTimeout', 'routingId'],
  optionsOf,
)
