// SUB: receives the messages of topics that it subscribed to (ZeroMQ RFC 29).

import type { Message } from '../engine/message.ts'
import type { Pipe } from '../engine/pipe.ts'
import { ZeroMQError } from '../error.ts'
import { FairQueue } from '../pattern/fair-queue.ts'
import type { Pattern, SendOutcome } from '../pattern/pattern.ts'
import { SubscriptionTrie } from '../pattern/subscription-trie.ts'
import { defineOptions } from './options.ts'
import { optionsOf, Socket } from './socket.ts'
import type { Readable, SocketOptions } from './socket-options.ts'

/** The beginning of topics. */
type Prefix = ArrayBufferView | string | null

const SUBSCRIBE = Buffer.of(1)
const CANCEL = Buffer.of(0)

/** The one subscriber in a SUB's own tree. */
const SELF = 'self'

class SubscriberPattern implements Pattern {
  readonly canSend = false
  readonly receiveForbidden = false
  readonly #inbound = new FairQueue()
  readonly #connected = new Set<Pipe>()
  /** How often each prefix was subscribed; publishers hear of the first time and the last cancellation only. */
  readonly #prefixes = new Map<string, { readonly prefix: Buffer; count: number }>()
  readonly #wanted = new SubscriptionTrie<typeof SELF>()
  #next: Message | undefined

  get canReceive(): boolean {
    this.#next ??= this.#nextWanted()
    return this.#next !== undefined
  }

  subscribe(prefix: Buffer): void {
    const key = prefix.toString('latin1')
    const known = this.#prefixes.get(key)
    if (known !== undefined) {
      known.count++
      return
    }
    this.#prefixes.set(key, { prefix, count: 1 })
    this.#wanted.add(prefix, SELF)
    for (const pipe of this.#connected) pipe.writeAlways([Buffer.concat([SUBSCRIBE, prefix])])
  }

  unsubscribe(prefix: Buffer): void {
    const key = prefix.toString('latin1')
    const known = this.#prefixes.get(key)
    if (known === undefined || --known.count > 0) return
    this.#prefixes.delete(key)
    this.#wanted.remove(prefix, SELF)
    for (const pipe of this.#connected) pipe.writeAlways([Buffer.concat([CANCEL, prefix])])
  }

  connected(pipe: Pipe): void {
    this.#connected.add(pipe)
    for (const { prefix } of this.#prefixes.values()) pipe.writeAlways([Buffer.concat([SUBSCRIBE, prefix])])
  }

  /** What was not said yet is said anew, with everything else, once the publisher is back. */
  disconnected(pipe: Pipe): void {
    this.#connected.delete(pipe)
    pipe.discard()
  }

  detached(pipe: Pipe): void {
    this.#connected.delete(pipe)
    this.#inbound.detached(pipe)
  }

  readable(pipe: Pipe): void {
    this.#inbound.readable(pipe)
  }

  send(): SendOutcome {
    return 'wrong-state'
  }

  receive(): Message | undefined {
    const message = this.#next ?? this.#nextWanted()
    this.#next = undefined
    return message
  }

  /** Messages of a topic that was cancelled meanwhile, or that a publisher sent unasked, are passed over. */
  #nextWanted(): Message | undefined {
    for (let message = this.#inbound.receive(); message !== undefined; message = this.#inbound.receive()) {
      let wanted = false
      this.#wanted.match(message[0] as Buffer, () => {
        wanted = true
      })
      if (wanted) return message
    }
    return undefined
  }
}

/**
 * Receives messages whose first part begins with a prefix that was subscribed.
 *
 * @example
 * const subscriber = new Subscriber()
 * subscriber.connect('tcp://127.0.0.1:5555')
 * subscriber.subscribe('weather')
 * for await (const [topic, report] of subscriber) console.log(topic.toString(), report.toString())
 */
export class Subscriber extends Socket<SubscriberPattern> implements Readable {
  declare receiveHighWaterMark: number
  declare receiveTimeout: number

  constructor(options: SocketOptions<Subscriber> = {}) {
    super('SUB', options, () => new SubscriberPattern(), { linger: 0 })
  }

  receive(): Promise<Message> {
    return this.take()
  }

  [Symbol.asyncIterator](): AsyncIterator<Message, undefined> {
    return this.iterate()
  }

  /**
   * Subscribes to topics that begin with one of the prefixes; without any, to all.
   *
   * @param prefixes text or bytes; null is the empty prefix
   * @throws TypeError for any other prefix; ZeroMQError ENOTSOCK when closed
   */
  subscribe(...prefixes: Prefix[]): void {
    for (const prefix of this.#prefixes(prefixes)) this.pattern.subscribe(prefix)
  }

  /** Takes back one earlier `subscribe` of each prefix; without any, that of all topics. */
  unsubscribe(...prefixes: Prefix[]): void {
    for (const prefix of this.#prefixes(prefixes)) this.pattern.unsubscribe(prefix)
  }

  #prefixes(prefixes: readonly Prefix[]): Buffer[] {
    if (this.closed) throw new ZeroMQError('ENOTSOCK')
    return (prefixes.length === 0 ? [''] : prefixes).map((prefix) => {
      if (prefix === null) return Buffer.alloc(0)
      if (typeof prefix === 'string') return Buffer.from(prefix)
      if (!ArrayBuffer.isView(prefix)) throw new TypeError('Option value must be a string or buffer')
      return Buffer.from(new Uint8Array(prefix.buffer, prefix.byteOffset, prefix.byteLength))
    })
  }
}

defineOptions<Subscriber>(Subscriber.prototype, ['receiveHighWaterMark', 'receiveTimeout'], optionsOf)
