// The NULL mechanism (ZMTP 3.1, "The NULL Security Mechanism"): each side sends READY, and that is all.

import { type Command, decodeErrorReason, encodeCommand } from '../zmtp/command.ts'
import { decodeMetadata, encodeMetadata, type Property } from '../zmtp/metadata.ts'
import type { SecurityMechanism, SecurityStep } from '../zmtp/security.ts'
import { printable, Violation } from '../zmtp/violation.ts'

export class NullMechanism implements SecurityMechanism {
  readonly name = 'NULL'
  readonly asServer = false

  start(own: readonly Property[]): SecurityStep {
    return { send: [encodeCommand('READY', encodeMetadata(own))] }
  }

  receive(command: Command): SecurityStep | Violation {
    switch (command.name) {
      case 'READY': {
        const peer = decodeMetadata(command.data, 'ERR_ZMTP_MALFORMED_COMMAND_READY')
        return peer instanceof Violation ? peer : { send: [], peer }
      }
      case 'ERROR': {
        const reason = decodeErrorReason(command.data)
        if (reason instanceof Violation) return reason
        return new Violation('ERR_ZMTP_UNSPECIFIED', `the peer refused the connection: ${reason}`)
      }
      default:
        return new Violation(
          'ERR_ZMTP_UNEXPECTED_COMMAND',
          `command ${printable(command.name)} where READY was expected`,
        )
    }
  }
}
