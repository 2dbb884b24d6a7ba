// A binary heap: the least item by the given order first. Push and pop cost O(log n).

export class Heap<T> {
  readonly #before: (a: T, b: T) => number
  #items: T[] = []

  /** `compare` is negative where `a` comes before `b`. */
  constructor(compare: (a: T, b: T) => number) {
    this.#before = compare
  }

  get size(): number {
    return this.#items.length
  }

  peek(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    const items = this.#items
    let at = items.length
    items.push(item)
    // All on the way up that come after the item move down by one; then there is its place.
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = items[parent] as T
      if (this.#before(item, above) >= 0) break
      items[at] = above
      at = parent
    }
    items[at] = item
  }

  pop(): T | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (items.length === 0 || last === undefined) return first
    const length = items.length
    let at = 0
    // The last item sinks from the top: of two children the lesser moves up.
    for (;;) {
      let child = 2 * at + 1
      if (child >= length) break
      if (child + 1 < length && this.#before(items[child + 1] as T, items[child] as T) < 0) child++
      const below = items[child] as T
      if (this.#before(below, last) >= 0) break
      items[at] = below
      at = child
    }
    items[at] = last
    return first
  }

  /** Takes everything out, in order. */
  drain(): T[] {
    const all = this.#items.sort(this.#before)
    this.#items = []
    return all
  }
}
