// Which entry is due first: a binary heap in which any entry can be moved or removed, since schedules are replaced and
// ended long before they are due. Each entry holds its own place in the heap.

import type { MonotonicMs } from '@eventmq-ts/emqp'

/** What the heap asks of an entry. `heapIndex` is the heap's own: -1 outside of it. */
export interface DueEntry {
  dueAt: MonotonicMs
  heapIndex: number
}

export class DueHeap<T extends DueEntry> {
  // No entry is due before its parent, items[(i - 1) >> 1], and items[i].heapIndex is i.
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  /** The entry that is due first. */
  first(): T | undefined {
    return this.#items[0]
  }

  add(entry: T): void {
    this.#items.push(entry)
    this.#rise(entry, this.#items.length - 1)
  }

  /** Takes an entry out; one that is not in the heap stays out. */
  remove(entry: T): void {
    const at = entry.heapIndex
    if (at < 0) return
    entry.heapIndex = -1
    const last = this.#items.pop()
    if (last === undefined || last === entry) return
    this.#settle(last, at)
  }

  /** Puts an entry where its changed `dueAt` belongs. */
  moved(entry: T): void {
    this.#settle(entry, entry.heapIndex)
  }

  #settle(entry: T, at: number): void {
    const parent = this.#items[(at - 1) >> 1]
    if (at > 0 && parent !== undefined && entry.dueAt < parent.dueAt) this.#rise(entry, at)
    else this.#sink(entry, at)
  }

  #rise(entry: T, from: number): void {
    let at = from
    while (at > 0) {
      const parent = this.#items[(at - 1) >> 1]
      if (parent === undefined || parent.dueAt <= entry.dueAt) break
      const next = (at - 1) >> 1
      this.#place(parent, at)
      at = next
    }
    this.#place(entry, at)
  }

  #sink(entry: T, from: number): void {
    let at = from
    for (;;) {
      const left = this.#items[2 * at + 1]
      const right = this.#items[2 * at + 2]
      const earlier = left !== undefined && right !== undefined && right.dueAt < left.dueAt ? right : left
      if (earlier === undefined || earlier.dueAt >= entry.dueAt) break
      const next = earlier === left ? 2 * at + 1 : 2 * at + 2
      this.#place(earlier, at)
      at = next
    }
    this.#place(entry, at)
  }

  #place(entry: T, at: number): void {
    this.#items[at] = entry
    entry.heapIndex = at
  }
}
