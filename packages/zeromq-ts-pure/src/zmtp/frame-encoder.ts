// Messages in, pieces for one gathered write out. Small bodies are copied behind their headers into a shared chunk, so
// that a thousand small messages leave in one write; large bodies go as they are, uncopied. Hot path.

import { LONG_HEADER_LENGTH, MORE, writeFrameHeader } from './frame.ts'

/** Chunks begin small, since most of many connections are idle, and double up to this length. */
const CHUNK_LENGTH = 65_536
const FIRST_CHUNK_LENGTH = 1_024

/** From this length on a body is handed on as its own piece: copying it would cost more than one more piece. */
const UNCOPIED_FROM = 8_192

/** Bodies up to this length are copied byte by byte, which beats the set-up cost of a bulk copy. */
const BYTEWISE_UP_TO = 32

export class FrameEncoder {
  #chunk = EMPTY
  /** Where the piece being filled begins, and where it ends so far. */
  #start = 0
  #end = 0
  #pieces: Uint8Array[] = []
  #length = 0

  /** Bytes encoded and not yet taken. */
  get length(): number {
    return this.#length + this.#end - this.#start
  }

  /** Appends all parts of one message. */
  message(parts: readonly Uint8Array[]): void {
    const last = parts.length - 1
    for (let i = 0; i < last; i++) this.frame(MORE, parts[i] as Uint8Array)
    this.frame(0, parts[last] as Uint8Array)
  }

  /** Appends one frame. */
  frame(flags: number, body: Uint8Array): void {
    const length = body.length
    if (length >= UNCOPIED_FROM) {
      this.#reserve(LONG_HEADER_LENGTH)
      this.#end = writeFrameHeader(this.#chunk, this.#end, flags, length)
      this.#cut()
      this.#pieces.push(body)
      this.#length += length
      return
    }
    this.#reserve(LONG_HEADER_LENGTH + length)
    const chunk = this.#chunk
    const offset = writeFrameHeader(chunk, this.#end, flags, length)
    if (length <= BYTEWISE_UP_TO) {
      for (let i = 0; i < length; i++) chunk[offset + i] = body[i] as number
    } else {
      chunk.set(body, offset)
    }
    this.#end = offset + length
  }

  /** Appends bytes that are frames already. */
  raw(bytes: Uint8Array): void {
    this.#cut()
    this.#pieces.push(bytes)
    this.#length += bytes.length
  }

  /** Takes what was encoded, in order. The pieces are the caller's; the encoder never writes into them again. */
  take(): readonly Uint8Array[] {
    this.#cut()
    const pieces = this.#pieces
    this.#pieces = []
    this.#length = 0
    return pieces
  }

  #reserve(length: number): void {
    if (this.#end + length <= this.#chunk.length) return
    this.#cut()
    const doubled = Math.max(FIRST_CHUNK_LENGTH, 2 * this.#chunk.length)
    this.#chunk = new Uint8Array(Math.min(CHUNK_LENGTH, Math.max(doubled, 2 * length)))
    this.#start = 0
    this.#end = 0
  }

  #cut(): void {
    if (this.#end === this.#start) return
    this.#pieces.push(this.#chunk.subarray(this.#start, this.#end))
    this.#length += this.#end - this.#start
    this.#start = this.#end
  }
}

const EMPTY = new Uint8Array(0)
