// Takes plain text as a message id or a queue name: a string comes in at the edge, a branded one goes on.

import { EmqpError } from './error.ts'
import type { MessageId, QueueName } from './identifier.ts'
import { LIMITS, type Limit } from './limit.ts'
import { utf8Length } from './text.ts'

/**
 * Takes text as a message id.
 *
 * @throws EmqpError `EMQP_MESSAGE_ID` where it is empty or not well-formed Unicode, `EMQP_LIMIT` where it is too long.
 * @example
 * const id = messageId(crypto.randomUUID())
 */
export function messageId(text: string): MessageId {
  checkName(text, 'EMQP_MESSAGE_ID', 'message id', 'messageIdBytes')
  return text as MessageId
}

/**
 * Takes text as a queue's name.
 *
 * @throws EmqpError `EMQP_QUEUE_NAME` where it is empty or not well-formed Unicode, `EMQP_LIMIT` where it is too long.
 * @example
 * const queue = queueName('email')
 */
export function queueName(text: string): QueueName {
  checkName(text, 'EMQP_QUEUE_NAME', 'queue name', 'queueNameBytes')
  return text as QueueName
}

function checkName(text: string, code: 'EMQP_MESSAGE_ID' | 'EMQP_QUEUE_NAME', part: string, limit: Limit): void {
  if (text === '' || !text.isWellFormed()) {
    throw new EmqpError(code, {
      part,
      found: text,
      expected: 'text that is not empty and is well-formed Unicode',
    })
  }
  if (utf8Length(text) > LIMITS[limit]) {
    const expected = `at most ${LIMITS[limit]} bytes of UTF-8 (${limit})`
    throw new EmqpError('EMQP_LIMIT', { part, found: text, expected })
  }
}
