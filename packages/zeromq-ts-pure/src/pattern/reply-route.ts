// Peers by routing id (ZeroMQ RFC 28, "The ROUTER Socket Type"). A peer that states no id is given one; of two peers
// with the same id the first is served, and the second once the first is gone, unless the newcomer takes over.

import type { Pipe } from '../engine/pipe.ts'

const GENERATED_ID_LENGTH = 5

export class ReplyRoute {
  readonly #pipes = new Map<string, Pipe>()
  readonly #ids = new Map<Pipe, Buffer>()
  /** Peers whose id is taken, oldest first. */
  readonly #parked = new Set<Pipe>()
  #counter: number

  /** @param seed start of the ids that are given to peers without one: 0 to 2^32 - 1 */
  constructor(seed: number) {
    this.#counter = seed
  }

  get size(): number {
    return this.#pipes.size
  }

  /** The pipe of the peer with this id. */
  find(routingId: Buffer): Pipe | undefined {
    return this.#pipes.get(routingId.toString('latin1'))
  }

  /** The id of a served peer; undefined while it is parked. */
  idOf(pipe: Pipe): Buffer | undefined {
    return this.#ids.get(pipe)
  }

  /**
   * Takes a peer in under its id.
   *
   * @returns the pipes that are served from now on and were not, and the one that is not any more
   */
  add(pipe: Pipe, handover: boolean): { readonly served: readonly Pipe[]; readonly displaced?: Pipe } {
    const generated = pipe.routingId.length === 0
    const served: Pipe[] = []
    if (this.#ids.has(pipe)) {
      if (generated || this.#ids.get(pipe)?.equals(pipe.routingId)) return { served }
      const successor = this.remove(pipe)
      if (successor !== undefined) served.push(successor)
    }
    this.#parked.delete(pipe)
    const id = generated ? this.#generate() : pipe.routingId
    const key = id.toString('latin1')
    const holder = this.#pipes.get(key)
    if (holder !== undefined && !handover) {
      this.#parked.add(pipe)
      return { served }
    }
    if (holder !== undefined) this.#ids.delete(holder)
    this.#pipes.set(key, pipe)
    this.#ids.set(pipe, id)
    served.push(pipe)
    return holder === undefined ? { served } : { served, displaced: holder }
  }

  /** @returns the parked peer that is served from now on in the place of the removed one */
  remove(pipe: Pipe): Pipe | undefined {
    this.#parked.delete(pipe)
    const id = this.#ids.get(pipe)
    if (id === undefined) return undefined
    this.#ids.delete(pipe)
    this.#pipes.delete(id.toString('latin1'))
    for (const parked of this.#parked) {
      if (!parked.routingId.equals(id)) continue
      this.add(parked, false)
      return parked
    }
    return undefined
  }

  /** A zero byte and a counter, as libzmq makes them: no id that a peer may state begins like this. */
  #generate(): Buffer {
    const id = Buffer.alloc(GENERATED_ID_LENGTH)
    this.#counter = (this.#counter + 1) >>> 0
    id.writeUInt32BE(this.#counter, 1)
    return id
  }
}
