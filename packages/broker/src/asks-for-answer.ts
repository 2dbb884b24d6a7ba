// Whether a message that the codec refused asks for an answer all the same: a client that waits for one is told what was
// wrong. Only looked at, never obeyed.

const headersFrame = 5
const longestLooked = 8192

/** Frames as on the DEALER's wire. True if the headers of what may be a REQUEST or SCHEDULE name a header that asks. */
export function asksForAnswer(frames: readonly Uint8Array[]): boolean {
  const headers = frames[headersFrame]
  if (headers === undefined || headers.length > longestLooked) return false
  const text = new TextDecoder('latin1').decode(headers)
  return text.split(',').some((header) => ['guarantee', 'reply-requested'].includes(header.trim()))
}
