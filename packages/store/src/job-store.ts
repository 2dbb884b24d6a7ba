// The contract of every store of jobs. Nothing in it needs more than keyed reads, ordered reads of one queue's head and
// atomic batches of keyed writes, so it can stand on memory, on SQLite with one transaction a batch, and on a replicated
// work-queue engine. One shared suite (test/store/job-store-contract.ts) says what it means; all implementations pass it.

import type { EpochMs, MessageId, QueueName } from '@eventmq-ts/emqp'
import type { DuePosition, JobRecord, JobState, JobSummary, QueuePosition } from './job-record.ts'
import type { ScheduleRecord } from './schedule-record.ts'
import type { CommitResult, StoreWrite } from './store-write.ts'

/** A bounded read of something ordered. */
export interface Page<T> {
  readonly items: readonly T[]
  /** Whether there is more after the last item. */
  readonly more: boolean
}

/** What a broker must know before it serves. */
export interface StoreOverview {
  /** Greater than the `seq` of everything stored. */
  readonly nextSeq: number
  /** Queues with waiting jobs, and how many each. */
  readonly waiting: ReadonlyMap<QueueName, number>
  /** How many jobs are in each state. Done and dead ones count until they are forgotten. */
  readonly jobs: Readonly<Record<JobState, number>>
  /** Schedule orders that wait for a scheduler. */
  readonly schedules: number
}

/**
 * Where jobs are kept from their acceptance until they are forgotten.
 *
 * - `commit` is the only way in. A batch is made durable whole or not at all, and is applied in order; the promise
 *   resolves when it is durable. A write whose job is not as the write says is left out and reported; the others stand.
 * - Reads see every batch whose commit has resolved.
 * - Commits may be issued without awaiting the one before; they take effect in the order they were issued.
 * - Every method rejects with `STORE_CLOSED` before `open` and after `close`.
 *
 * @example
 * const store = new MemoryStore()
 * await store.open()
 * const { refused } = await store.commit([{ type: 'add', job }])
 */
export interface JobStore {
  /** Makes the store ready. Opening it twice is `STORE_OPTION`. */
  open(): Promise<StoreOverview>

  /**
   * Makes a batch durable.
   *
   * @throws StoreError `STORE_WRITE`: nothing of the batch was written, and the same batch may be tried again.
   */
  commit(batch: readonly StoreWrite[]): Promise<CommitResult>

  /** Which of these ids are known, done and dead ones included until they are forgotten. Loads no payload. */
  lookup(ids: readonly MessageId[]): Promise<ReadonlyMap<MessageId, JobSummary>>

  /** One job with payload and outcome. */
  read(id: MessageId): Promise<JobRecord | undefined>

  /** The waiting jobs of a queue in the order of {@link compareQueuePositions}, after a position. `limit`: 1 to 10,000. */
  waiting(query: {
    readonly queue: QueueName
    readonly after?: QueuePosition | undefined
    readonly limit: number
  }): Promise<Page<JobRecord>>

  /** The delayed jobs of all queues in the order of {@link compareDuePositions}, after a position. `limit`: 1 to 10,000. */
  delayed(query: { readonly after?: DuePosition | undefined; readonly limit: number }): Promise<Page<JobRecord>>

  /** The active jobs in an order of the store's own, after a job. `limit`: 1 to 10,000. */
  active(query: { readonly after?: MessageId | undefined; readonly limit: number }): Promise<Page<JobRecord>>

  /** The schedule orders in the order of their acceptance, after a `seq`. `limit`: 1 to 10,000. */
  schedules(query: { readonly after?: number | undefined; readonly limit: number }): Promise<Page<ScheduleRecord>>

  /** Forgets at most `limit` jobs whose `forgetAt` is not after `now`; gives how many. An engine that does so itself gives 0. */
  forget(now: EpochMs, limit: number): Promise<number>

  /** Waits for what is being committed and lets go of all resources. Closing it again does nothing. */
  close(): Promise<void>
}

/** The largest `limit` of a read. */
export const PAGE_LIMIT = 10_000
