// What a job's input may be checked by: any schema that follows the Standard Schema convention (zod, valibot, arktype).

import { type InputIssue, JobError } from './error.ts'

/**
 * The part of Standard Schema (version 1) that a job needs. `Input` is what a caller hands in, `Parsed` what the handler
 * gets.
 *
 * Source: https://standardschema.dev
 */
export interface InputSchema<Input, Parsed> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Parsed> | Promise<SchemaResult<Parsed>>
    readonly types?: { readonly input: Input; readonly output: Parsed } | undefined
  }
}

type SchemaResult<Parsed> =
  | { readonly value: Parsed; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The schema of a job that takes no input. */
export const noInput: InputSchema<undefined, undefined> = {
  '~standard': {
    version: 1,
    vendor: 'eventmq-ts',
    validate: (value) =>
      value === undefined ? { value } : { issues: [{ message: 'expected none: the job is defined without an input' }] },
  },
}

/**
 * Runs a schema over a value from outside.
 *
 * @throws JobError `JOB_INPUT` with every issue
 */
export async function parseInput<Parsed>(
  job: string,
  schema: InputSchema<unknown, Parsed>,
  value: unknown,
): Promise<Parsed> {
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return result.value
  const issues: InputIssue[] = result.issues.map((issue) => ({ at: printPath(issue), message: issue.message }))
  const list = issues.map(({ at, message }) => (at === '' ? message : `${at}: ${message}`)).join('; ')
  throw new JobError('JOB_INPUT', job, `the input is not what its schema says: ${list}`, { issues })
}

function printPath({ path = [] }: SchemaIssue): string {
  let text = ''
  for (const step of path) {
    const key = typeof step === 'object' ? step.key : step
    if (typeof key === 'number') text += `[${key}]`
    else text += text === '' ? String(key) : `.${String(key)}`
  }
  return text
}
