// Bytes that arrived in pieces and wait until enough of them are there. Chunks go in as the transport read them,
// stretches of an asked length come out. Nothing is allocated for bytes that were only announced, and a peer that
// drips single bytes costs no more memory than one that sends them together: small chunks are gathered by copy.

const GATHERED_UP_TO = 1_024
const GATHER_LENGTH = 4_096

export class ByteQueue {
  #chunks: Uint8Array[] = []
  #first = 0
  #length = 0
  /** The buffer behind the last chunk, if it is ours and more can be written behind that chunk. */
  #gather: Uint8Array | undefined
  #gathered = 0

  /** Bytes held. */
  get length(): number {
    return this.#length
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    this.#length += chunk.length
    if (chunk.length > GATHERED_UP_TO) {
      this.#gather = undefined
      this.#chunks.push(chunk)
      return
    }
    if (this.#gather === undefined || this.#gathered + chunk.length > GATHER_LENGTH) {
      this.#gather = new Uint8Array(GATHER_LENGTH)
      this.#gathered = 0
      this.#chunks.push(this.#gather.subarray(0, 0))
    }
    const gather = this.#gather
    gather.set(chunk, this.#gathered)
    this.#gathered += chunk.length
    const last = this.#chunks.length - 1
    const start = (this.#chunks[last] as Uint8Array).byteOffset
    this.#chunks[last] = gather.subarray(start, this.#gathered)
  }

  /** The byte at `index`, without taking it. */
  at(index: number): number {
    let offset = index
    for (let i = this.#first; i < this.#chunks.length; i++) {
      const chunk = this.#chunks[i] as Uint8Array
      if (offset < chunk.length) return chunk[offset] as number
      offset -= chunk.length
    }
    throw new RangeError(`byte ${index} of a queue that holds ${this.#length}`)
  }

  /**
   * Takes the next `count` bytes: a view when they lie in one chunk, else one joined copy.
   *
   * @throws RangeError when fewer are held
   */
  take(count: number): Uint8Array {
    if (count > this.#length) throw new RangeError(`${count} bytes of a queue that holds ${this.#length}`)
    if (count === 0) return EMPTY
    this.#length -= count
    const head = this.#chunks[this.#first] as Uint8Array
    if (count < head.length) {
      this.#chunks[this.#first] = head.subarray(count)
      return head.subarray(0, count)
    }
    if (count === head.length) {
      this.#drop()
      return head
    }
    return this.#join(count)
  }

  /** Takes everything that is held. */
  takeAll(): Uint8Array {
    return this.take(this.#length)
  }

  #join(count: number): Uint8Array {
    const joined = new Uint8Array(count)
    let filled = 0
    while (filled < count) {
      const chunk = this.#chunks[this.#first] as Uint8Array
      const wanted = count - filled
      if (chunk.length > wanted) {
        joined.set(chunk.subarray(0, wanted), filled)
        this.#chunks[this.#first] = chunk.subarray(wanted)
        return joined
      }
      joined.set(chunk, filled)
      filled += chunk.length
      this.#drop()
    }
    return joined
  }

  #drop(): void {
    this.#chunks[this.#first] = EMPTY
    this.#first++
    if (this.#first === this.#chunks.length) {
      this.#chunks = []
      this.#first = 0
      this.#gather = undefined
    }
  }
}

const EMPTY = new Uint8Array(0)
