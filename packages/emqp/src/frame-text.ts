// One frame to the thing that stands in it: text, a message id, a queue's name, headers. Takes the whole message and an
// index, gives the value or the error that names the frame.

import { EmqpError, type EmqpErrorCode } from './error.ts'
import { type MessageHeaders, parseHeaders } from './headers.ts'
import type { MessageId, QueueName } from './identifier.ts'
import { LIMITS, type Limit } from './limit.ts'
import { decodeText, emptyFrame } from './text.ts'

/** A message's frames from the empty delimiter on. */
export type Frames = readonly Uint8Array[]

/** The frame at an index that the command's frame count has shown to exist. */
export function frameAt(frames: Frames, index: number): Uint8Array {
  return frames[index] ?? emptyFrame
}

/** The frame's text. */
export function readText(frames: Frames, index: number, part: string, limit: Limit): string | EmqpError {
  const bytes = frameAt(frames, index)
  if (bytes.length > LIMITS[limit]) {
    return wrongFrame('EMQP_LIMIT', frames, index, part, `at most ${LIMITS[limit]} bytes (${limit})`)
  }
  return decodeText(bytes) ?? wrongFrame('EMQP_NOT_UTF8', frames, index, part, 'UTF-8')
}

/** The frame as a message id. */
export function readMessageId(frames: Frames, index: number, part: string): MessageId | EmqpError {
  const text = readText(frames, index, part, 'messageIdBytes')
  if (text === '') return wrongFrame('EMQP_MESSAGE_ID', frames, index, part, 'text that is not empty')
  // Not empty, not too long, and exact UTF-8: that is a message id.
  return text as MessageId | EmqpError
}

/** The message id of a message that is wrong somewhere else, so that it can be answered. */
export function readableMessageId(frames: Frames): MessageId | undefined {
  if (frames.length < 4) return undefined
  const id = readMessageId(frames, 3, 'message id')
  return typeof id === 'string' ? id : undefined
}

/** Frame 4 as a queue's name. */
export function readQueueName(frames: Frames): QueueName | EmqpError {
  const text = readText(frames, 4, 'queue name', 'queueNameBytes')
  if (text === '') return wrongFrame('EMQP_QUEUE_NAME', frames, 4, 'queue name', 'text that is not empty')
  return text as QueueName | EmqpError
}

/** Frame 5 as headers. */
export function readHeaders(frames: Frames): MessageHeaders | EmqpError {
  const text = readText(frames, 5, 'headers', 'headersBytes')
  if (typeof text !== 'string') return text
  const headers = parseHeaders(text)
  return headers.ok ? headers.value : headers.error.at({ frame: 5 })
}

/** The error about one frame. */
export function wrongFrame(
  code: EmqpErrorCode,
  frames: Frames,
  index: number,
  part: string,
  expected: string,
): EmqpError {
  return new EmqpError(code, { part, frame: index, found: showBytes(frameAt(frames, index)), expected })
}

/** The error about the number of frames. */
export function wrongFrameCount(frames: Frames, expected: string): EmqpError {
  return new EmqpError('EMQP_FRAME_COUNT', { part: 'message', found: countOf(frames.length), expected })
}

function countOf(frames: number): string {
  return frames === 1 ? '1 frame' : `${frames} frames`
}

const shownBytes = 64

/** A frame's beginning for an error: its text, or hex where it is none. */
function showBytes(bytes: Uint8Array): string {
  const rest = bytes.length > shownBytes ? `...(${bytes.length} bytes)` : ''
  // A character of UTF-8 has up to four bytes, and the cut may have gone through one.
  for (let cut = 0; cut <= (rest === '' ? 0 : 3); cut++) {
    const text = decodeText(bytes.subarray(0, shownBytes - cut))
    if (text !== undefined) return text + rest
  }
  const hex = Array.from(bytes.subarray(0, shownBytes / 2), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `0x${hex}${bytes.length > shownBytes / 2 ? `...(${bytes.length} bytes)` : ''}`
}
