// What a socket type does with its pipes and messages. A socket holds one pattern and knows no more of its type.

import type { Message } from '../engine/message.ts'
import type { Pipe } from '../engine/pipe.ts'

/**
 * What became of a message: taken (or dropped, where the type drops); no peer can take it now; the type's protocol does
 * not allow a send now; or nobody has the routing id it names.
 */
export type SendOutcome = 'sent' | 'full' | 'wrong-state' | 'unreachable'

/** The options that a pattern looks at, live. */
export interface PatternSettings {
  readonly mandatory: boolean
  readonly handover: boolean
  readonly probeRouter: boolean
  readonly correlate: boolean
  readonly relaxed: boolean
  readonly noDrop: boolean
}

/** The optional parts are for types that have something to do then. */
export interface Pattern {
  /** A new pipe; its peer may not be there yet. */
  attached?(pipe: Pipe): void
  /** The pipe's peer completed its handshake, for the first time or again. */
  connected?(pipe: Pipe): void
  /** The pipe's peer is gone for now. */
  disconnected?(pipe: Pipe): void
  /** The pipe is over and empty. */
  detached(pipe: Pipe): void
  /** The pipe's inbound queue is not empty any more. */
  readable(pipe: Pipe): void
  /** The pipe's outbound queue has room again. */
  writable?(pipe: Pipe): void
  send(message: Message): SendOutcome
  /** The next message, if there is one and the type's protocol allows to receive now. */
  receive(): Message | undefined
  /** Whether `send` would take a message now. */
  readonly canSend: boolean
  /** Whether `receive` would give a message now. */
  readonly canReceive: boolean
  /** Whether the type's protocol forbids to receive now, whatever comes. */
  readonly receiveForbidden: boolean
}
