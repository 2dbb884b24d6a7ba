// A sorted list for the memory store: items in blocks, so that inserting and removing costs the length of one block and
// not of the list. Appending at the end, which is what a queue mostly does, costs a push.

const blockLength = 512

export class SortedList<T> {
  readonly #compare: (a: T, b: T) => number
  /** No block is empty, each is sorted, and each ends before the next begins. */
  readonly #blocks: T[][] = []
  #length = 0

  /** `compare` must never give 0 for two different items. */
  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare
  }

  get length(): number {
    return this.#length
  }

  insert(item: T): void {
    this.#length++
    const at = Math.min(this.#blockOf(item), this.#blocks.length - 1)
    const block = this.#blocks[at]
    if (block === undefined) {
      this.#blocks.push([item])
      return
    }
    block.splice(this.#indexIn(block, item), 0, item)
    if (block.length > blockLength) this.#blocks.splice(at + 1, 0, block.splice(blockLength >> 1))
  }

  /** Removes the item that compares equal; gives whether there was one. */
  remove(item: T): boolean {
    const at = this.#blockOf(item)
    const block = this.#blocks[at]
    if (block === undefined) return false
    const index = this.#indexIn(block, item)
    const found = block[index]
    if (found === undefined || this.#compare(found, item) !== 0) return false
    block.splice(index, 1)
    if (block.length === 0) this.#blocks.splice(at, 1)
    this.#length--
    return true
  }

  /** The items after the given one (which need not be in the list), from the first on if there is none given. */
  *after(item: T | undefined): IterableIterator<T> {
    let at = item === undefined ? 0 : this.#blockOf(item)
    let index = 0
    const first = this.#blocks[at]
    if (item !== undefined && first !== undefined) {
      index = this.#indexIn(first, item)
      const found = first[index]
      if (found !== undefined && this.#compare(found, item) === 0) index++
    }
    for (let block = this.#blocks[at]; block !== undefined; block = this.#blocks[++at], index = 0) {
      for (let found = block[index]; found !== undefined; found = block[++index]) yield found
    }
  }

  /** The first block that does not end before the item. */
  #blockOf(item: T): number {
    return firstIndex(this.#blocks.length, (i) => {
      const last = this.#blocks[i]?.at(-1)
      return last !== undefined && this.#compare(last, item) >= 0
    })
  }

  /** Where the item is, or would be inserted. */
  #indexIn(block: readonly T[], item: T): number {
    return firstIndex(block.length, (i) => this.#compare(block[i] as T, item) >= 0)
  }
}

/** The first index for which the test holds; it must hold for all after that one. `length` if for none. */
function firstIndex(length: number, test: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (test(middle)) high = middle
    else low = middle + 1
  }
  return low
}
