// The writes: one kind for each arrow of the job's state machine, gathered in batches. A broker writes all that one turn
// brought in one batch, and promises nothing of it before the batch is committed.

import type { EpochMs, MessageId } from '@eventmq-ts/emqp'
import type { JobRecord, Lease, OutcomeReason } from './job-record.ts'
import type { RoutingId } from './routing-id.ts'
import type { ScheduleRecord } from './schedule-record.ts'

/** Accepts a job, in state waiting or delayed. Refused where its id is known. */
export interface AddJob {
  readonly type: 'add'
  readonly job: JobRecord
}

/** A delayed job is due: into its queue, at this rank. */
export interface PromoteJob {
  readonly type: 'promote'
  readonly id: MessageId
  readonly rank: number
  readonly at: EpochMs
}

/** Leases a waiting job to a worker. */
export interface ClaimJob {
  readonly type: 'claim'
  readonly id: MessageId
  /** The new lease's token: one more than the job's present fence. Refused otherwise: somebody else was faster. */
  readonly fence: number
  readonly lease: Lease
  readonly at: EpochMs
}

/** Prolongs a lease. */
export interface RenewLease {
  readonly type: 'renew'
  readonly id: MessageId
  readonly fence: number
  readonly until: EpochMs
}

/** Ends a lease without ending the job. */
export interface RequeueJob {
  readonly type: 'requeue'
  readonly id: MessageId
  readonly fence: number
  readonly state: 'waiting' | 'delayed'
  readonly dueAt: EpochMs
  readonly failures: number
  readonly losses: number
  readonly at: EpochMs
}

/** Ends the job. Of one that is done the payload is let go; a dead one keeps it, for whoever looks into it. */
export interface FinishJob {
  readonly type: 'finish'
  readonly id: MessageId
  readonly fence: number
  readonly state: 'done' | 'dead'
  readonly reason: OutcomeReason
  readonly result: Uint8Array
  readonly at: EpochMs
  /** Not after `at`: forgotten at once. */
  readonly forgetAt: EpochMs
}

/** The client came back under another routing id, or asks for a reply only now. Refused where the job is unknown. */
export interface ChangeAsker {
  readonly type: 'ask'
  readonly id: MessageId
  readonly asker: RoutingId
  readonly wantsReply: boolean
}

/** Keeps a schedule order; replaces the one with the same identity. */
export interface PutSchedule {
  readonly type: 'put-schedule'
  readonly schedule: ScheduleRecord
}

/** Forgets a schedule order, if it is still the one with this message id. */
export interface RemoveSchedule {
  readonly type: 'remove-schedule'
  readonly identity: string
  readonly id: MessageId
}

export type StoreWrite =
  | AddJob
  | PromoteJob
  | ClaimJob
  | RenewLease
  | RequeueJob
  | FinishJob
  | ChangeAsker
  | PutSchedule
  | RemoveSchedule

/** What {@link JobStore.commit} did. */
export interface CommitResult {
  /** The indices of writes that were left out, because the job was not in the state, or under the fence, that they name. */
  readonly refused: readonly number[]
}
