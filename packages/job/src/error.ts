// What is wrong with a job's definition or with the input it is given.

/**
 * | code | meaning |
 * |---|---|
 * | `JOB_OPTIONS` | a definition's option is missing, unknown or out of range |
 * | `JOB_INPUT` | the input is not what the job's schema says, or JSON cannot hold it |
 * | `JOB_CALL` | a call carries its arguments in a form that a job with one input cannot take |
 */
export type JobErrorCode = 'JOB_OPTIONS' | 'JOB_INPUT' | 'JOB_CALL'

/** One thing wrong with an input: where (`pages[2].url`, empty for the whole) and what. */
export interface InputIssue {
  readonly at: string
  readonly message: string
}

/** Everything that this package throws. */
export class JobError extends Error {
  override readonly name = 'JobError'
  readonly code: JobErrorCode
  /** The job's name, as far as it is known. */
  readonly job: string
  /** For `JOB_INPUT`: each thing that the schema found. */
  readonly issues: readonly InputIssue[]

  constructor(code: JobErrorCode, job: string, message: string, options?: ErrorOptions & { issues?: InputIssue[] }) {
    super(`job ${job}: ${message}`, options)
    this.code = code
    this.job = job
    this.issues = options?.issues ?? []
  }
}
