// A job's definition: one value that a client reads to call the job and a worker reads to run it.
//
// On the wire a job is a module path and a callable: everything up to the last dot of its name, and what follows it.
// Its input is the only argument. So `reports.wordCount` is what a Python peer calls as module `reports`, callable
// `wordCount`, with one positional argument (or with keyword arguments, which then are the input's properties).

import type { JobCall } from '@eventmq-ts/emqp'
import type { JobContext } from './context.ts'
import { type InputSchema, noInput, parseInput } from './input-schema.ts'
import { inputOfCall, inputToArguments } from './job-input.ts'
import { checkOptions, type JobOptions } from './job-options.ts'
import type { JobReference } from './job-reference.ts'

/**
 * A job as client and worker see it. `Input` is what a call hands in, `Output` what a run gives.
 *
 * Made by {@link defineJob} alone. Its path is its name up to the last dot, its callable what follows.
 */
export interface Job<Input, Output> extends JobReference<Input, Output> {
  /**
   * One run, for workers: reads the input from a call, checks it, and hands it to the handler.
   *
   * @throws JobError `JOB_CALL` or `JOB_INPUT`, or whatever the handler throws
   */
  perform(call: JobCall, context: JobContext): Promise<Output>
}

/** Any job, where its types do not matter: in a registry. */
export type AnyJob = Job<unknown, unknown>

const mark = Symbol.for('@eventmq-ts/job')

/**
 * Defines a job.
 *
 * @param options its name, queue, input schema and the headers that every call of it gets
 * @param handler what a run does; its result must be JSON, bytes, or nothing (which a client sees as `true`)
 * @throws JobError `JOB_OPTIONS`, at once, where an option is missing, unknown or out of range
 * @example
 * export const wordCount = defineJob(
 *   { name: 'reports.wordCount', queue: 'reports', input: z.object({ text: z.string() }), retryCount: 3 },
 *   ({ text }) => ({ words: text.split(/\s+/).length }),
 * )
 */
export function defineJob<Output, Input = undefined, Parsed = undefined>(
  options: JobOptions<Input, Parsed>,
  handler: (input: Parsed, context: JobContext) => Output | Promise<Output>,
): Job<Input, Output> {
  const { name, queue, defaults } = checkOptions(options)
  // Without a schema nothing gives `Parsed` another type than `undefined`, which is what `noInput` makes.
  const schema = (options.input ?? noInput) as InputSchema<Input, Parsed>
  const dot = name.lastIndexOf('.')
  const path = name.slice(0, dot)
  const callable = name.slice(dot + 1)
  return Object.freeze({
    [mark]: true,
    name,
    path,
    callable,
    queue,
    defaults,
    async prepareCall(input: Input): Promise<JobCall> {
      const args = inputToArguments(name, input)
      await parseInput(name, schema, args[0])
      return { path, callable, args, kwargs: {}, classArgs: [], classKwargs: {} }
    },
    async perform(call: JobCall, context: JobContext): Promise<Output> {
      return handler(await parseInput(name, schema, inputOfCall(name, call)), context)
    },
  })
}

/** Whether a value, such as a module's export, is a job; also one made by another copy of this package. */
export function isJob(value: unknown): value is AnyJob {
  return typeof value === 'object' && value !== null && mark in value
}
