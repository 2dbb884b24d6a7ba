// What a caller may say about one call, and the headers and expectations that follow from it.

import { type HeaderChanges, type MessageHeaders, makeHeaders, type Timing } from '@eventmq-ts/emqp'
import type { JobDefaults } from '@eventmq-ts/job'
import { z } from 'zod'
import type { Expectation, Message } from './core/outgoing.ts'
import { ClientError } from './error.ts'

/** A job's input and the options after it; the input may be left out where the job takes none. */
export type InputArguments<Input, Options> = undefined extends Input
  ? [input?: Input, options?: Options]
  : [input: Input, options?: Options]

/** How a call is handed in. */
export interface SubmitOptions {
  /** The queue; default: the job's. */
  readonly queue?: string | undefined
  /**
   * The message id, which is the job's id. A broker takes a second message under a known id for the first one sent again.
   * Default: a new one.
   */
  readonly id?: string | undefined
  /** How long to wait until it is accepted, in milliseconds. Default: the client's. */
  readonly acceptTimeoutMs?: number | undefined
  /** Ends the wait for acceptance; the job itself is not taken back if the broker has it already. */
  readonly signal?: AbortSignal | undefined
}

/**
 * How to defer a job: the headers of its REQUEST, in the units of their names. A call's own go before the job's, the job's
 * before the client's: `guarantee` and `replyRequested` are on unless one of them says `false`.
 *
 * Without `guarantee` the call resolves as soon as it is sent, and nothing is sent again. Without `replyRequested` there
 * is no result to wait for.
 */
export interface DeferOptions
  extends SubmitOptions,
    JobDefaults,
    Pick<HeaderChanges, 'unique' | 'debounceSeconds' | 'traceparent'> {}

/** How to defer many jobs at once: all alike, each under an id of its own. */
export type DeferManyOptions = Omit<DeferOptions, 'id'>

/** When a schedule's runs are due. */
export type When =
  /** A whole number of seconds from 1 on. */
  | { readonly everySeconds: number; readonly cron?: undefined }
  /** Five fields, or six with seconds first. The scheduler says whether it is one. */
  | { readonly cron: string; readonly everySeconds?: undefined }

/** How to schedule a job: when, and the headers of its SCHEDULE. The scheduler hands the job's own on to each run. */
export type ScheduleOptions = When &
  SubmitOptions &
  Omit<JobDefaults, 'replyRequested' | 'delaySeconds'> &
  Pick<HeaderChanges, 'nohaste' | 'runCount' | 'timeZone' | 'missed' | 'traceparent'>

/**
 * The headers of a REQUEST.
 *
 * @throws ClientError `CLIENT_OPTIONS`; EmqpError `EMQP_HEADER` where a value is out of its header's range
 */
export function requestHeaders(defaults: JobDefaults, options: DeferOptions): MessageHeaders {
  const own = check(deferHeaders, options)
  return makeHeaders({ guarantee: true, replyRequested: true, ...given(defaults), ...own })
}

/**
 * The headers of a SCHEDULE.
 *
 * @throws as {@link requestHeaders}
 */
export function scheduleHeaders(defaults: JobDefaults, options: ScheduleOptions): MessageHeaders {
  const { everySeconds: _every, cron: _cron, ...handedIn } = options
  const own = check(scheduledHeaders, handedIn)
  const { replyRequested: _reply, delaySeconds: _delay, ...scheduled } = defaults
  return makeHeaders({ guarantee: true, ...given(scheduled), ...own })
}

const jobHeaders = ['backoff', 'expiresSeconds', 'guarantee', 'keepSeconds', 'priority', 'retryCount', 'timeoutSeconds']
const deferHeaders = optionsSchema([
  ...jobHeaders,
  'delaySeconds',
  'replyRequested',
  'unique',
  'debounceSeconds',
  'traceparent',
])
const scheduledHeaders = optionsSchema([...jobHeaders, 'nohaste', 'runCount', 'timeZone', 'missed', 'traceparent'])
const submitSchema = optionsSchema([])

/** @throws ClientError `CLIENT_OPTIONS` */
export function checkSubmitOptions(options: SubmitOptions): void {
  check(submitSchema, options)
}

/** Knows which options there are; what a header's value may be is the codec's to say. */
function optionsSchema(headers: readonly string[]) {
  return z.strictObject({
    queue: z.string().optional(),
    id: z.string().optional(),
    acceptTimeoutMs: z.int().min(1).max(2_147_483_647).optional(),
    signal: z.instanceof(AbortSignal).optional(),
    ...Object.fromEntries(headers.map((header) => [header, z.unknown().optional()])),
  })
}

/** The headers among the options, as they were given. */
function check(schema: ReturnType<typeof optionsSchema>, options: SubmitOptions & HeaderChanges): HeaderChanges {
  const read = schema.safeParse(options)
  if (!read.success) throw new ClientError('CLIENT_OPTIONS', z.prettifyError(read.error), { cause: read.error })
  const { queue: _queue, id: _id, acceptTimeoutMs: _timeout, signal: _signal, ...headers } = options
  return given(headers)
}

/** @throws ClientError `CLIENT_OPTIONS` */
export function timingOf({ everySeconds, cron }: When): Timing {
  if (everySeconds !== undefined && cron === undefined) return { kind: 'interval', seconds: everySeconds }
  if (cron !== undefined && everySeconds === undefined) return { kind: 'cron', expression: cron }
  const found = cron === undefined ? 'neither everySeconds nor cron is there' : 'everySeconds and cron are both there'
  throw new ClientError('CLIENT_OPTIONS', `a schedule needs one of two: ${found}`)
}

/** What comes back for a message. */
export function expectationOf({ type, headers }: Message, dialect: 'eMQP' | '0.3'): Expectation {
  if (dialect === '0.3') return { acknowledged: false, answer: type === 'REQUEST' ? 'dispatch' : 'none' }
  return { acknowledged: headers.guarantee, answer: type === 'REQUEST' && headers.replyRequested ? 'result' : 'none' }
}

/** An option that is there as `undefined` is not there. */
function given<T extends object>(options: T): T {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as T
}
