export type { BoundJob } from './bound-job.ts'
export type {
  DeferManyOptions,
  DeferOptions,
  InputArguments,
  ScheduleOptions,
  SubmitOptions,
  When,
} from './call-options.ts'
export { Client } from './client.ts'
export type { ClientOptions } from './client-options.ts'
export { DeferredJob } from './deferred-job.ts'
export { ClientError, type ClientErrorCode, DeferManyError, JobFailedError, RefusedError } from './error.ts'
export type { WaitOptions } from './waiting.ts'
