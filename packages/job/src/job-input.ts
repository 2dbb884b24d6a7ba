// A job's one input on its two edges: a client's value to the arguments that travel, and a call's arguments back to the
// value that the schema checks.

import type { JobCall } from '@eventmq-ts/emqp'
import { JobError } from './error.ts'

/**
 * The positional arguments of a call: the input as JSON gives it back, or none for `undefined`.
 *
 * @throws JobError `JOB_INPUT` where JSON cannot hold the input
 */
export function inputToArguments(job: string, input: unknown): unknown[] {
  if (input === undefined) return []
  let text: string | undefined
  try {
    text = JSON.stringify(input)
  } catch (cause) {
    throw new JobError('JOB_INPUT', job, `the input cannot be sent: JSON cannot hold it (${String(cause)})`, { cause })
  }
  if (text === undefined) throw new JobError('JOB_INPUT', job, `the input cannot be sent: it is a ${typeof input}`)
  return [JSON.parse(text)]
}

/**
 * The input that a call carries: its one positional argument, or else its keyword arguments as one object (what a Python
 * peer writes as `word_count(text='...')`), or nothing.
 *
 * @throws JobError `JOB_CALL` for any other form
 */
export function inputOfCall(job: string, call: JobCall): unknown {
  const named = Object.keys(call.kwargs).length
  if (call.classArgs.length > 0 || Object.keys(call.classKwargs).length > 0) {
    throw new JobError('JOB_CALL', job, 'the call has class arguments; a defined job has no class, send none')
  }
  if (call.args.length > 1 || (call.args.length === 1 && named > 0)) {
    const found = `${call.args.length} positional and ${named} keyword arguments`
    throw new JobError('JOB_CALL', job, `the call has ${found}; send one positional argument or keyword arguments only`)
  }
  return named > 0 ? call.kwargs : call.args[0]
}
