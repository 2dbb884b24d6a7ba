// Command bodies (ZMTP 3.1, "Commands"): a name with its length, then data. READY's data is in metadata.ts.

import { Violation } from './violation.ts'

export interface Command {
  readonly name: string
  readonly data: Uint8Array
}

/** The longest context that a PING may carry and a PONG gives back (ZMTP 3.1, "Connection Heartbeating"). */
export const PING_CONTEXT_LIMIT = 16

/** Time to live on the wire is counted in tenths of a second, in 16 bits. */
const TTL_UNIT_MS = 100

/** The longest time to live that a PING can carry, in milliseconds. */
export const TTL_LIMIT_MS = 0xffff * TTL_UNIT_MS

export function encodeCommand(name: string, data: Uint8Array): Uint8Array {
  const body = new Uint8Array(1 + name.length + data.length)
  body[0] = name.length
  for (let i = 0; i < name.length; i++) body[1 + i] = name.charCodeAt(i)
  body.set(data, 1 + name.length)
  return body
}

export function decodeCommand(body: Uint8Array): Command | Violation {
  const length = body[0]
  if (length === undefined || length === 0) {
    return new Violation('ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED', 'a command without a name')
  }
  if (1 + length > body.length) {
    return new Violation(
      'ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED',
      `a command name of ${length} bytes in a body of ${body.length}`,
    )
  }
  let name = ''
  for (let i = 1; i <= length; i++) name += String.fromCharCode(body[i] as number)
  return { name, data: body.subarray(1 + length) }
}

/**
 * @param ttlMs how long the peer shall wait for our next traffic before it gives us up; 0: for ever; rounded down to
 *   tenths of a second; at most {@link TTL_LIMIT_MS}
 */
export function encodePing(ttlMs: number, context: Uint8Array): Uint8Array {
  const ttl = Math.floor(ttlMs / TTL_UNIT_MS)
  const data = new Uint8Array(2 + context.length)
  data[0] = ttl >>> 8
  data[1] = ttl
  data.set(context, 2)
  return encodeCommand('PING', data)
}

export interface Ping {
  readonly ttlMs: number
  /** At most 16 bytes; what a peer sent beyond them is left off, as libzmq does. */
  readonly context: Uint8Array
}

export function decodePing(data: Uint8Array): Ping | Violation {
  if (data.length < 2) {
    return new Violation(
      'ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED',
      `PING with ${data.length} bytes of data, 2 are needed`,
    )
  }
  const ttlMs = (((data[0] as number) << 8) | (data[1] as number)) * TTL_UNIT_MS
  return { ttlMs, context: data.subarray(2, 2 + PING_CONTEXT_LIMIT) }
}

/** The reason in an ERROR command: a length and printable characters. */
export function decodeErrorReason(data: Uint8Array): string | Violation {
  const length = data[0]
  if (length === undefined || 1 + length > data.length) {
    return new Violation('ERR_ZMTP_MALFORMED_COMMAND_ERROR', 'ERROR whose reason is longer than its body')
  }
  let reason = ''
  for (let i = 1; i <= length; i++) {
    const byte = data[i] as number
    reason += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '?'
  }
  return reason
}
