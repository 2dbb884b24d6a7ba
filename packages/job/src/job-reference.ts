// What a client needs to know of a job to call it.

import type { JobCall, QueueName } from '@eventmq-ts/emqp'
import type { JobDefaults } from './job-options.ts'

/** Where a reference keeps the type of what the job gives; no value stands there. */
declare const output: unique symbol

/** A job that can be called: one of our own (`defineJob`), or one known by path and callable alone (`jobAt`). */
export interface JobReference<Input, Output> {
  /** `path.callable`, as people read it. */
  readonly name: string
  /** The module on the wire. */
  readonly path: string
  readonly callable: string
  /** The queue it waits in unless a call says otherwise. */
  readonly queue: QueueName
  readonly defaults: JobDefaults
  /**
   * The call that travels. Where there is a schema, the input is turned into JSON and back and then checked, so that what
   * is checked here is what the worker will get.
   *
   * @throws JobError `JOB_INPUT`
   */
  prepareCall(input: Input): Promise<JobCall>
  readonly [output]?: Output
}
