// Text frames: exact UTF-8 both ways, fast for the short ASCII that most of them are. Bytes that are not UTF-8 come back
// as undefined, never with replacement characters in them: two different wrong names must not become the same name.

import { EmqpError } from './error.ts'

// A byte order mark is text like any other here: dropping it would change what a broker passes on.
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

// Below these lengths a loop over ASCII beats the platform's coder on Node, whose encoder is slow to start.
const loopedBytes = 12
const loopedCharacters = 256

/** A frame without a byte, shared by all messages. */
export const emptyFrame: Uint8Array = new Uint8Array(0)

/** The frame's text, or undefined where it is not UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.length <= loopedBytes) {
    let text = ''
    // By index: an iterator over bytes costs several times as much until the optimiser has seen through it.
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] ?? 0
      if (byte > 0x7f) return decodeAnyText(bytes)
      text += String.fromCharCode(byte)
    }
    return text
  }
  return decodeAnyText(bytes)
}

/**
 * The text's frame.
 *
 * @throws EmqpError `EMQP_NOT_EXPRESSIBLE` where the text is not well-formed Unicode, and so has no UTF-8
 */
export function encodeText(text: string): Uint8Array {
  if (text === '') return emptyFrame
  if (text.length > loopedCharacters) return encodeAnyText(text)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 0x7f) return encodeAnyText(text)
    bytes[i] = unit
  }
  return bytes
}

/** How many bytes the text takes in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    // A surrogate pair is two units and four bytes, so each half counts one byte more than itself.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}

function decodeAnyText(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    // TextDecoder's way of saying "not UTF-8"; its message knows no more than that.
    return undefined
  }
}

function encodeAnyText(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text)
  const offence = { part: 'text', found: text, expected: 'well-formed Unicode, without a lone surrogate' }
  throw new EmqpError('EMQP_NOT_EXPRESSIBLE', offence)
}
