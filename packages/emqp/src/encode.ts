// A typed command to frames, as on the DEALER's wire: empty delimiter first, no routing id. The 0.3 layout, byte for byte
// what an EventMQ 0.3 peer sends, unless the caller asks for 2016's.

import type { Command, Dialect, Inform, Publish, Reply, Schedule, Unschedule } from './command.ts'
import { EmqpError } from './error.ts'
import { formatHeaders } from './headers.ts'
import type { MessageId } from './identifier.ts'
import { printInformQueues } from './inform-queues.ts'
import { LIMITS } from './limit.ts'
import { pythonFloat } from './python-notation.ts'
import { emptyFrame, encodeText } from './text.ts'
import { printTiming, printTimingHeaders } from './timing.ts'
import { nameFrames, protocolFrame, type WireName } from './wire.ts'

/**
 * The frames of one message, from its empty delimiter on. Payloads go in as they are, not copied, and the constant frames
 * are shared by all messages: treat what comes back as read-only.
 *
 * @param dialect the layout; `2016` only for a peer that is known to want it
 * @throws EmqpError `EMQP_NOT_EXPRESSIBLE` where the dialect has no place for what the command says, `EMQP_LIMIT` where
 *   the peer would refuse it as too long
 * @example
 * await dealer.send(encode({ type: 'READY', id: messageId(crypto.randomUUID()) }))
 */
export function encode(command: Command, dialect: Dialect = '0.3'): Uint8Array[] {
  switch (command.type) {
    case 'REQUEST': {
      const { id, queue, headers, payload } = command
      return message('REQUEST', id, encodeText(queue), encodeText(formatHeaders(headers)), payload)
    }
    case 'REPLY':
      return encodeReply(command, dialect)
    case 'ACK':
      return message('ACK', command.id, encodeText(command.acknowledges))
    case 'HEARTBEAT':
      return message('HEARTBEAT', command.id, encodeText(printTime(command.sentAtSeconds)))
    case 'PROGRESS':
      return message('PROGRESS', command.id, command.payload, encodeText(command.request))
    case 'INFORM':
      return encodeInform(command, dialect)
    case 'SCHEDULE':
    case 'UNSCHEDULE':
      return encodeSchedule(command, dialect)
    case 'PUBLISH':
      return encodePublish(command, dialect)
    case 'KBYE':
      return message(dialect === '2016' ? 'KBAI' : 'KBYE', command.id)
    case 'READY':
    case 'DISCONNECT':
    case 'STATUS':
    case 'ROUTER_SHOW_WORKERS':
    case 'ROUTER_SHOW_SCHEDULERS':
    case 'HELLO':
      return message(command.type, command.id)
  }
}

function message(name: WireName, id: MessageId, ...rest: Uint8Array[]): Uint8Array[] {
  return [emptyFrame, protocolFrame, nameFrames[name], encodeText(id), ...rest]
}

function encodeInform({ id, role, queues }: Inform, dialect: Dialect): Uint8Array[] {
  return message('INFORM', id, boundedText(printInformQueues(queues, dialect), 'informQueuesBytes'), encodeText(role))
}

function encodeReply(reply: Reply, dialect: Dialect): Uint8Array[] {
  if (reply.kind === 'administration') return message('REPLY', reply.id, reply.payload)
  if (dialect === '2016') {
    // 2016 has no frame for the REQUEST's id, so the message id is the one place where the peer can recognise it.
    if (reply.kind === 'result') return message('REPLY', reply.request, reply.payload)
    if (reply.kind === 'payload') return message('REPLY', reply.id, reply.payload)
    throw notExpressible('REPLY', reply.kind, 'a payload: the 2016 dialect does not tell that a job was dispatched')
  }
  if (reply.kind === 'result') return message('REPLY', reply.id, reply.payload, encodeText(reply.request))
  if (reply.kind === 'dispatched') return message('REPLY', reply.id, encodeText(reply.request))
  throw notExpressible('REPLY', reply.kind, 'a result with the id of its REQUEST: the 0.3 layout has a frame for it')
}

function encodeSchedule(command: Schedule | Unschedule, dialect: Dialect): Uint8Array[] {
  const { type, id, queue, headers, timing, payload } = command
  if (dialect === '2016') {
    const timed = boundedText(printTimingHeaders(headers, timing), 'headersBytes')
    return message(type, id, encodeText(queue), timed, payload)
  }
  const [interval, cron] = printTiming(timing)
  const text = encodeText(formatHeaders(headers))
  return message(type, id, encodeText(queue), text, encodeText(interval), payload, encodeText(cron))
}

function encodePublish({ id, topic, headers, payload }: Publish, dialect: Dialect): Uint8Array[] {
  const topicFrame = boundedText(topic, 'topicBytes')
  if (dialect === '0.3') return message('PUBLISH', id, topicFrame, payload)
  return message('PUBLISH', id, topicFrame, encodeText(formatHeaders(headers)), payload)
}

function printTime(seconds: number): string {
  if (Number.isFinite(seconds)) return pythonFloat(seconds)
  throw notExpressible('time', String(seconds), 'Unix time in seconds')
}

function boundedText(text: string, limit: 'informQueuesBytes' | 'headersBytes' | 'topicBytes'): Uint8Array {
  const bytes = encodeText(text)
  if (bytes.length <= LIMITS[limit]) return bytes
  const offence = { part: 'text', found: text, expected: `at most ${LIMITS[limit]} bytes (${limit})` }
  throw new EmqpError('EMQP_LIMIT', offence)
}

function notExpressible(part: string, found: string, expected: string): EmqpError {
  return new EmqpError('EMQP_NOT_EXPRESSIBLE', { part, found, expected })
}
