// What can be wrong with a scheduler's options or with a schedule it is given.

/**
 * | code | meaning | what to do |
 * |---|---|---|
 * | `SCHEDULER_OPTION` | an option is missing, unknown or out of range | correct it as the message says |
 * | `SCHEDULER_STATE` | started after it was stopped | make a new one |
 * | `SCHEDULER_CRON` | a SCHEDULE by cron expression, which is not served yet | send an interval |
 * | `SCHEDULER_PAYLOAD` | a SCHEDULE or UNSCHEDULE whose payload is no job | correct the sender |
 * | `SCHEDULER_STORE` | the store could not keep a schedule; it is not accepted | mend the store, send it again |
 */
export type SchedulerErrorCode =
  | 'SCHEDULER_OPTION'
  | 'SCHEDULER_STATE'
  | 'SCHEDULER_CRON'
  | 'SCHEDULER_PAYLOAD'
  | 'SCHEDULER_STORE'

/** Everything that this package throws, and what it tells a client whose schedule it refuses. */
export class SchedulerError extends Error {
  override readonly name = 'SchedulerError'
  readonly code: SchedulerErrorCode

  constructor(code: SchedulerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
