// Stage 3, perform: where a job's code runs. Whoever implements this decides how well jobs are kept apart and how a run
// that does not end is ended.

import type { JobCall } from '@eventmq-ts/emqp'
import type { JobContext } from '@eventmq-ts/job'
import type { Limits } from '../executor/limit.ts'
import type { RegisteredJob } from '../registry/registered-job.ts'

/** One run to perform. */
export interface Task {
  readonly job: RegisteredJob
  readonly call: JobCall
  readonly limits: Limits
  /** What the job is told of its surroundings; the isolate adds the signal. */
  readonly surroundings: Omit<JobContext, 'signal'>
  /** Aborts when the worker wants the run to end before its time. */
  readonly cancelled: AbortSignal
}

/** What became of a run. */
export type Performed =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** Its time was over. `abandoned`: its code may still be running, and nobody waits for it any more. */
  | { readonly kind: 'timed-out'; readonly timeoutMs: number; readonly abandoned: boolean }

/** Runs jobs. */
export interface Isolate {
  /** Performs one run and resolves when its slot may be used again. Never rejects. */
  run(task: Task): Promise<Performed>
  /** Ends whatever the isolate holds. Idempotent. */
  close(): Promise<void>
}
