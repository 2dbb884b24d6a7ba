// Sending each message to every peer that subscribed to its topic (ZeroMQ RFC 29). A peer that cannot keep up misses
// messages; it never delays the others. Hot path.

import type { Message } from '../engine/message.ts'
import type { Pipe } from '../engine/pipe.ts'
import { SubscriptionTrie } from './subscription-trie.ts'

const SUBSCRIBE = 1
const CANCEL = 0

export class Distribute {
  readonly #subscriptions = new SubscriptionTrie<Pipe>()
  /** The peers of the message being sent; a set, since several prefixes of one peer may match. */
  readonly #matching = new Set<Pipe>()
  readonly #collect = (pipe: Pipe) => this.#matching.add(pipe)

  /** A subscriber's message: 01 or 00, then the prefix. Others are not ours to understand. */
  subscription(pipe: Pipe, message: Message): void {
    const body = message[0] as Buffer
    if (message.length !== 1 || body.length === 0) return
    // The prefix outlives the chunk that its message is a view of.
    const prefix = Buffer.from(body.subarray(1))
    if (body[0] === SUBSCRIBE) this.#subscriptions.add(prefix, pipe)
    else if (body[0] === CANCEL) this.#subscriptions.remove(prefix, pipe)
  }

  forget(pipe: Pipe): void {
    this.#subscriptions.removeAll(pipe)
  }

  /** @returns false if a subscriber had no room; nobody got the message then if `allOrNobody` */
  send(message: Message, allOrNobody: boolean): boolean {
    const matching = this.#matching
    this.#subscriptions.match(message[0] as Buffer, this.#collect)
    if (allOrNobody) {
      for (const pipe of matching) {
        if (pipe.canWrite) continue
        pipe.awaitRoom()
        matching.clear()
        return false
      }
    }
    let everybody = true
    for (const pipe of matching) everybody = pipe.write(message) && everybody
    matching.clear()
    return everybody
  }
}
