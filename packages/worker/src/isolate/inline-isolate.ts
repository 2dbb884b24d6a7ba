// The isolate that isolates nothing: jobs run on the worker's own event loop. Right for jobs that wait for I/O.
//
// It cannot kill. When a run's time is over its signal aborts; a job that minds it ends soon and its slot is free. One
// that does not is abandoned after `abandonAfterMs`: the outcome is the same timeout, the slot returns, and its code goes
// on with nobody listening. A job that blocks the event loop blocks the worker with all its slots.

import type { JobContext } from '@eventmq-ts/job'
import { type SetDeadline, setDeadline } from './deadline.ts'
import type { Isolate, Performed, Task } from './isolate.ts'

/** What {@link InlineIsolate} takes. */
export interface InlineIsolateOptions {
  /** How long a run may go on after its time is over and its signal has aborted, in milliseconds from 0 on. Default 5,000. */
  readonly abandonAfterMs?: number | undefined
  /** Where timers come from; a test hands in its own. */
  readonly setDeadline?: SetDeadline | undefined
}

export class InlineIsolate implements Isolate {
  readonly #abandonAfterMs: number
  readonly #setDeadline: SetDeadline

  constructor(options: InlineIsolateOptions = {}) {
    this.#abandonAfterMs = options.abandonAfterMs ?? 5_000
    this.#setDeadline = options.setDeadline ?? setDeadline
  }

  async run(task: Task): Promise<Performed> {
    const { timeoutMs } = task.limits
    const work = perform(task)
    if (timeoutMs === undefined) return work(task.cancelled)
    const timeIsOver = new AbortController()
    const abandoned = Promise.withResolvers<Performed>()
    let cancel = this.#setDeadline(timeoutMs, () => {
      timeIsOver.abort(new DOMException(`the job's time of ${timeoutMs / 1000} s is over`, 'TimeoutError'))
      cancel = this.#setDeadline(this.#abandonAfterMs, () =>
        abandoned.resolve({ kind: 'timed-out', timeoutMs, abandoned: true }),
      )
    })
    const performed = await Promise.race([
      work(AbortSignal.any([task.cancelled, timeIsOver.signal])),
      abandoned.promise,
    ])
    cancel()
    if (!timeIsOver.signal.aborted || performed.kind === 'timed-out') return performed
    return { kind: 'timed-out', timeoutMs, abandoned: false }
  }

  async close(): Promise<void> {
    // Nothing is held.
  }
}

/** Runs the job's own code; whatever it does is a value. */
function perform({ job, call, surroundings }: Task): (signal: AbortSignal) => Promise<Performed> {
  return async (signal) => {
    const context: JobContext = { ...surroundings, signal }
    try {
      return { kind: 'returned', value: await job.perform(call, context) }
    } catch (error) {
      return { kind: 'threw', error }
    }
  }
}
