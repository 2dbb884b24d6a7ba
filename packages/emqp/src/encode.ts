// A typed command to frames.

import type { Command, Dialect } from './command.ts'

/** The frames of one message, from its empty delimiter on. */
export function encode(_command: Command, _dialect: Dialect = '0.3'): Uint8Array[] {
  throw new Error('encode is being written')
}
