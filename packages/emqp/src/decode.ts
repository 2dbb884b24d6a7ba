// Frames to a typed command.

import type { Command, Dialect } from './command.ts'
import type { EmqpError } from './error.ts'

/** Who received the frames; what five frames of REPLY mean depends on it. */
export interface DecodeContext {
  /**
   * `broker`: a broker's clients' or workers' endpoint, or a publisher. `peer`: a client, worker or scheduler, from a
   * broker. `administrator`: from a broker's administration endpoint.
   */
  readonly receiver: 'broker' | 'peer' | 'administrator'
  /** The sender's dialect, where it is known; only a `peer` needs it, for REPLY. Default `0.3`. */
  readonly dialect?: Dialect
}

/** A command and the layout it came in, or what was wrong. */
export type Decoded =
  | { readonly ok: true; readonly command: Command; readonly dialect: Dialect }
  | { readonly ok: false; readonly error: EmqpError }

/** Reads one message, from its empty delimiter on. Never throws. */
export function decode(_frames: readonly Uint8Array[], _context: DecodeContext): Decoded {
  throw new Error('decode is being written')
}
