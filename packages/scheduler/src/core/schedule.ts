// A schedule as it is kept: what fires, when, and how far it has come. Immutable; firing makes the next one of it.

import type { EpochMs, MessageId, QueueName } from '@eventmq-ts/emqp'

declare const scheduleKeyBrand: unique symbol

/** What a schedule is known by: the hash of its job's identity (`jobIdentity` of emqp). */
export type ScheduleKey = string & { readonly [scheduleKeyBrand]: true }

/** What becomes of runs that were missed: none of them, the latest one, or every one. */
export type MissedRuns = 'skip' | 'once' | 'all'

/**
 * One schedule. Its slots are numbered from 0, the moment of acceptance: slot k is due at `acceptedAt + k * intervalMs`,
 * whatever became of the slots before it, so that nothing drifts.
 */
export interface Schedule {
  readonly key: ScheduleKey
  /** The message id of the SCHEDULE that made it; the same one again is a resend and changes nothing. */
  readonly order: MessageId
  /** The queue of its REQUESTs. */
  readonly queue: QueueName
  /** The headers frame of its REQUESTs. */
  readonly headers: string
  /** Whether its REQUESTs are sent until the broker has acknowledged them. */
  readonly guarantee: boolean
  readonly payload: Uint8Array
  readonly intervalMs: number
  readonly missed: MissedRuns
  readonly acceptedAt: EpochMs
  /** The first slot that has neither fired nor been passed over: 0 with a hasty first run, else 1. */
  readonly nextSlot: number
  /** REQUESTs still to come; undefined: no end. */
  readonly runsLeft: number | undefined
}

/** Wall time of a slot. */
export function slotTime(schedule: Schedule, slot: number): EpochMs {
  return (schedule.acceptedAt + slot * schedule.intervalMs) as EpochMs
}
