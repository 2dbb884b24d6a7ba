// The contract of a store of schedules: keyed writes in batches, and everything at the start. It asks for nothing that a
// replicated key-value engine cannot do.

import type { Schedule, ScheduleKey } from '../core/schedule.ts'

/** One change: a schedule as it is from now on, or its end. */
export type ScheduleWrite =
  | { readonly type: 'put'; readonly schedule: Schedule }
  | { readonly type: 'remove'; readonly key: ScheduleKey }

/** Where schedules outlive the scheduler's process. */
export interface ScheduleStore {
  /** Makes the store ready and gives what it holds. */
  open(): Promise<readonly Schedule[]>
  /** Makes a batch durable, whole or not at all; resolves when it is. Batches take effect in the order of their calls. */
  commit(batch: readonly ScheduleWrite[]): Promise<void>
  /** Waits for what is being committed and lets go of all resources. */
  close(): Promise<void>
}
