// Everything a program needs, under one name: `import { Client, defineJob } from 'eventmq-ts'`.

export { Broker, BrokerError, type BrokerErrorCode, type BrokerOptions } from '@eventmq-ts/broker'
export {
  Client,
  ClientError,
  type ClientErrorCode,
  type ClientOptions,
  type DeferOptions,
  DeferredJob,
  JobFailedError,
  RefusedError,
  type ScheduleOptions,
} from '@eventmq-ts/client'
export { defineJob, type Job, type JobContext, JobError, type JobErrorCode, type JobOptions } from '@eventmq-ts/job'
export { Scheduler, SchedulerError, type SchedulerErrorCode, type SchedulerOptions } from '@eventmq-ts/scheduler'
export { type JobStore, MemoryStore } from '@eventmq-ts/store'
export {
  type JobModule,
  jobsOf,
  loadJobs,
  type RegisteredJob,
  Worker,
  WorkerError,
  type WorkerErrorCode,
  type WorkerOptions,
} from '@eventmq-ts/worker'
