// ROUTER: receives from all its peers, each message headed by the sender's routing id, and sends to the peer that a
// message's first part names (ZeroMQ RFC 28).

import { randomBytes } from 'node:crypto'
import type { Message } from '../engine/message.ts'
import type { Pipe } from '../engine/pipe.ts'
import { FairQueue } from '../pattern/fair-queue.ts'
import type { Pattern, PatternSettings, SendOutcome } from '../pattern/pattern.ts'
import { ReplyRoute } from '../pattern/reply-route.ts'
import type { MessageLike } from './message.ts'
import { defineOptions } from './options.ts'
import { optionsOf, Socket } from './socket.ts'
import type { Readable, SocketOptions, Writable } from './socket-options.ts'

class RouterPattern implements Pattern {
  readonly receiveForbidden = false
  readonly #settings: PatternSettings
  readonly #inbound = new FairQueue()
  readonly #routes = new ReplyRoute(randomBytes(4).readUInt32LE())

  constructor(settings: PatternSettings) {
    this.#settings = settings
  }

  get canSend(): boolean {
    return !this.#settings.mandatory || this.#routes.size > 0
  }

  get canReceive(): boolean {
    return this.#inbound.canReceive
  }

  connected(pipe: Pipe): void {
    const { served, displaced } = this.#routes.add(pipe, this.#settings.handover)
    if (displaced !== undefined) {
      this.#inbound.detached(displaced)
      displaced.close()
    }
    if (this.#routes.idOf(pipe) === undefined) this.#inbound.detached(pipe)
    for (const each of served) this.#serve(each)
    if (this.#settings.probeRouter) pipe.write([Buffer.alloc(0)])
  }

  detached(pipe: Pipe): void {
    this.#inbound.detached(pipe)
    const successor = this.#routes.remove(pipe)
    if (successor !== undefined) this.#serve(successor)
  }

  /** A peer whose id another one holds is not read until that one is gone. */
  readable(pipe: Pipe): void {
    if (this.#routes.idOf(pipe) !== undefined) this.#inbound.readable(pipe)
  }

  send(message: Message): SendOutcome {
    const { mandatory } = this.#settings
    const pipe = this.#routes.find(message[0] as Buffer)
    if (pipe === undefined) return mandatory ? 'unreachable' : 'sent'
    if (message.length === 1 || pipe.write(message.slice(1))) return 'sent'
    return mandatory ? 'full' : 'sent'
  }

  receive(): Message | undefined {
    // Looked up first: with its last message a pipe that is over leaves the routes.
    const id = this.#inbound.next && this.#routes.idOf(this.#inbound.next)
    const message = this.#inbound.receive()
    if (message === undefined || id === undefined) return undefined
    // A copy: what an application receives is its own, to write into too.
    message.unshift(Buffer.from(id))
    return message
  }

  #serve(pipe: Pipe): void {
    if (pipe.canRead) this.#inbound.readable(pipe)
  }
}

/**
 * Talks to each of its peers by routing id: received messages begin with the sender's, sent ones with the receiver's.
 *
 * @example
 * const router = new Router()
 * await router.bind('tcp://127.0.0.1:5555')
 * for await (const [id, ...message] of router) await router.send([id, ...message])
 */
export class Router extends Socket<RouterPattern> implements Writable, Readable {
  declare sendHighWaterMark: number
  declare sendTimeout: number
  declare receiveHighWaterMark: number
  declare receiveTimeout: number
  declare routingId: string | null
  declare probeRouter: boolean
  /** Sends to an unknown routing id reject with EHOSTUNREACH, and sends to a peer that is behind wait; else dropped. */
  declare mandatory: boolean
  /** A new peer with the routing id of an older one takes its place; else it is served when that one is gone. */
  declare handover: boolean

  constructor(options: SocketOptions<Router> = {}) {
    super('ROUTER', options, (settings) => new RouterPattern(settings))
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

defineOptions<Router>(
  Router.prototype,
  [
    'sendHighWaterMark',
    'sendTimeout',
    'receiveHighWaterMark',
    'receiveTimeout',
    'routingId',
    'probeRouter',
    'mandatory',
    'handover',
  ],
  optionsOf,
)
