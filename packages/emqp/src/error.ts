// What is wrong with a message, as a value: a stable code, the place, what stood there, what was expected, and the
// message's id where it could be read, so that a broker can refuse by REPLY.

import type { MessageId } from './identifier.ts'

/**
 * Why the codec refuses something.
 *
 * | code | meaning |
 * |---|---|
 * | `EMQP_DELIMITER` | the first frame is not the empty delimiter |
 * | `EMQP_VERSION` | the protocol is not `eMQP/1.0` |
 * | `EMQP_FRAME_COUNT` | too few or too many frames for the command |
 * | `EMQP_UNKNOWN_COMMAND` | no such command (they are upper case) |
 * | `EMQP_NOT_UTF8` | a text frame is not UTF-8 |
 * | `EMQP_LIMIT` | longer than one of `LIMITS` |
 * | `EMQP_MESSAGE_ID` | an empty message id |
 * | `EMQP_QUEUE_NAME` | an empty queue name |
 * | `EMQP_QUEUES` | INFORM's queues are neither of the two lists |
 * | `EMQP_ROLE` | INFORM from something that is no worker or scheduler |
 * | `EMQP_HEADER` | a known header with a bad value, or given twice |
 * | `EMQP_TIMING` | interval and cron: both, neither, or not a number |
 * | `EMQP_TIME` | HEARTBEAT's time is not a number |
 * | `EMQP_JOB` | a payload that is not `["run", {...}]` |
 * | `EMQP_ADMINISTRATION` | an administrator's JSON without EventMQ's keys |
 * | `EMQP_NOT_EXPRESSIBLE` | the caller's command does not fit the dialect or the notation |
 */
export type EmqpErrorCode =
  | 'EMQP_DELIMITER'
  | 'EMQP_VERSION'
  | 'EMQP_FRAME_COUNT'
  | 'EMQP_UNKNOWN_COMMAND'
  | 'EMQP_NOT_UTF8'
  | 'EMQP_LIMIT'
  | 'EMQP_MESSAGE_ID'
  | 'EMQP_QUEUE_NAME'
  | 'EMQP_QUEUES'
  | 'EMQP_ROLE'
  | 'EMQP_HEADER'
  | 'EMQP_TIMING'
  | 'EMQP_TIME'
  | 'EMQP_JOB'
  | 'EMQP_ADMINISTRATION'
  | 'EMQP_NOT_EXPRESSIBLE'

/** Where the offence stands and what it is; everything an {@link EmqpError} is made of. */
export interface Offence {
  /** What the offending thing is called in the protocol, e.g. `headers` or `queue name`. */
  readonly part: string
  /** What stood there; printed safely and cut short. */
  readonly found: string
  /** What should have stood there, or what to do. */
  readonly expected: string
  /** The frame's index as on the DEALER's wire: 0 is the empty delimiter. */
  readonly frame?: number | undefined
  /** The command as sent, where it could be read. */
  readonly command?: string | undefined
  /** The message's id, where it could be read. */
  readonly messageId?: MessageId | undefined
}

/**
 * A message, or a part of one, that the codec cannot take. `decode` and the `parse...` functions return it; `encode` and
 * the functions that take a caller's own values throw it.
 *
 * @example
 * const decoded = decode(frames, { receiver: 'broker' })
 * if (!decoded.ok) log.warn({ code: decoded.error.code, frame: decoded.error.frame }, decoded.error.message)
 */
export class EmqpError extends Error {
  override readonly name = 'EmqpError'
  readonly code: EmqpErrorCode
  readonly part: string
  readonly found: string
  readonly expected: string
  readonly frame: number | undefined
  readonly command: string | undefined
  readonly messageId: MessageId | undefined

  constructor(code: EmqpErrorCode, offence: Offence, options?: ErrorOptions) {
    const found = printable(offence.found)
    super(sentence(offence, found), options)
    this.code = code
    this.part = offence.part
    this.found = found
    this.expected = offence.expected
    this.frame = offence.frame
    this.command = offence.command === undefined ? undefined : printable(offence.command)
    this.messageId = offence.messageId
  }

  /** The same offence, told by someone who knows more of where it stands. */
  at(place: Pick<Offence, 'frame' | 'command' | 'messageId'>): EmqpError {
    const { code, part, found, expected, frame, command, messageId, cause } = this
    const offence = { part, found, expected, frame, command, messageId, ...place }
    return new EmqpError(code, offence, cause === undefined ? {} : { cause })
  }
}

function sentence({ part, expected, frame, command }: Offence, found: string): string {
  const where = frame === undefined ? part : `frame ${frame} (${part})`
  const whose = command === undefined ? 'eMQP' : `eMQP ${printable(command)}`
  return `${whose}: ${where} is "${found}"; expected ${expected}`
}

const longestPrinted = 200
const printedOfLonger = 120

/**
 * Text from outside in a form that is safe in a log: no control characters, no line breaks, no flood. What it prints it
 * prints again as it is, and it keeps nothing of a long text but its beginning.
 */
function printable(text: string): string {
  const escaped = text
    .slice(0, longestPrinted)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
  const isShort = text.length <= longestPrinted && escaped.length <= longestPrinted
  const shown = isShort ? escaped : `${escaped.slice(0, printedOfLonger)}...(${text.length} characters)`
  return shown.toWellFormed()
}
