// What the connection needs of a security mechanism. The mechanisms themselves are in ../mechanism.

import type { Command } from './command.ts'
import type { Property } from './metadata.ts'
import type { Violation } from './violation.ts'

/** What a mechanism wants after a command: bodies to send, and the peer's metadata once the handshake is done. */
export interface SecurityStep {
  readonly send: readonly Uint8Array[]
  readonly peer?: readonly Property[]
}

/** One handshake on one connection. */
export interface SecurityMechanism {
  /** The name in the greeting; both peers must state the same. */
  readonly name: string
  /** Whether this side takes the server's part. */
  readonly asServer: boolean
  /** Called once the greetings agree, with the properties that this side states in the handshake. */
  start(own: readonly Property[]): SecurityStep
  /** A command of the peer during the handshake. */
  receive(command: Command): SecurityStep | Violation
}
