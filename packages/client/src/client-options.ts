// A client's options: what a program or a configuration gave comes in, checked values with every default go out.

import { type Clock, type Log, silentLog, systemClock } from '@eventmq-ts/emqp'
import { z } from 'zod'
import { ClientError } from './error.ts'

const longestMs = 2_147_483_647
const milliseconds = z.int().min(1).max(longestMs)

const optionsSchema = z.strictObject({
  broker: z.string(),
  routingId: z.string().optional(),
  dialect: z.enum(['eMQP', '0.3']).default('eMQP'),
  maxInFlight: z.int().min(1).max(100_000).default(1_000),
  maxQueued: z.int().min(1).max(1_000_000).default(10_000),
  resendMinMs: milliseconds.default(1_000),
  resendMaxMs: milliseconds.default(30_000),
  acceptTimeoutMs: milliseconds.default(60_000),
  log: z.custom<Log>().default(silentLog),
  clock: z.custom<Clock>().default(systemClock),
  newId: z.custom<() => string>().default(() => () => crypto.randomUUID()),
})

/** What {@link Client} takes. */
export interface ClientOptions {
  /** The broker's endpoint for clients, e.g. `tcp://127.0.0.1:47291`. */
  readonly broker: string
  /**
   * The name under which the broker knows this client. With a lasting one, results of jobs that were deferred before a
   * restart can still arrive. Default: a random uuid.
   */
  readonly routingId?: string | undefined
  /**
   * `0.3` for a router of EventMQ 0.3: it acknowledges nothing and passes no results on, and it would run a job twice
   * that was sent twice. So nothing is sent again, `defer` resolves once a job is sent, and `dispatched` tells when a
   * worker got it, if one had a free slot at once. Default: `eMQP`, a broker that acknowledges.
   */
  readonly dialect?: 'eMQP' | '0.3' | undefined
  /** Messages that may be out without an ACK at a time, 1 to 100,000; further calls wait. Default 1,000. */
  readonly maxInFlight?: number | undefined
  /** Calls that may wait for that, 1 to 1,000,000; further ones are refused. Default 10,000. */
  readonly maxQueued?: number | undefined
  /** Milliseconds to wait for an ACK before the same message is sent again; doubles each time. Default 1,000. */
  readonly resendMinMs?: number | undefined
  /** The longest wait before a resend, in milliseconds. Default 30,000. */
  readonly resendMaxMs?: number | undefined
  /** How long a call waits to be accepted, in milliseconds, unless it says otherwise. Default 60,000. */
  readonly acceptTimeoutMs?: number | undefined
  readonly log?: Log | undefined
  readonly clock?: Clock | undefined
  /** Where message ids come from; they must never repeat. Default: random uuids. */
  readonly newId?: (() => string) | undefined
}

export type CompleteClientOptions = z.output<typeof optionsSchema>

/** @throws ClientError `CLIENT_OPTIONS` */
export function completeOptions(options: ClientOptions): CompleteClientOptions {
  const read = optionsSchema.safeParse(options)
  if (!read.success) throw new ClientError('CLIENT_OPTIONS', z.prettifyError(read.error), { cause: read.error })
  if (read.data.resendMaxMs >= read.data.resendMinMs) return read.data
  throw new ClientError('CLIENT_OPTIONS', 'resendMaxMs is less than resendMinMs; expected it to be at least that')
}
