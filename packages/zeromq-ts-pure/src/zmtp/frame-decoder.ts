// Bytes in, frames out (ZMTP 3.1, "Framing"). A frame that lies whole in its chunk is handed on as a view of it; one
// that is split waits in pieces, so memory follows what arrived and never what a length announced. Hot path.

import { ByteQueue } from './byte-queue.ts'
import { LONG, LONG_HEADER_LENGTH, SHORT_HEADER_LENGTH } from './frame.ts'
import { Violation } from './violation.ts'

/** What the sink says after a frame: go on, keep the rest until `resume`, or a violation that ends the stream. */
export type Verdict = Violation | typeof CONTINUE | typeof PAUSE

export const CONTINUE = 0
export const PAUSE = 1

export interface FrameSink {
  /** One frame; `flags` as on the wire. The body may be a view of a larger chunk. */
  frame(flags: number, body: Uint8Array): Verdict
}

/** Decodes one direction of one connection. */
export class FrameDecoder {
  readonly #sink: FrameSink
  /** The start of a frame whose rest has not arrived. Empty during a pause. */
  readonly #partial = new ByteQueue()
  /** Bytes that the partial frame needs before it is worth looking again. */
  #needed = 0
  /** What came after the frame at which the sink asked for a pause. */
  readonly #held = new ByteQueue()
  #paused = false
  #limit = -1

  constructor(sink: FrameSink) {
    this.#sink = sink
  }

  /** The longest body accepted, in bytes; -1: no limit but what a number can count. Checked before any body is kept. */
  set maxBodyLength(limit: number) {
    this.#limit = limit
  }

  /**
   * Decodes all whole frames of a chunk, keeps the rest. During a pause all of it is kept.
   *
   * @returns the violation that ended the stream, PAUSE from when the sink asks for it until `resume`, else CONTINUE
   */
  push(chunk: Uint8Array): Verdict {
    if (this.#paused) {
      this.#held.push(chunk)
      return PAUSE
    }
    if (this.#partial.length === 0) return this.#decode(chunk, 0)
    return this.#complete(chunk)
  }

  /** Goes on after a pause. */
  resume(): Verdict {
    if (!this.#paused) return CONTINUE
    this.#paused = false
    return this.#decode(this.#held.takeAll(), 0)
  }

  /** Bytes that arrived and were not handed on. */
  get buffered(): number {
    return this.#partial.length + this.#held.length
  }

  #decode(chunk: Uint8Array, from: number): Verdict {
    const end = chunk.length
    let offset = from
    while (end - offset >= SHORT_HEADER_LENGTH) {
      const flags = chunk[offset] as number
      let length = chunk[offset + 1] as number
      let body = offset + SHORT_HEADER_LENGTH
      if ((flags & LONG) !== 0) {
        if (end - offset < LONG_HEADER_LENGTH) break
        length = readLength(chunk, offset + 1)
        body = offset + LONG_HEADER_LENGTH
      }
      const violation = this.#check(length)
      if (violation !== undefined) return violation
      const next = body + length
      if (next > end) break
      const verdict = this.#sink.frame(flags, chunk.subarray(body, next))
      offset = next
      if (verdict !== CONTINUE) {
        return verdict === PAUSE ? this.#pause(chunk.subarray(offset)) : verdict
      }
    }
    if (offset < end) this.#keep(offset === 0 ? chunk : chunk.subarray(offset))
    return CONTINUE
  }

  /** Adds a chunk to the partial frame; once that is whole, hands it on and decodes what follows it. */
  #complete(chunk: Uint8Array): Verdict {
    let rest = chunk
    while (this.#partial.length + rest.length >= this.#needed) {
      const missing = Math.max(0, this.#needed - this.#partial.length)
      this.#partial.push(rest.subarray(0, missing))
      rest = rest.subarray(missing)
      const header = this.#headerLength()
      if (this.#partial.length < header) {
        this.#needed = header
        continue
      }
      const length = this.#bodyLength()
      const violation = this.#check(length)
      if (violation !== undefined) return violation
      if (this.#partial.length < header + length) {
        this.#needed = header + length
        continue
      }
      const flags = this.#partial.at(0)
      this.#partial.take(header)
      const verdict = this.#sink.frame(flags, this.#partial.take(length))
      if (verdict === CONTINUE) return this.#decode(rest, 0)
      return verdict === PAUSE ? this.#pause(rest) : verdict
    }
    this.#partial.push(rest)
    return CONTINUE
  }

  #pause(rest: Uint8Array): Verdict {
    this.#paused = true
    this.#held.push(rest)
    return PAUSE
  }

  #keep(rest: Uint8Array): void {
    this.#partial.push(rest)
    const header = this.#headerLength()
    this.#needed = rest.length < header ? header : header + this.#bodyLength()
  }

  #headerLength(): number {
    return (this.#partial.at(0) & LONG) !== 0 ? LONG_HEADER_LENGTH : SHORT_HEADER_LENGTH
  }

  #bodyLength(): number {
    if ((this.#partial.at(0) & LONG) === 0) return this.#partial.at(1)
    const header = new Uint8Array(LONG_HEADER_LENGTH)
    for (let i = 0; i < LONG_HEADER_LENGTH; i++) header[i] = this.#partial.at(i)
    return readLength(header, 1)
  }

  #check(length: number): Violation | undefined {
    if (length <= SAFE_LENGTH && (this.#limit < 0 || length <= this.#limit)) return undefined
    const limit = this.#limit < 0 ? SAFE_LENGTH : this.#limit
    return new Violation(
      'ERR_ZMTP_MALFORMED_COMMAND_MESSAGE',
      `a frame of ${length} bytes was announced; the limit is ${limit} (option maxMessageSize)`,
    )
  }
}

/** Lengths beyond this cannot be counted exactly, and no runtime has buffers of that size. */
const SAFE_LENGTH = Number.MAX_SAFE_INTEGER

/** 8 bytes, network order. Beyond 2^53 the result is inexact, but still beyond every limit. */
function readLength(bytes: Uint8Array, offset: number): number {
  const high =
    (bytes[offset] as number) * 0x1_00_00_00 +
    (((bytes[offset + 1] as number) << 16) | ((bytes[offset + 2] as number) << 8) | (bytes[offset + 3] as number))
  const low =
    (bytes[offset + 4] as number) * 0x1_00_00_00 +
    (((bytes[offset + 5] as number) << 16) | ((bytes[offset + 6] as number) << 8) | (bytes[offset + 7] as number))
  return high * 0x1_0000_0000 + low
}
