// The layout of one frame (ZMTP 3.1, "Framing"): a flags byte, a length of 1 or 8 bytes, the body.

/** More frames of the same message follow. */
export const MORE = 0x01
/** The length has 8 bytes. */
export const LONG = 0x02
/** The body is a command. */
export const COMMAND = 0x04

/** The longest body that the short form can carry. */
export const SHORT_BODY_LIMIT = 255

export const SHORT_HEADER_LENGTH = 2
export const LONG_HEADER_LENGTH = 9

/** Bytes that a frame with a body of this length takes on the wire. */
export function frameLength(bodyLength: number): number {
  return bodyLength + (bodyLength > SHORT_BODY_LIMIT ? LONG_HEADER_LENGTH : SHORT_HEADER_LENGTH)
}

/**
 * Writes a frame's header at `offset` and returns the offset behind it. LONG is set here, by the length.
 *
 * @param flags MORE, COMMAND or 0
 */
export function writeFrameHeader(target: Uint8Array, offset: number, flags: number, bodyLength: number): number {
  if (bodyLength <= SHORT_BODY_LIMIT) {
    target[offset] = flags
    target[offset + 1] = bodyLength
    return offset + SHORT_HEADER_LENGTH
  }
  const high = Math.floor(bodyLength / 0x1_0000_0000)
  target[offset] = flags | LONG
  target[offset + 1] = high >>> 24
  target[offset + 2] = high >>> 16
  target[offset + 3] = high >>> 8
  target[offset + 4] = high
  target[offset + 5] = bodyLength >>> 24
  target[offset + 6] = bodyLength >>> 16
  target[offset + 7] = bodyLength >>> 8
  target[offset + 8] = bodyLength
  return offset + LONG_HEADER_LENGTH
}

/** One frame as bytes of its own; for the handshake and other places where speed does not matter. */
export function encodeFrame(flags: number, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(frameLength(body.length))
  bytes.set(body, writeFrameHeader(bytes, 0, flags, body.length))
  return bytes
}
