// What can go wrong between deferring a job and having its result.

import type { JobFailure, MessageId } from '@eventmq-ts/emqp'
import { remedyFor } from './refusal-reason.ts'

/**
 * | code | meaning |
 * |---|---|
 * | `CLIENT_OPTIONS` | an option is missing, unknown or out of range |
 * | `CLIENT_STOPPED` | the client has stopped, or stopped while this waited |
 * | `CLIENT_FULL` | too many calls wait already; await some before the next one |
 * | `CLIENT_DUPLICATE_ID` | a message under this id is on its way |
 * | `CLIENT_NOT_ACCEPTED` | the broker did not acknowledge in time; it may have the message all the same |
 * | `CLIENT_REFUSED` | the broker does not take it ({@link RefusedError}) |
 * | `CLIENT_JOB_FAILED` | the job failed for good ({@link JobFailedError}) |
 * | `CLIENT_NO_RESULT` | there will be no result: none was asked for, or the router passes none on |
 * | `CLIENT_NO_DISPATCH` | the broker does not tell when a worker gets the job |
 * | `CLIENT_WAIT_TIMEOUT` | the answer was not there within the caller's time; it can be waited for again |
 * | `CLIENT_DEFER_MANY` | some of many were not accepted ({@link DeferManyError}) |
 */
export type ClientErrorCode =
  | 'CLIENT_OPTIONS'
  | 'CLIENT_STOPPED'
  | 'CLIENT_FULL'
  | 'CLIENT_DUPLICATE_ID'
  | 'CLIENT_NOT_ACCEPTED'
  | 'CLIENT_REFUSED'
  | 'CLIENT_JOB_FAILED'
  | 'CLIENT_NO_RESULT'
  | 'CLIENT_NO_DISPATCH'
  | 'CLIENT_WAIT_TIMEOUT'
  | 'CLIENT_DEFER_MANY'

/**
 * Everything that this package throws, but for what others know better: `JobError` for input that a job's schema refuses,
 * `EmqpError` for a header out of its range, `DeviceError` for an address that cannot be dialed, and the reason of a
 * signal that was aborted.
 */
export class ClientError extends Error {
  override readonly name: string = 'ClientError'
  readonly code: ClientErrorCode

  constructor(code: ClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The broker does not take a message. The error's message says what to do about it. */
export class RefusedError extends ClientError {
  override readonly name = 'RefusedError'
  readonly id: MessageId
  /** The broker's own word for why, such as `queue-full`, where it gave one. */
  readonly reason: string | undefined
  /** Whether the same call can succeed later. */
  readonly passes: boolean

  constructor(id: MessageId, what: string, failure: JobFailure) {
    const remedy = remedyFor(failure.code)
    const advice = remedy === undefined ? '' : `; ${remedy.advice}`
    super('CLIENT_REFUSED', `the broker refused ${what} (${id}): ${failure.message}${advice}`)
    this.id = id
    this.reason = failure.code
    this.passes = remedy?.passes ?? false
  }
}

/** A job failed, and is not run again. */
export class JobFailedError extends ClientError {
  override readonly name = 'JobFailedError'
  readonly id: MessageId
  /** The error as the worker reported it: `name`, `message`, `stack` on the worker's side, `code`. */
  readonly failure: JobFailure
  /** How many times it was run. */
  readonly attempts: number | undefined

  constructor(id: MessageId, what: string, failure: JobFailure) {
    const { name, message, attempts } = failure
    const runs = attempts === undefined ? '' : ` after ${attempts === 1 ? 'one run' : `${attempts} runs`}`
    super('CLIENT_JOB_FAILED', `${what} (${id}) failed${runs}: ${name}: ${message}`)
    this.id = id
    this.failure = failure
    this.attempts = attempts
  }
}

/** Some of the jobs of one `deferMany` were not accepted; the others are under way. */
export class DeferManyError<Handle> extends ClientError {
  override readonly name = 'DeferManyError'
  /** By the input's index. */
  readonly accepted: ReadonlyMap<number, Handle>
  /** By the input's index. */
  readonly failures: ReadonlyMap<number, unknown>

  constructor(what: string, accepted: ReadonlyMap<number, Handle>, failures: ReadonlyMap<number, unknown>) {
    const [[index, first] = []] = failures
    const message = `${failures.size} calls of ${what} were not accepted, ${accepted.size} were; number ${index}: ${String(first)}`
    super('CLIENT_DEFER_MANY', message, { cause: first })
    this.accepted = accepted
    this.failures = failures
  }
}
