// What a worker is made of, and the check of a program's values.

import type { DeviceOptions } from '@eventmq-ts/device'
import { EmqpError, queueName, type WeightedQueue } from '@eventmq-ts/emqp'
import { z } from 'zod'
import type { Isolate } from './isolate/isolate.ts'
import type { RegisteredJob } from './registry/registered-job.ts'
import { WorkerError } from './worker-error.ts'

/** What a worker hands on to its device. */
type ConnectionOptions = Pick<
  DeviceOptions,
  'routingId' | 'heartbeatIntervalMs' | 'silenceLimitMs' | 'log' | 'clock' | 'newId'
>

/** What {@link Worker} takes. */
export interface WorkerOptions extends ConnectionOptions {
  /** The broker's endpoint for workers, e.g. `tcp://127.0.0.1:47290`. */
  readonly broker: string
  /** `0.3` for a router of EventMQ 0.3, which hands no routing id over: each dial gets a new one. Default `eMQP`. */
  readonly dialect?: 'eMQP' | '0.3' | undefined
  /** Everything it may run; see `loadJobs` and `jobsOf`. */
  readonly jobs: readonly RegisteredJob[]
  /** The queues it serves, higher weight (0 to 2147483647) first. Default: none named, which is the broker's default. */
  readonly queues?: readonly { readonly weight: number; readonly name: string }[] | undefined
  /** Jobs at once, 1 to 10,000. Default 4, as in EventMQ. */
  readonly concurrency?: number | undefined
  /** How long `stop` lets running jobs finish, in milliseconds, 0 to a day. Default 30,000. */
  readonly killGraceMs?: number | undefined
  /** Where jobs run. Default: an `InlineIsolate`, on this event loop. */
  readonly isolate?: Isolate | undefined
}

/** What the worker itself goes by. */
export interface WorkerSettings {
  readonly broker: string
  readonly dialect: 'eMQP' | '0.3'
  readonly queues: readonly WeightedQueue[]
  readonly concurrency: number
  readonly killGraceMs: number
}

const dayMs = 86_400_000

const settingsSchema = z.object({
  broker: z.string(),
  dialect: z.enum(['eMQP', '0.3']).default('eMQP'),
  queues: z.array(z.object({ weight: z.int32().min(0), name: z.string() })).default([]),
  concurrency: z.int().min(1).max(10_000).default(4),
  killGraceMs: z.int().min(0).max(dayMs).default(30_000),
})

/** @throws WorkerError `WORKER_OPTION` */
export function checkSettings(options: WorkerOptions): WorkerSettings {
  const read = settingsSchema.safeParse(options)
  if (!read.success) throw badOption(z.prettifyError(read.error), read.error)
  try {
    const queues = read.data.queues.map(({ weight, name }) => ({ weight, name: queueName(name) }))
    return { ...read.data, queues }
  } catch (error) {
    if (!(error instanceof EmqpError)) throw error
    throw badOption(error.message, error)
  }
}

function badOption(message: string, cause: Error): WorkerError {
  return new WorkerError('WORKER_OPTION', `the worker's options: ${message}`, { cause })
}
