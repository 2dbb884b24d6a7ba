// What a scheduler is made of: a program's values come in, checked ones with every default filled in go out.

import { type Clock, type Log, silentLog, systemClock } from '@eventmq-ts/emqp'
import { z } from 'zod'
import { SchedulerError } from './scheduler-error.ts'
import { MemoryScheduleStore } from './store/memory-schedule-store.ts'
import type { ScheduleStore } from './store/schedule-store.ts'
import { type SetWakeUp, setWakeUp } from './wake-up.ts'

const hourMs = 3_600_000

const optionsSchema = z.strictObject({
  broker: z.string(),
  dialect: z.enum(['eMQP', '0.3']).default('eMQP'),
  routingId: z.string().optional(),
  onTimeMs: z.int().min(0).max(hourMs).default(15_000),
  resendAfterMs: z.int().min(10).max(hourMs).default(5_000),
  maxUnacknowledged: z.int().min(1).max(100_000).default(10_000),
  heartbeatIntervalMs: z.int().optional(),
  silenceLimitMs: z.int().optional(),
  store: z.custom<ScheduleStore>().default(() => new MemoryScheduleStore()),
  log: z.custom<Log>().default(silentLog),
  clock: z.custom<Clock>().default(systemClock),
  setWakeUp: z.custom<SetWakeUp>().default(() => setWakeUp),
  newId: z.custom<() => string>().default(() => () => crypto.randomUUID()),
})

/** What {@link Scheduler} takes. */
export interface SchedulerOptions {
  /** The broker's endpoint for clients and schedulers, e.g. `tcp://127.0.0.1:47291`. */
  readonly broker: string
  /** `0.3` for a router of EventMQ 0.3, which acknowledges no REQUEST: nothing is sent again. Default `eMQP`. */
  readonly dialect?: 'eMQP' | '0.3' | undefined
  /** The scheduler's name at the broker. Default: a random uuid. */
  readonly routingId?: string | undefined
  /** Up to this late, in milliseconds, a run counts as on time where a schedule says `missed:skip`. Default 15,000. */
  readonly onTimeMs?: number | undefined
  /** How long to wait for the ACK of a guaranteed REQUEST before it is sent again, in milliseconds. Default 5,000. */
  readonly resendAfterMs?: number | undefined
  /** Guaranteed REQUESTs that may wait for their ACK; beyond it nothing fires until some have come. 1 to 100,000, default 10,000. */
  readonly maxUnacknowledged?: number | undefined
  /** Milliseconds between HEARTBEATs. Default 3,000. */
  readonly heartbeatIntervalMs?: number | undefined
  /** After so many milliseconds without a word the broker is taken for lost. Default 15,000. */
  readonly silenceLimitMs?: number | undefined
  /** Where schedules are kept. Default: in memory, for as long as the process lives. */
  readonly store?: ScheduleStore | undefined
  readonly log?: Log | undefined
  readonly clock?: Clock | undefined
  /** The scheduler's one timer; a test hands in its own. */
  readonly setWakeUp?: SetWakeUp | undefined
  /** Where the ids of messages other than REQUESTs come from. Default: random uuids. */
  readonly newId?: (() => string) | undefined
}

export type CompleteSchedulerOptions = Readonly<z.output<typeof optionsSchema>>

/** @throws SchedulerError `SCHEDULER_OPTION` */
export function completeOptions(options: SchedulerOptions): CompleteSchedulerOptions {
  const read = optionsSchema.safeParse(options)
  if (read.success) return read.data
  const message = `the scheduler's options: ${z.prettifyError(read.error)}`
  throw new SchedulerError('SCHEDULER_OPTION', message, { cause: read.error })
}
