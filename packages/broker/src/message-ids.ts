// Ids for the broker's own messages: unique among all brokers and restarts by a random start, and cheap by a counter.

import type { MessageId } from '@eventmq-ts/emqp'

/** Gives a new id at each call. */
export function messageIds(): () => MessageId {
  const origin = crypto.randomUUID()
  let count = 0
  // A uuid, a dash and digits: not empty, ASCII and short, as a message id must be.
  return () => `${origin}-${++count}` as MessageId
}
