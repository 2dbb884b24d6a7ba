// A job's payload: JSON `["run", {path, callable, args, kwargs, class_args, class_kwargs}]`. Bytes in, a typed call out,
// and back.

import { z } from 'zod'
import { EmqpError } from './error.ts'
import { type Parsed, parsed, refused } from './parsed.ts'
import { decodeText, encodeText } from './text.ts'

const values = z.array(z.unknown()).default([])
const named = z.record(z.string(), z.unknown()).default({})

const callOnWire = z.object({
  path: z.string().min(1),
  callable: z.string().min(1),
  args: values,
  kwargs: named,
  class_args: values,
  class_kwargs: named,
})

/** The JSON of a job's payload, as it stands on the wire. */
export const jobCallSchema = z.tuple([z.literal('run'), callOnWire]).transform(([, call]) => ({
  path: call.path,
  callable: call.callable,
  args: call.args,
  kwargs: call.kwargs,
  classArgs: call.class_args,
  classKwargs: call.class_kwargs,
}))

/** What a job runs: `callable` of module `path` (or of a class, `module:Class`) with its arguments. */
export type JobCall = Readonly<z.output<typeof jobCallSchema>>

/**
 * Reads a REQUEST's or SCHEDULE's payload. Absent arguments are empty, as for EventMQ's job manager.
 *
 * @returns the call, or an error with code `EMQP_JOB` that says what is wrong with it
 */
export function parseJobCall(payload: Uint8Array): Parsed<JobCall> {
  const text = decodeText(payload)
  if (text === undefined) return refused(badJob('bytes that are not UTF-8'))
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    return refused(badJob(text, 'JSON', { cause }))
  }
  const call = jobCallSchema.safeParse(json)
  if (call.success) return parsed(call.data)
  const [issue] = call.error.issues
  const where = issue === undefined || issue.path.length === 0 ? '' : ` (at ${issue.path.join('.')}: ${issue.message})`
  return refused(badJob(text, `["run", {"path", "callable", ...}]${where}`, { cause: call.error }))
}

/**
 * Prints a job's payload with the keys in EventMQ's order.
 *
 * @throws EmqpError `EMQP_NOT_EXPRESSIBLE` where an argument is not JSON (a function, a cycle, a bigint)
 * @example
 * printJobCall({ path: 'my_jobs', callable: 'add', args: [2, 3], kwargs: {}, classArgs: [], classKwargs: {} })
 */
export function printJobCall(call: JobCall): Uint8Array {
  const { callable, path, args, kwargs, classArgs, classKwargs } = call
  const body = { callable, path, args, kwargs, class_args: classArgs, class_kwargs: classKwargs }
  try {
    return encodeText(JSON.stringify(['run', body]))
  } catch (cause) {
    const offence = { part: 'payload', found: `${path} ${callable}`, expected: 'arguments that JSON can hold' }
    throw new EmqpError('EMQP_NOT_EXPRESSIBLE', offence, { cause })
  }
}

function badJob(found: string, expected = '["run", {...}] as JSON', options?: ErrorOptions): EmqpError {
  return new EmqpError('EMQP_JOB', { part: 'payload', found, expected }, options)
}
