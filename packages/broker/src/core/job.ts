// A job as the broker holds it in memory: the record as it was accepted, and what has changed since.

import type { EpochMs, MessageHeaders, MessageId } from '@eventmq-ts/emqp'
import type { JobRecord, JobState, RoutingId } from '@eventmq-ts/store'

export class Job {
  /** As accepted or as last read from the store. Only what cannot change may be read from here. */
  readonly record: JobRecord
  readonly headers: MessageHeaders
  state: JobState
  asker: RoutingId
  wantsReply: boolean
  rank: number
  dueAt: EpochMs
  fence: number
  failures: number
  losses: number
  /** While active: the routing id of the one that runs it. */
  leasedTo: RoutingId | undefined
  leaseUntil: EpochMs | undefined

  constructor(record: JobRecord, headers: MessageHeaders) {
    this.record = record
    this.headers = headers
    this.state = record.state
    this.asker = record.asker
    this.wantsReply = record.wantsReply
    this.rank = record.rank
    this.dueAt = record.dueAt
    this.fence = record.fence
    this.failures = record.failures
    this.losses = record.losses
    this.leasedTo = record.lease?.worker
    this.leaseUntil = record.lease?.until
  }

  get id(): MessageId {
    return this.record.id
  }

  get priority(): number {
    return this.record.priority
  }

  get seq(): number {
    return this.record.seq
  }

  /** Whether the broker must learn how a run ended: to answer, or to keep its promise to run the job again. */
  get needsOutcome(): boolean {
    return this.wantsReply || this.record.guarantee || this.headers.retryCount !== undefined
  }
}
