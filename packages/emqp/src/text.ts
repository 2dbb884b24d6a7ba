// Text frames: exact UTF-8 both ways, fast for the short ASCII that most of them are. Bytes that are not UTF-8 come back
// as undefined, never with replacement characters in them: two different wrong names must not become the same name.

// A byte order mark is text like any other here: dropping it would change what a broker passes on.
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** Where a loop over bytes stops being faster than TextDecoder. */
const shortBytes = 64

/** The frame's text, or undefined where it is not UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.length <= shortBytes) {
    let text = ''
    let i = 0
    for (; i < bytes.length; i++) {
      const byte = bytes[i] as number
      if (byte > 0x7f) break
      text += String.fromCharCode(byte)
    }
    if (i === bytes.length) return text
  }
  try {
    return strict.decode(bytes)
  } catch {
    // TextDecoder's way of saying "not UTF-8"; its message knows no more than that.
    return undefined
  }
}

/** The text's frame. The caller has seen to it that the text is well-formed Unicode. */
export function encodeText(text: string): Uint8Array {
  return encoder.encode(text)
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
