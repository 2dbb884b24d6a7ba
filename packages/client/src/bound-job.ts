// A job together with the client that calls it, for programs that like to say `wordCount.delay(...)`.

import type { JobReference, WireValue } from '@eventmq-ts/job'
import type { DeferManyOptions, DeferOptions, InputArguments, ScheduleOptions, SubmitOptions } from './call-options.ts'
import type { DeferredJob } from './deferred-job.ts'

/** Made by `client.bind`; each method is the client's of the same purpose. */
export interface BoundJob<Input, Output> {
  readonly job: JobReference<Input, Output>
  /** `client.defer`, under EventMQ's name for it. */
  delay(...call: InputArguments<Input, DeferOptions>): Promise<DeferredJob<WireValue<Output>>>
  /** `client.deferMany` */
  delayMany(inputs: readonly Input[], options?: DeferManyOptions): Promise<DeferredJob<WireValue<Output>>[]>
  /** `client.schedule` */
  schedule(input: Input, options: ScheduleOptions): Promise<void>
  /** `client.unschedule` */
  unschedule(...call: InputArguments<Input, SubmitOptions>): Promise<void>
}
