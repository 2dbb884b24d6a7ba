// What an application may send, turned into the parts of a message.

import type { Message } from '../engine/message.ts'

/** Anything that can be one part: bytes, text, null (an empty part), or what String() makes of it. */
export type MessageLike = ArrayBufferView | ArrayBuffer | SharedArrayBuffer | string | number | null

/**
 * Parts up to this length are copied when they are sent, so that an application may use its buffer again at once;
 * longer ones are sent from where they are and must not be changed, as with npm `zeromq`.
 */
const COPIED_UP_TO = 128

const EMPTY = Buffer.alloc(0)

/** @throws TypeError when there is no message */
export function toMessage(message: MessageLike | readonly MessageLike[]): Message {
  if (Array.isArray(message)) {
    const parts: Message = new Array(message.length)
    for (let i = 0; i < message.length; i++) parts[i] = toPart(message[i])
    return parts
  }
  if (message === undefined) throw new TypeError('Message must be present')
  return [toPart(message)]
}

function toPart(part: unknown): Buffer {
  if (typeof part === 'string') return Buffer.from(part)
  if (part === null) return EMPTY
  if (ArrayBuffer.isView(part)) {
    return keep(Buffer.isBuffer(part) ? part : Buffer.from(part.buffer, part.byteOffset, part.byteLength))
  }
  if (part instanceof ArrayBuffer || part instanceof SharedArrayBuffer) return keep(Buffer.from(part))
  return Buffer.from(String(part))
}

function keep(bytes: Buffer): Buffer {
  return bytes.length <= COPIED_UP_TO ? Buffer.from(bytes) : bytes
}
