// A peer's breach of ZMTP, as a value: the connection reports it and closes; nothing is thrown across the wire code.

/** What was breached; the names are those that npm `zeromq` puts into `handshake:error:protocol` events. */
export type ViolationCode =
  | 'ERR_ZMTP_UNSPECIFIED'
  | 'ERR_ZMTP_UNEXPECTED_COMMAND'
  | 'ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED'
  | 'ERR_ZMTP_MALFORMED_COMMAND_MESSAGE'
  | 'ERR_ZMTP_MALFORMED_COMMAND_ERROR'
  | 'ERR_ZMTP_MALFORMED_COMMAND_READY'
  | 'ERR_ZMTP_INVALID_METADATA'
  | 'ERR_ZMTP_MECHANISM_MISMATCH'

/** One breach: its code, and a sentence that says what came and what was expected. */
export class Violation {
  readonly code: ViolationCode
  readonly reason: string

  constructor(code: ViolationCode, reason: string) {
    this.code = code
    this.reason = reason
  }
}

/** A peer's text for a reason, which ends in logs: quoted, printable ASCII, at most 40 characters. */
export function printable(text: string): string {
  return JSON.stringify(text.replace(/[^ -~]/g, '?').slice(0, 40))
}
