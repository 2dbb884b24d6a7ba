// The first part of something ordered that lies in the store: the waiting jobs of a queue, or the delayed jobs. What is
// here is ready at once; what is beyond the horizon is counted and read when the head runs low. So ten million waiting
// jobs cost what a thousand do.

import { Heap } from './heap.ts'

/** `P`: a place in the order. `T`: what is kept, which has a place of its own. */
export class StoredHead<P, T extends P> {
  readonly #compare: (a: P, b: P) => number
  readonly #placeOf: (item: T) => P
  readonly #isLive: (item: T) => boolean
  readonly #limit: number
  readonly #heap: Heap<T>
  /** Everything not after it is in the heap, everything after it is in the store only. Meaningful once #beyond > 0. */
  #horizon: P | undefined
  #beyond = 0
  /** Items in the heap that ended without being taken out. */
  #discarded = 0
  #reading = false
  #shedMeanwhile = false

  constructor(order: {
    readonly compare: (a: P, b: P) => number
    /** A copy of the item's place, which stays when the item moves on. */
    readonly placeOf: (item: T) => P
    /** Whether the item still belongs here; what does not is skipped. */
    readonly isLive: (item: T) => boolean
    /** How many are kept in memory before new ones stay in the store; up to twice as many at times. */
    readonly limit: number
  }) {
    this.#compare = order.compare
    this.#placeOf = order.placeOf
    this.#isLive = order.isLive
    this.#limit = order.limit
    this.#heap = new Heap<T>(order.compare)
  }

  /** In memory and beyond. */
  get length(): number {
    return this.#heap.size - this.#discarded + this.#beyond
  }

  /** Where to read on, and how many: where there is more in the store, the head has run low, and no read is under way. */
  beginRead(): { readonly after: P | undefined; readonly limit: number } | undefined {
    if (this.#reading || this.#beyond === 0 || this.#heap.size - this.#discarded > this.#limit >> 1) return undefined
    this.#reading = true
    this.#shedMeanwhile = false
    return { after: this.#horizon, limit: this.#limit }
  }

  /** The read is over. Gives whether its page goes on where the head ends: not if the head was cut meanwhile. */
  endRead(): boolean {
    this.#reading = false
    return !this.#shedMeanwhile
  }

  /** At the start: so many are in the store, none is here. */
  expect(count: number): void {
    this.#beyond = count
  }

  /** Takes in one that is stored; gives those that had to leave memory for it, itself perhaps. */
  add(item: T): readonly T[] {
    const afterHorizon = this.#horizon === undefined || this.#compare(item, this.#horizon) > 0
    if (this.#beyond > 0 && afterHorizon) {
      this.#beyond++
      return [item]
    }
    if (this.#beyond === 0 && (afterHorizon || this.#heap.size === 0)) {
      if (this.#heap.size >= this.#limit) {
        this.#beyond = 1
        return [item]
      }
      this.#horizon = this.#placeOf(item)
    }
    this.#heap.push(item)
    return this.#heap.size > 2 * this.#limit ? this.#shed() : nothing
  }

  /** Takes in the page of a read, if `endRead` says so. `more`: whether the store has more after it. */
  load(items: readonly T[], more: boolean): void {
    for (const item of items) this.#heap.push(item)
    const last = items.at(-1)
    if (last !== undefined) this.#horizon = this.#placeOf(last)
    this.#beyond = more ? Math.max(1, this.#beyond - items.length) : 0
  }

  /** One that is in the heap has ended. */
  discard(): void {
    this.#discarded++
  }

  peek(): T | undefined {
    for (let item = this.#heap.peek(); item !== undefined; item = this.#heap.peek()) {
      if (this.#isLive(item)) return item
      this.#heap.pop()
      this.#discarded--
    }
    return undefined
  }

  pop(): T | undefined {
    return this.peek() === undefined ? undefined : this.#heap.pop()
  }

  /** Keeps the best, leaves the rest to the store. Costs O(n log n) once in `limit` additions. */
  #shed(): readonly T[] {
    const all = this.#heap.drain().filter(this.#isLive)
    this.#discarded = 0
    this.#shedMeanwhile = true
    const left = all.splice(this.#limit)
    for (const item of all) this.#heap.push(item)
    const last = all.at(-1)
    if (last !== undefined) this.#horizon = this.#placeOf(last)
    this.#beyond += left.length
    return left
  }
}

const nothing: readonly never[] = []
