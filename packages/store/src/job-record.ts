// What the store knows of a job, and the states a job goes through.
//
// waiting: in its queue, may be handed out. delayed: waits for an instant (the header `delay`, or the pause before a
// retry). active: one worker holds its lease. done: it ended well. dead: it ended otherwise, and `outcome.reason` says
// how. Each arrow is one write, and each write carries its time:
//
//            add                    claim                  finish
//   (new) ----------> waiting --------------> active --------------> done | dead ---> (forgotten at `forgetAt`)
//     |                 ^  |                    |                          ^
//     | add     promote |  |       requeue      |                          |
//     +-----> delayed --+  |  (to waiting or delayed)                      |
//                |         +------------- finish ------------------------->|
//                +----------------------- finish ------------------------->+
//
// A lease is the time for which an active job belongs to one worker. Its fencing token is the job's `fence`: each claim
// raises it by one, and whoever ends, renews or gives back a lease must name it. So a worker that lost its lease, or a
// broker that lost its place, changes nothing.

import type { EpochMs, MessageId, QueueName } from '@eventmq-ts/emqp'
import type { RoutingId } from './routing-id.ts'

export type JobState = 'waiting' | 'delayed' | 'active' | 'done' | 'dead'

/** Where each kind of write may find a job, and where it may leave it. What is not here is refused. */
export const TRANSITIONS = {
  promote: { from: ['delayed'], to: ['waiting'] },
  claim: { from: ['waiting'], to: ['active'] },
  renew: { from: ['active'], to: ['active'] },
  requeue: { from: ['active'], to: ['waiting', 'delayed'] },
  finish: { from: ['waiting', 'delayed', 'active'], to: ['done', 'dead'] },
} as const satisfies Record<string, { readonly from: readonly JobState[]; readonly to: readonly JobState[] }>

/**
 * How a job ended.
 *
 * | reason | state | meaning |
 * |---|---|---|
 * | `completed` | done | its worker said so |
 * | `handed-over` | done | a worker took it and nobody asked how it ended |
 * | `failed` | dead | its last run failed |
 * | `lost` | dead | its worker vanished, and without `guarantee` it is not run again |
 * | `poison` | dead | its workers vanished too often |
 * | `expired` | dead | it did not start in time |
 */
export type OutcomeReason = 'completed' | 'handed-over' | 'failed' | 'lost' | 'poison' | 'expired'

export interface Outcome {
  readonly at: EpochMs
  readonly reason: OutcomeReason
  /** What the client is told: the worker's own bytes, or an error in JSON. Empty where nobody is to be told. */
  readonly result: Uint8Array
  /** From then on the store may forget the job, its result and that its id was ever used. */
  readonly forgetAt: EpochMs
}

export interface Lease {
  readonly worker: RoutingId
  readonly until: EpochMs
}

/** Where a waiting job stands in its queue: priority downwards, then rank upwards, then acceptance upwards. */
export interface QueuePosition {
  /** 0 to 9; 9 first. */
  readonly priority: number
  /** A virtual start time that the broker gives out so that a client that floods does not starve the others. */
  readonly rank: number
  /** The number of the acceptance: unique, and rising as jobs are accepted. */
  readonly seq: number
}

/** Everything but the bytes: what a listing needs. */
export interface JobSummary extends QueuePosition {
  readonly id: MessageId
  /** The queue it waits in. */
  readonly queue: QueueName
  /** The queue its client named; another one only where unknown queues are sent to a default. */
  readonly addressedTo: QueueName
  /** The headers frame as its client sent it. */
  readonly headers: string
  /** Who asked, and is told the outcome if `wantsReply`. */
  readonly asker: RoutingId
  readonly wantsReply: boolean
  readonly guarantee: boolean
  readonly acceptedAt: EpochMs
  /** Not before. The acceptance itself for a job without delay. */
  readonly dueAt: EpochMs
  /** Not after, if it has not started by then. */
  readonly expiresAt: EpochMs | undefined
  readonly state: JobState
  /** Leases given so far; the fencing token of the present one. */
  readonly fence: number
  /** Runs that failed. */
  readonly failures: number
  /** Runs whose worker vanished. */
  readonly losses: number
  /** Present while active. */
  readonly lease: Lease | undefined
}

/** A job as stored. */
export interface JobRecord extends JobSummary {
  readonly payload: Uint8Array
  /** Present once done or dead. */
  readonly outcome: Outcome | undefined
}

/** Negative where `a` is handed out before `b`; never 0 for two jobs. */
export function compareQueuePositions(a: QueuePosition, b: QueuePosition): number {
  return b.priority - a.priority || a.rank - b.rank || a.seq - b.seq
}

/** Where a delayed job stands: by due instant, then acceptance. */
export interface DuePosition {
  readonly dueAt: EpochMs
  readonly seq: number
}

/** Negative where `a` is due before `b`; never 0 for two jobs. */
export function compareDuePositions(a: DuePosition, b: DuePosition): number {
  return a.dueAt - b.dueAt || a.seq - b.seq
}
