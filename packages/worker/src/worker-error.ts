// What can be wrong with a worker's options and modules, and with a REQUEST that it cannot run.

/**
 * | code | meaning | what to do |
 * |---|---|---|
 * | `WORKER_OPTION` | an option is missing, unknown or out of range | correct it as the message says |
 * | `WORKER_STATE` | started after it was stopped | make a new one |
 * | `WORKER_MODULE` | a module cannot be loaded, or holds nothing to run | correct its path, or what it exports |
 * | `WORKER_DUPLICATE_JOB` | two jobs have the same path and callable | rename one |
 * | `WORKER_UNKNOWN_JOB` | a REQUEST names something that this worker was not told to run | load its module, or mend the sender |
 * | `WORKER_ARGUMENTS` | a REQUEST carries arguments that its callable cannot take | correct the sender |
 * | `WORKER_RESULT` | a job's result is neither JSON nor bytes | return something that can be sent |
 */
export type WorkerErrorCode =
  | 'WORKER_OPTION'
  | 'WORKER_STATE'
  | 'WORKER_MODULE'
  | 'WORKER_DUPLICATE_JOB'
  | 'WORKER_UNKNOWN_JOB'
  | 'WORKER_ARGUMENTS'
  | 'WORKER_RESULT'

/** Everything that this package throws or reports, but for what a job itself throws. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError'
  readonly code: WorkerErrorCode

  constructor(code: WorkerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
