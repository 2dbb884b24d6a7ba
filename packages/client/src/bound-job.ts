// A job together with the client that calls it, for programs that like to say `wordCount.delay(...)`.

import type { JobReference, WireValue } from '@eventmq-ts/job'
import type { DeferManyOptions, DeferOptions, ScheduleOptions, SubmitOptions } from './call-options.ts'
import type { Client, InputArguments } from './client.ts'
import type { DeferredJob } from './deferred-job.ts'

/** Made by `client.bind`; each method is the client's of the same purpose. */
export class BoundJob<Input, Output> {
  readonly job: JobReference<Input, Output>
  readonly #client: Client

  /** @internal */
  constructor(client: Client, job: JobReference<Input, Output>) {
    this.#client = client
    this.job = job
  }

  /** `client.defer`, under EventMQ's name for it. */
  delay(...call: InputArguments<Input, DeferOptions>): Promise<DeferredJob<WireValue<Output>>> {
    return this.#client.defer(this.job, ...call)
  }

  /** `client.deferMany` */
  delayMany(inputs: readonly Input[], options?: DeferManyOptions): Promise<DeferredJob<WireValue<Output>>[]> {
    return this.#client.deferMany(this.job, inputs, options)
  }

  /** `client.schedule` */
  schedule(input: Input, options: ScheduleOptions): Promise<void> {
    return this.#client.schedule(this.job, input, options)
  }

  /** `client.unschedule` */
  unschedule(...call: InputArguments<Input, SubmitOptions>): Promise<void> {
    return this.#client.unschedule(this.job, ...call)
  }
}
