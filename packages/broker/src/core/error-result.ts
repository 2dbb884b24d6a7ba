// Whether a result may be a failed job's: JSON whose first key is "error". Most results are not, and need no JSON parser
// to find that out.

const pattern = [...'{"error":'].map((character) => character.charCodeAt(0))
const space = 0x20

/** False means that it certainly is none. */
export function beginsLikeError(payload: Uint8Array): boolean {
  let at = 0
  for (const expected of pattern) {
    while (isBlank(payload[at])) at++
    if (payload[at] !== expected) return false
    at++
  }
  return true
}

/** JSON's insignificant blanks: space, tab, line feed, carriage return. */
function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === 0x09 || byte === 0x0a || byte === 0x0d
}
