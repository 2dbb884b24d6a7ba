// A job that is known by its module path and callable alone: somebody else's, a Python peer's mostly. No schema checks
// its arguments, and nothing says what it gives.

import { z } from 'zod'
import { JobError } from './error.ts'
import { checkDefaults, checkQueue, type JobDefaults } from './job-options.ts'
import type { JobReference } from './job-reference.ts'

/** What {@link jobAt} takes. */
export interface JobAtOptions extends JobDefaults {
  /** The module, e.g. `my_jobs`, or a class in it, `my_jobs:Greeter`. */
  readonly path: string
  /** The function, or the class's method. */
  readonly callable: string
  /** Default: `default`, as in EventMQ. */
  readonly queue?: string | undefined
}

/** The arguments of such a job; absent ones are empty. */
export interface CallArguments {
  readonly args?: readonly unknown[] | undefined
  readonly kwargs?: Readonly<Record<string, unknown>> | undefined
  /** What the class is made with, where the path names one. */
  readonly classArgs?: readonly unknown[] | undefined
  readonly classKwargs?: Readonly<Record<string, unknown>> | undefined
}

const notEmpty = z.string().regex(/^[^\s]+$/, 'expected text without blanks')
const addressSchema = z.object({ path: notEmpty, callable: notEmpty })
const argumentsSchema = z.strictObject({
  args: z.array(z.unknown()).default([]),
  kwargs: z.record(z.string(), z.unknown()).default({}),
  classArgs: z.array(z.unknown()).default([]),
  classKwargs: z.record(z.string(), z.unknown()).default({}),
})

/**
 * Refers to a job by path and callable.
 *
 * @throws JobError `JOB_OPTIONS`
 * @example
 * const greet = jobAt({ path: 'my_jobs:Greeter', callable: 'greet', queue: 'email' })
 * await client.defer(greet, { args: ['Hi'], classArgs: ['Ada'] })
 */
export function jobAt(options: JobAtOptions): JobReference<CallArguments, unknown> {
  const { path, callable, queue, ...defaults } = options
  const name = `${path}.${callable}`
  const address = addressSchema.safeParse({ path, callable })
  if (!address.success) {
    throw new JobError('JOB_OPTIONS', name, z.prettifyError(address.error), { cause: address.error })
  }
  return Object.freeze({
    name,
    path,
    callable,
    queue: checkQueue(name, queue),
    defaults: checkDefaults(name, defaults),
    async prepareCall(input: CallArguments) {
      const given = argumentsSchema.safeParse(input)
      if (given.success) return { path, callable, ...given.data }
      throw new JobError('JOB_INPUT', name, z.prettifyError(given.error), { cause: given.error })
    },
  })
}
