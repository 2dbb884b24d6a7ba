// Ways in which one stream of bytes can arrive: whole, byte by byte, cut at random. Bytes in, chunks out. Each chunk is
// a copy of its own, so that a decoder which reads beyond a chunk is found out.

import fc from 'fast-check'

export function whole(bytes: Uint8Array): readonly Uint8Array[] {
  return [bytes.slice()]
}

export function byteByByte(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte))
}

/** Cut at these places; places beyond the end, and those named twice, give empty chunks or none. */
export function cutAt(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const bounds = [0, ...[...places].sort((a, b) => a - b), bytes.length]
  return bounds.slice(1).map((end, i) => bytes.slice(bounds[i], end))
}

/** Any way to cut this stream: few cuts and many, in the headers as well as in the bodies. */
export function arbitraryChunks(bytes: Uint8Array): fc.Arbitrary<readonly Uint8Array[]> {
  return fc.array(fc.nat({ max: bytes.length }), { maxLength: 40 }).map((places) => cutAt(bytes, places))
}
