// Frames to a typed command, in every dialect. Frames come in as on the DEALER's wire (empty delimiter first, no routing
// id); a command or a typed error goes out. Nothing here throws, whatever the frames hold: bad input is a value.
//
// Every reader returns what it read or the error; `decode` adds the command and the message id to an error at the end.

import type { Command, Dialect, Role, Unschedule } from './command.ts'
import { EmqpError } from './error.ts'
import {
  type Frames,
  frameAt,
  readableMessageId,
  readHeaders,
  readMessageId,
  readQueueName,
  readText,
  wrongFrame,
  wrongFrameCount,
} from './frame-text.ts'
import { NO_HEADERS } from './headers.ts'
import type { MessageId } from './identifier.ts'
import { parseInformQueues } from './inform-queues.ts'
import { decodeText, encodeText } from './text.ts'
import { parseTiming, parseTimingHeaders } from './timing.ts'
import { frameCounts, nameFrames, PROTOCOL, protocolFrame, sameBytes, type WireName, wireNames } from './wire.ts'

/** Who received the frames; what five frames of REPLY mean depends on it. */
export interface DecodeContext {
  /**
   * `broker`: a broker's clients' or workers' endpoint, or a publisher: REPLY with 5 frames is a 2016 worker's payload.
   * `peer`: a client, worker or scheduler, from a broker: it is "dispatched" (from a 2016 broker: the payload).
   * `administrator`: from a broker's administration endpoint: it is JSON.
   */
  readonly receiver: 'broker' | 'peer' | 'administrator'
  /** The sender's dialect, where it is known; only a `peer` needs it, for REPLY. Default `0.3`. */
  readonly dialect?: Dialect
}

/** A command and the dialect of the layout it came in, or what was wrong. */
export type Decoded =
  | { readonly ok: true; readonly command: Command; readonly dialect: Dialect }
  | { readonly ok: false; readonly error: EmqpError }

type Reader = (frames: Frames, id: MessageId, context: DecodeContext) => Decoded

/**
 * Reads one message, from its empty delimiter on. Never throws. Payloads are the given frames, not copies.
 *
 * @param frames as on the DEALER's wire; a ROUTER takes the routing id off first
 * @returns the command, or an error that says which frame and why, with the message id where it could be read
 * @example
 * const decoded = decode(frames, { receiver: 'broker' })
 * if (decoded.ok && decoded.command.type === 'REQUEST') take(decoded.command.queue, decoded.command.payload)
 */
export function decode(frames: Frames, context: DecodeContext): Decoded {
  const delimiter = frames[0]
  const protocol = frames[1]
  const nameFrame = frames[2]
  if (delimiter === undefined) return refuse(wrongFrameCount(frames, 'an empty delimiter and more'))
  if (delimiter.length !== 0) return refuse(wrongFrame('EMQP_DELIMITER', frames, 0, 'delimiter', 'an empty frame'))
  if (protocol === undefined) return refuse(wrongFrameCount(frames, 'a protocol, a command and a message id'))
  if (!sameBytes(protocol, protocolFrame)) {
    const error = wrongFrame('EMQP_VERSION', frames, 1, 'protocol', PROTOCOL)
    return refuse(error.at({ messageId: readableMessageId(frames) }))
  }
  if (nameFrame === undefined) return refuse(wrongFrameCount(frames, 'a command and a message id'))
  const name = readName(nameFrame)
  if (name === undefined) return refuse(unknownCommand(frames))
  const decoded = readCommand(name, frames, context)
  if (decoded.ok) return decoded
  return refuse(decoded.error.at({ command: name, messageId: readableMessageId(frames) }))
}

function readCommand(name: WireName, frames: Frames, context: DecodeContext): Decoded {
  const counts: readonly number[] = frameCounts[name]
  if (!counts.includes(frames.length)) return refuse(wrongFrameCount(frames, `${counts.join(' or ')} frames`))
  const id = readMessageId(frames, 3, 'message id')
  return typeof id === 'string' ? readers[name](frames, id, context) : refuse(id)
}

