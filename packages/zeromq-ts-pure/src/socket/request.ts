// REQ: one request, then its reply, in strict turn unless told otherwise (ZeroMQ RFC 28).

import { randomBytes } from 'node:crypto'
import type { Message } from '../engine/message.ts'
import type { Pipe } from '../engine/pipe.ts'
import { FairQueue } from '../pattern/fair-queue.ts'
import { LoadBalance } from '../pattern/load-balance.ts'
import type { Pattern, PatternSettings, SendOutcome } from '../pattern/pattern.ts'
import type { MessageLike } from './message.ts'
import { defineOptions } from './options.ts'
import { optionsOf, Socket } from './socket.ts'
import type { Readable, SocketOptions, Writable } from './socket-options.ts'

const REQUEST_ID_LENGTH = 4

class RequestPattern implements Pattern {
  readonly #settings: PatternSettings
  readonly #inbound = new FairQueue()
  readonly #outbound = new LoadBalance()
  #waiting = false
  /** The peer that was asked; undefined when it is gone, and any peer may answer. */
  #asked: Pipe | undefined
  #requestId = randomBytes(REQUEST_ID_LENGTH).readUInt32LE()

  constructor(settings: PatternSettings) {
    this.#settings = settings
  }

  get canSend(): boolean {
    return (!this.#waiting || this.#settings.relaxed) && this.#outbound.canSend
  }

  get canReceive(): boolean {
    return this.#waiting && this.#inbound.canReceive
  }

  get receiveForbidden(): boolean {
    return !this.#waiting
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
    if (this.#asked === pipe) this.#asked = undefined
  }

  readable(pipe: Pipe): void {
    this.#inbound.readable(pipe)
  }

  writable(pipe: Pipe): void {
    this.#outbound.writable(pipe)
  }

  send(message: Message): SendOutcome {
    if (this.#waiting && !this.#settings.relaxed) return 'wrong-state'
    const pipe = this.#outbound.send(this.#enveloped(message))
    if (pipe === undefined) return 'full'
    // Replies to earlier requests that nobody waits for any more must not be taken for the reply to this one.
    while (this.#inbound.receive() !== undefined);
    this.#asked = pipe
    this.#waiting = true
    return 'sent'
  }

  receive(): Message | undefined {
    if (!this.#waiting) return undefined
    for (let message = this.#inbound.receive(); message !== undefined; message = this.#inbound.receive()) {
      if (this.#asked !== undefined && this.#inbound.last !== this.#asked) continue
      const reply = this.#unenveloped(message)
      if (reply === undefined) continue
      this.#waiting = false
      this.#asked = undefined
      return reply
    }
    return undefined
  }

  #enveloped(message: Message): Message {
    if (!this.#settings.correlate) return [Buffer.alloc(0), ...message]
    this.#requestId = (this.#requestId + 1) >>> 0
    const id = Buffer.alloc(REQUEST_ID_LENGTH)
    id.writeUInt32LE(this.#requestId)
    return [id, Buffer.alloc(0), ...message]
  }

  /** @returns the reply without its envelope; undefined when it is not one to the request that waits */
  #unenveloped(message: Message): Message | undefined {
    let delimiter = 0
    if (this.#settings.correlate) {
      const id = message[0] as Buffer
      if (id.length !== REQUEST_ID_LENGTH || id.readUInt32LE() !== this.#requestId) return undefined
      delimiter = 1
    }
    if (message.length < delimiter + 2 || message[delimiter]?.length !== 0) return undefined
    return message.slice(delimiter + 1)
  }
}

/**
 * Sends a request, then receives its reply, then may send the next one.
 *
 * @example
 * const request = new Request()
 * request.connect('tcp://127.0.0.1:5555')
 * await request.send('what is the time?')
 * const [answer] = await request.receive()
 */
export class Request extends Socket<RequestPattern> implements Writable, Readable {
  declare sendHighWaterMark: number
  declare sendTimeout: number
  declare receiveHighWaterMark: number
  declare receiveTimeout: number
  declare routingId: string | null
  declare probeRouter: boolean
  /** Marks each request, so that a late reply is never taken for the reply to a later request. */
  declare correlate: boolean
  /** Allows a new request before the reply to the last one has come. */
  declare relaxed: boolean

  constructor(options: SocketOptions<Request> = {}) {
    super('REQ', options, (settings) => new RequestPattern(settings))
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

defineOptions<Request>(
  Request.prototype,
  [
    'sendHighWaterMark',
    'sendTimeout',
    'receiveHighWaterMark',
    'receiveTimeout',
    'routingId',
    'probeRouter',
    'correlate',
    'relaxed',
  ],
  optionsOf,
)
