// INFORM's queues frame. 0.3: a JSON list of [weight, "name"], empty for the broker's default queues. 2016: names
// separated by commas, weight 10 each. Whatever is neither is an error and never guessed at: a worker that listens to the
// wrong queue would do so in silence.

import { z } from 'zod'
import type { Dialect, WeightedQueue } from './command.ts'
import { EmqpError } from './error.ts'
import type { QueueName } from './identifier.ts'
import { LIMITS } from './limit.ts'
import { type Parsed, parsed, refused } from './parsed.ts'
import { pythonJsonString } from './python-notation.ts'
import { utf8Length } from './text.ts'

const dialect2016Weight = 10

const name = z
  .string()
  .min(1)
  .refine((text) => text.isWellFormed() && utf8Length(text) <= LIMITS.queueNameBytes, {
    error: `a queue name has at most ${LIMITS.queueNameBytes} bytes of UTF-8 (queueNameBytes)`,
  })
  .transform((text) => text as QueueName)

const weightedQueue = z.tuple([z.int32().min(0), name]).transform(([weight, name]) => ({ weight, name }))

const weightedQueues = z
  .array(weightedQueue)
  .min(1, { error: 'a list without queues serves none' })
  .max(LIMITS.informQueues, { error: `at most ${LIMITS.informQueues} queues (informQueues)` })
  .refine(namesDiffer, { error: 'a queue stands in the list twice' })

const namedQueues = z
  .string()
  .transform((text) => text.split(',').map((part) => [dialect2016Weight, part.trim()]))
  .pipe(weightedQueues)

/** The queues and the dialect that they are written in. */
export interface InformQueues {
  readonly queues: readonly WeightedQueue[]
  readonly dialect: Dialect
}

/** Reads the frame's text; an error has the code `EMQP_QUEUES`. */
export function parseInformQueues(text: string): Parsed<InformQueues> {
  if (text === '') return parsed({ queues: [], dialect: '0.3' })
  const json = readJson(text)
  // A list of names is no JSON, and what looks like JSON was meant to be: a broken list must not become odd names.
  const is2016 = json === undefined && !/^\s*[[{"]/.test(text)
  const result = is2016 ? namedQueues.safeParse(text) : weightedQueues.safeParse(json)
  if (result.success) return parsed({ queues: result.data, dialect: is2016 ? '2016' : '0.3' })
  return refused(badQueues(text, result.error.issues[0], result.error))
}

/**
 * Prints the frame's text.
 *
 * @throws EmqpError `EMQP_NOT_EXPRESSIBLE` where the text would not be read as what was printed
 */
export function printInformQueues(queues: readonly WeightedQueue[], dialect: Dialect): string {
  if (queues.length === 0) return ''
  const text =
    dialect === '2016'
      ? queues.map(({ name }) => name).join(',')
      : `[${queues.map(({ weight, name }) => `[${weight}, ${pythonJsonString(name)}]`).join(', ')}]`
  const back = parseInformQueues(text)
  if (back.ok && back.value.dialect === dialect && sameQueues(back.value.queues, queues)) return text
  const expected =
    dialect === '2016'
      ? 'different names without commas, each of weight 10: the 2016 dialect has no weights'
      : 'different names, each with a whole weight from 0 to 2147483647'
  throw new EmqpError('EMQP_NOT_EXPRESSIBLE', { part: 'queues', found: text, expected })
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the caller decides what else it may be.
    return undefined
  }
}

function namesDiffer(queues: readonly { name: string }[]): boolean {
  return new Set(queues.map(({ name }) => name)).size === queues.length
}

function sameQueues(left: readonly WeightedQueue[], right: readonly WeightedQueue[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ weight, name }, i) => weight === right[i]?.weight && name === right[i]?.name)
  )
}

function badQueues(text: string, issue: z.core.$ZodIssue | undefined, cause: unknown): EmqpError {
  const detail = issue === undefined ? '' : ` (${[...issue.path, issue.message].join(': ')})`
  const expected = `a JSON list of [weight, "name"], names separated by commas, or nothing for the default queues${detail}`
  return new EmqpError('EMQP_QUEUES', { part: 'queues', found: text, expected }, { cause })
}