const readers: Readonly<Record<WireName, Reader>> = {
  INFORM: readInform,
  ACK: readAck,
  READY: (_, id) => took({ type: 'READY', id }),
  REQUEST: readRequest,
  REPLY: readReply,
  HEARTBEAT: readHeartbeat,
  SCHEDULE: readSchedule,
  UNSCHEDULE: readUnschedule,
  PUBLISH: readPublish,
  DISCONNECT: (_, id) => took({ type: 'DISCONNECT', id }),
  KBYE: (_, id) => took({ type: 'KBYE', id }),
  KBAI: (_, id) => took({ type: 'KBYE', id }, '2016'),
  PROGRESS: readProgress,
  STATUS: (_, id) => took({ type: 'STATUS', id }),
  ROUTER_SHOW_WORKERS: (_, id) => took({ type: 'ROUTER_SHOW_WORKERS', id }),
  ROUTER_SHOW_SCHEDULERS: (_, id) => took({ type: 'ROUTER_SHOW_SCHEDULERS', id }),
  HELLO: (_, id) => took({ type: 'HELLO', id }),
}

function readInform(frames: Frames, id: MessageId): Decoded {
  const text = readText(frames, 4, 'queues', 'informQueuesBytes')
  if (typeof text !== 'string') return refuse(text)
  const role = readRole(frameAt(frames, 5))
  if (role === undefined) return refuse(wrongFrame('EMQP_ROLE', frames, 5, 'role', 'worker or scheduler'))
  const list = parseInformQueues(text)
  if (!list.ok) return refuse(list.error.at({ frame: 4 }))
  return took({ type: 'INFORM', id, role, queues: list.value.queues }, list.value.dialect)
}

function readAck(frames: Frames, id: MessageId): Decoded {
  const acknowledges = readMessageId(frames, 4, 'acknowledged message id')
  return typeof acknowledges === 'string' ? took({ type: 'ACK', id, acknowledges }) : refuse(acknowledges)
}

// The hot path: one REQUEST is one object beside its strings, and its headers are parsed once a text.
function readRequest(frames: Frames, id: MessageId): Decoded {
  const queue = readQueueName(frames)
  if (typeof queue !== 'string') return refuse(queue)
  const headers = readHeaders(frames)
  if (headers instanceof EmqpError) return refuse(headers)
  return took({ type: 'REQUEST', id, queue, headers, payload: frameAt(frames, 6) })
}

function readReply(frames: Frames, id: MessageId, { receiver, dialect }: DecodeContext): Decoded {
  const payload = frameAt(frames, 4)
  if (frames.length === 6) {
    const request = readMessageId(frames, 5, 'id of the REQUEST')
    return typeof request === 'string' ? took({ type: 'REPLY', kind: 'result', id, request, payload }) : refuse(request)
  }
  if (receiver === 'administrator') return took({ type: 'REPLY', kind: 'administration', id, payload })
  if (receiver === 'broker' || dialect === '2016') return took({ type: 'REPLY', kind: 'payload', id, payload }, '2016')
  const request = readMessageId(frames, 4, 'id of the REQUEST')
  return typeof request === 'string' ? took({ type: 'REPLY', kind: 'dispatched', id, request }) : refuse(request)
}

function readHeartbeat(frames: Frames, id: MessageId): Decoded {
  const text = readText(frames, 4, 'time', 'numberBytes')
  if (typeof text !== 'string') return refuse(text)
  const sentAtSeconds = /^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isFinite(sentAtSeconds)) return took({ type: 'HEARTBEAT', id, sentAtSeconds })
  return refuse(wrongFrame('EMQP_TIME', frames, 4, 'time', 'Unix time in seconds, e.g. 1796137801.6042109'))
}

type ScheduleParts = Omit<Unschedule, 'type' | 'id'>

function readSchedule(frames: Frames, id: MessageId): Decoded {
  const parts = readScheduleParts(frames)
  if (parts instanceof EmqpError) return refuse(parts)
  const { timing, ...rest } = parts
  if (timing !== undefined) return took({ type: 'SCHEDULE', id, ...rest, timing }, scheduleDialect(frames))
  const expected = 'an interval in whole seconds or a cron expression'
  const frame = frames.length === 7 ? 5 : 6
  return refuse(new EmqpError('EMQP_TIMING', { part: 'interval and cron', frame, found: 'neither', expected }))
}

