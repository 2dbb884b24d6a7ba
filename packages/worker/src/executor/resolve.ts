// Stage 1: what is to run. A REQUEST's payload comes in; the job and its call go out, or why there is none.

import { type EmqpError, type JobCall, parseJobCall } from '@eventmq-ts/emqp'
import type { JobRegistry } from '../registry/job-registry.ts'
import type { RegisteredJob } from '../registry/registered-job.ts'
import { WorkerError } from '../worker-error.ts'

/** A job and the call that it gets. */
export type Resolved =
  | { readonly ok: true; readonly job: RegisteredJob; readonly call: JobCall }
  | { readonly ok: false; readonly error: EmqpError | WorkerError }

/** Finds the job that a payload calls. */
export function resolve(payload: Uint8Array, registry: JobRegistry): Resolved {
  const call = parseJobCall(payload)
  if (!call.ok) return call
  const job = registry.find(call.value.path, call.value.callable)
  if (job instanceof WorkerError) return { ok: false, error: job }
  return { ok: true, job, call: call.value }
}
