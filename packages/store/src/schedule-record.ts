// A SCHEDULE or UNSCHEDULE that has not reached a scheduler yet: kept here while none is connected, or until the one it
// was sent to has said that it has it.

import type { EpochMs, MessageId, QueueName } from '@eventmq-ts/emqp'
import type { RoutingId } from './routing-id.ts'

export interface ScheduleRecord {
  /** The message id of the SCHEDULE or UNSCHEDULE. */
  readonly id: MessageId
  readonly type: 'SCHEDULE' | 'UNSCHEDULE'
  /** What it schedules; a later order about the same identity replaces this one. */
  readonly identity: string
  readonly queue: QueueName
  /** The headers frame as its client sent it. */
  readonly headers: string
  readonly intervalSeconds: number | undefined
  readonly cron: string | undefined
  readonly payload: Uint8Array
  readonly asker: RoutingId
  readonly guarantee: boolean
  /** The number of the acceptance: orders are delivered in this order. */
  readonly seq: number
  readonly acceptedAt: EpochMs
}
