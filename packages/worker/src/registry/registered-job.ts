// What a worker can run: one entry of its registry.

import type { JobCall } from '@eventmq-ts/emqp'
import type { JobContext } from '@eventmq-ts/job'

/** A job that a worker was told to run, under the two names that a REQUEST calls it by. */
export interface RegisteredJob {
  /** A module's name, or `module:Class`. */
  readonly path: string
  readonly callable: string
  /** The module it came from, as the worker's options name it. */
  readonly source: string
  /** One run. Rejects with whatever is wrong with the call, or with what the job throws. */
  readonly perform: (call: JobCall, context: JobContext) => Promise<unknown>
}

/** Its name in messages: `path.callable`. */
export function jobName({ path, callable }: { readonly path: string; readonly callable: string }): string {
  return `${path}.${callable}`
}
