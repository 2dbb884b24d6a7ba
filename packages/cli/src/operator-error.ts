// What the operator can put right: ends the process with one readable line and an exit code.

import type { ExitCode } from './exit-code.ts'

export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
