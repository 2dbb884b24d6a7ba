// A definition's options: what a program wrote comes in, checked values go out or one error that names what is wrong.

import { EmqpError, type HeaderChanges, makeHeaders, type QueueName, queueName } from '@eventmq-ts/emqp'
import { z } from 'zod'
import { JobError } from './error.ts'
import type { InputSchema } from './input-schema.ts'

/** Headers that a definition may set for every call of its job; a call's own options go before them. */
export type JobDefaults = Pick<
  HeaderChanges,
  | 'backoff'
  | 'delaySeconds'
  | 'expiresSeconds'
  | 'guarantee'
  | 'keepSeconds'
  | 'priority'
  | 'replyRequested'
  | 'retryCount'
  | 'timeoutSeconds'
>

/** What `defineJob` takes. */
export interface JobOptions<Input, Parsed> extends JobDefaults {
  /** `path.callable`: at least two identifiers joined by dots, e.g. `reports.wordCount`. */
  readonly name: string
  /** The queue it waits in unless a call says otherwise. Default: `default`, as in EventMQ. */
  readonly queue?: string | undefined
  /** Checks the input, in the client before it is sent and in the worker before it is used. Absent: the job takes none. */
  readonly input?: InputSchema<Input, Parsed> | undefined
}

/** The options of a job, checked. */
export interface CheckedJobOptions {
  readonly name: string
  readonly queue: QueueName
  readonly defaults: JobDefaults
}

const identifier = '[\\p{ID_Start}_$][\\p{ID_Continue}$]*'
const optionsSchema = z.strictObject({
  name: z
    .string()
    .regex(new RegExp(`^${identifier}(\\.${identifier})+$`, 'u'), 'expected "path.callable", e.g. "reports.wordCount"'),
  queue: z.string().default('default'),
  input: z.custom(isSchema, 'expected a Standard Schema, e.g. z.object({...})').optional(),
  backoff: z.unknown().optional(),
  delaySeconds: z.unknown().optional(),
  expiresSeconds: z.unknown().optional(),
  guarantee: z.boolean().optional(),
  keepSeconds: z.unknown().optional(),
  priority: z.unknown().optional(),
  replyRequested: z.boolean().optional(),
  retryCount: z.unknown().optional(),
  timeoutSeconds: z.unknown().optional(),
})

/** @throws JobError `JOB_OPTIONS` */
export function checkOptions(options: JobOptions<unknown, unknown>): CheckedJobOptions {
  const read = optionsSchema.safeParse(options)
  if (!read.success) {
    const named = z.object({ name: z.string() }).safeParse(options)
    throw badOptions(named.success ? named.data.name : 'without a name', z.prettifyError(read.error), read.error)
  }
  const { name, queue, input: _, ...defaults } = options
  return { name, queue: checkQueue(name, queue), defaults: checkDefaults(name, defaults) }
}

/** @throws JobError `JOB_OPTIONS` */
export function checkQueue(job: string, queue: string | undefined): QueueName {
  return asOption(job, () => queueName(queue ?? 'default'))
}

/** @throws JobError `JOB_OPTIONS` where a value does not fit its header */
export function checkDefaults(job: string, defaults: JobDefaults): JobDefaults {
  asOption(job, () => makeHeaders(defaults))
  return Object.freeze(defaults)
}

/** The codec knows what a name or a header may be; its sentence says what is wrong. */
function asOption<T>(job: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof EmqpError) throw badOptions(job, error.message, error)
    throw error
  }
}

function badOptions(job: string, message: string, cause: unknown): JobError {
  return new JobError('JOB_OPTIONS', job, message, { cause })
}

function isSchema(value: unknown): boolean {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value
}
