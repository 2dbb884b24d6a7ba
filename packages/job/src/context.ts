// What a running job gets besides its input.

import type { Log, MessageHeaders, MessageId } from '@eventmq-ts/emqp'

/** A run's surroundings, made by the worker for each run. */
export interface JobContext {
  /** The job's id: the same in every run of it. */
  readonly id: MessageId
  /** Which run this is, from 1 on. */
  readonly attempt: number
  /** The headers that came with the job, the unknown ones too. */
  readonly headers: MessageHeaders
  /** Aborts when the job's time is over or its worker has to leave. A job that ignores it is ended the hard way later. */
  readonly signal: AbortSignal
  /** A log whose lines carry the job's id, name and attempt. */
  readonly log: Log
  /** Tells the client that asked for it (header `progress`) how far the job has come. The value must be JSON. */
  progress(value: unknown): void
}
