// The headers that mean something, one line each: name on the wire, name in TypeScript, and the zod codec that reads and
// prints the value. The types of the rest of the system are inferred from this table.

import { z } from 'zod'
import { LIMITS } from './limit.ts'

const wholeNumberText = z.string().regex(/^[0-9]+$/)
const decimalText = z.string().regex(/^[0-9]+(\.[0-9]+)?$/)
const largestInt32 = 2_147_483_647

function wholeNumber(minimum: number, maximum: number) {
  return z.codec(wholeNumberText, z.int().min(minimum).max(maximum), { decode: Number, encode: String })
}

const seconds = z.number().min(0).max(LIMITS.seconds)

// Printed to the microsecond, which also keeps exponents out of the text.
const printSeconds = (value: number): string => String(Math.round(value * 1e6) / 1e6)
const fractionalSeconds = z.codec(decimalText, seconds, { decode: Number, encode: printSeconds })

const defaultLongestBackoffSeconds = 3600

const backoff = z.codec(
  z.string().regex(/^[0-9]+(\.[0-9]+)?(:[0-9]+(\.[0-9]+)?)?$/),
  z.object({ baseSeconds: seconds, maxSeconds: seconds }).readonly(),
  {
    decode: (text) => {
      const [base, max] = text.split(':')
      return { baseSeconds: Number(base), maxSeconds: max === undefined ? defaultLongestBackoffSeconds : Number(max) }
    },
    encode: ({ baseSeconds, maxSeconds }) => `${printSeconds(baseSeconds)}:${printSeconds(maxSeconds)}`,
  },
)

const text = z.string().min(1).max(LIMITS.headersBytes)
const secondsExpected = `seconds, fractions allowed, from 0 to ${LIMITS.seconds}`

interface Flag {
  readonly name: string
  readonly value: undefined
  readonly expected: string
}

function flag(name: string): Flag {
  return { name, value: undefined, expected: `"${name}" alone, without a value` }
}

/**
 * The table. `value` reads and prints what stands behind the colon, a flag has none; `expected` completes the sentence of
 * an error. Headers are printed in this order, which is that of EventMQ's client.
 */
const table = {
  replyRequested: flag('reply-requested'),
  guarantee: flag('guarantee'),
  retryCount: {
    name: 'retry-count',
    value: wholeNumber(0, largestInt32),
    expected: `a whole number from 0 to ${largestInt32}`,
  },
  timeoutSeconds: {
    name: 'timeout',
    value: wholeNumber(0, LIMITS.seconds),
    expected: `whole seconds from 0 to ${LIMITS.seconds}`,
  },
  nohaste: flag('nohaste'),
  runCount: {
    name: 'run_count',
    value: wholeNumber(1, largestInt32),
    expected: `a whole number from 1 to ${largestInt32}`,
  },
  delaySeconds: { name: 'delay', value: fractionalSeconds, expected: secondsExpected },
  expiresSeconds: { name: 'expires', value: fractionalSeconds, expected: secondsExpected },
  priority: { name: 'priority', value: wholeNumber(0, 9), expected: 'a whole number from 0 to 9' },
  backoff: { name: 'backoff', value: backoff, expected: 'BASE or BASE:MAX in seconds, fractions allowed' },
  unique: { name: 'unique', value: text, expected: 'a key' },
  debounceSeconds: { name: 'debounce', value: fractionalSeconds, expected: secondsExpected },
  keepSeconds: { name: 'keep', value: fractionalSeconds, expected: secondsExpected },
  progress: flag('progress'),
  traceparent: {
    name: 'traceparent',
    value: z.string().regex(/^[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/),
    expected: 'a W3C trace context: version-traceid-parentid-flags in lower-case hex',
  },
  attempt: {
    name: 'attempt',
    value: wholeNumber(1, largestInt32),
    expected: `a whole number from 1 to ${largestInt32}`,
  },
  timeZone: { name: 'tz', value: z.string().regex(/^[A-Za-z0-9_+\-/]{1,64}$/), expected: 'the name of a time zone' },
  missed: { name: 'missed', value: z.enum(['skip', 'once', 'all']), expected: 'skip, once or all' },
} as const

type Table = typeof table

/**
 * Every header that has a meaning, typed: `false` or `undefined` where it is absent. Names, ranges and meaning:
 *
 * | here | on the wire | meaning |
 * |---|---|---|
 * | `replyRequested` | `reply-requested` | send the job's result back |
 * | `guarantee` | `guarantee` | stored before it is acknowledged, run until it is done or dead |
 * | `nohaste` | `nohaste` | a schedule's first run comes after the first interval |
 * | `progress` | `progress` | send progress to the client |
 * | `retryCount` | `retry-count:#` | run again after a failure, this many times |
 * | `timeoutSeconds` | `timeout:#` | end the job after so many whole seconds; 0 is never |
 * | `runCount` | `run_count:#` | a schedule stops after so many runs, from 1 on |
 * | `delaySeconds` | `delay:#` | not before so many seconds from acceptance |
 * | `expiresSeconds` | `expires:#` | dead if not started within so many seconds |
 * | `priority` | `priority:#` | 0 (default) to 9, higher first within its queue |
 * | `backoff` | `backoff:BASE[:MAX]` | wait before retry n: min(MAX, BASE * 2^(n-1)) seconds |
 * | `unique` | `unique:KEY` | one job a key waits or runs in a queue |
 * | `debounceSeconds` | `debounce:#` | with `unique`: the last one wins, after so many quiet seconds |
 * | `keepSeconds` | `keep:#` | keep the result so many seconds |
 * | `traceparent` | `traceparent:...` | W3C trace context |
 * | `attempt` | `attempt:#` | which run this is |
 * | `timeZone` | `tz:...` | the time zone of a cron expression |
 * | `missed` | `missed:skip\|once\|all` | what to do about runs missed while down |
 */
export type KnownHeaders = {
  readonly [K in keyof Table]: Table[K]['value'] extends z.ZodType ? z.output<Table[K]['value']> | undefined : boolean
}

/** The key of a known header in TypeScript. */
export type KnownHeaderKey = keyof Table

/** How long to wait before a retry. */
export type Backoff = z.output<typeof backoff>

/** What a job without the header `backoff` gets. */
export const DEFAULT_BACKOFF: Backoff = Object.freeze({ baseSeconds: 1, maxSeconds: defaultLongestBackoffSeconds })

/** One line of the table. */
export interface HeaderDefinition {
  readonly key: KnownHeaderKey
  /** On the wire. */
  readonly name: string
  /** Undefined for a flag. */
  readonly value: z.ZodType<unknown, string> | undefined
  readonly expected: string
}

/** The table line by line, in its order. */
export const headerDefinitions: readonly HeaderDefinition[] = (Object.keys(table) as KnownHeaderKey[]).map((key) => ({
  key,
  ...table[key],
}))

/** The table by the name on the wire. */
export const headerByName: ReadonlyMap<string, HeaderDefinition> = new Map(
  headerDefinitions.map((definition) => [definition.name, definition]),
)

/** The values of a message without headers. */
export const absentHeaders = Object.fromEntries(
  headerDefinitions.map(({ key, value }) => [key, value === undefined ? false : undefined]),
) as KnownHeaders