function readUnschedule(frames: Frames, id: MessageId): Decoded {
  const parts = readScheduleParts(frames)
  if (parts instanceof EmqpError) return refuse(parts)
  return took({ type: 'UNSCHEDULE', id, ...parts }, scheduleDialect(frames))
}

function readScheduleParts(frames: Frames): ScheduleParts | EmqpError {
  const queue = readQueueName(frames)
  if (typeof queue !== 'string') return queue
  if (frames.length === 7) {
    const text = readText(frames, 5, 'headers', 'headersBytes')
    if (typeof text !== 'string') return text
    const read = parseTimingHeaders(text)
    return read.ok ? { queue, ...read.value, payload: frameAt(frames, 6) } : read.error.at({ frame: 5 })
  }
  const headers = readHeaders(frames)
  if (headers instanceof EmqpError) return headers
  const interval = readText(frames, 6, 'interval', 'numberBytes')
  if (typeof interval !== 'string') return interval
  const cron = frames.length === 9 ? readText(frames, 8, 'cron', 'cronBytes') : ''
  if (typeof cron !== 'string') return cron
  const timing = parseTiming(interval, cron)
  return timing.ok
    ? { queue, headers, timing: timing.value, payload: frameAt(frames, 7) }
    : timing.error.at({ frame: 6 })
}

function scheduleDialect(frames: Frames): Dialect {
  return frames.length === 9 ? '0.3' : '2016'
}

function readPublish(frames: Frames, id: MessageId): Decoded {
  const topic = readText(frames, 4, 'topic', 'topicBytes')
  if (typeof topic !== 'string') return refuse(topic)
  if (frames.length === 6) return took({ type: 'PUBLISH', id, topic, headers: NO_HEADERS, payload: frameAt(frames, 5) })
  const headers = readHeaders(frames)
  if (headers instanceof EmqpError) return refuse(headers)
  return took({ type: 'PUBLISH', id, topic, headers, payload: frameAt(frames, 6) }, '2016')
}

function readProgress(frames: Frames, id: MessageId): Decoded {
  const request = readMessageId(frames, 5, 'id of the REQUEST')
  if (typeof request !== 'string') return refuse(request)
  return took({ type: 'PROGRESS', id, request, payload: frameAt(frames, 4) })
}

const roleFrames: readonly (readonly [Role, Uint8Array])[] = (['worker', 'scheduler'] as const).map((role) => [
  role,
  encodeText(role),
])

function readRole(bytes: Uint8Array): Role | undefined {
  return roleFrames.find(([, frame]) => sameBytes(frame, bytes))?.[0]
}

// Names of one length are few, so this compares with one or two of them.
const namesByLength: readonly (readonly WireName[])[] = Array.from({ length: 32 }, (_, length) =>
  wireNames.filter((name) => name.length === length),
)

function readName(bytes: Uint8Array): WireName | undefined {
  const candidates = namesByLength[bytes.length]
  if (candidates === undefined) return undefined
  for (const name of candidates) if (sameBytes(bytes, nameFrames[name])) return name
  return undefined
}

function unknownCommand(frames: Frames): EmqpError {
  const bytes = frameAt(frames, 2)
  const upper = bytes.length < namesByLength.length ? (decodeText(bytes)?.toUpperCase() ?? '') : ''
  const expected = Object.hasOwn(frameCounts, upper) ? `${upper}: commands are upper case` : 'a command of eMQP/1.0'
  const error = wrongFrame('EMQP_UNKNOWN_COMMAND', frames, 2, 'command', expected)
  return error.at({ messageId: readableMessageId(frames) })
}

function took(command: Command, dialect: Dialect = '0.3'): Decoded {
  return { ok: true, command, dialect }
}

function refuse(error: EmqpError): Decoded {
  return { ok: false, error }
}
