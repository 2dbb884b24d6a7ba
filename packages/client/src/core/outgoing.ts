// What a client has under way: one value for each message, the states it goes through, and what its shell has to do.

import type {
  Command,
  JobFailure,
  JobResult,
  MessageId,
  MonotonicMs,
  Request,
  Schedule,
  Unschedule,
} from '@eventmq-ts/emqp'

/** A message that a client sends on behalf of its caller. */
export type Message = Request | Schedule | Unschedule

/** What a message brings back. */
export interface Expectation {
  /** An ACK: sent again under the same id until it comes. Otherwise the message counts as accepted once it is sent. */
  readonly acknowledged: boolean
  /** `result`: a REPLY with a job's outcome. `dispatch`: a 0.3 router's word that a worker has the job. */
  readonly answer: 'result' | 'dispatch' | 'none'
}

/** Where one message is. */
export type OutgoingState =
  /** Too many are in flight; this one waits for a place. */
  | { readonly at: 'queued' }
  /** Given to the connection, which has not taken it yet. `sends` counts them. */
  | { readonly at: 'sending'; readonly sends: number }
  /** The connection took it; no ACK so far. */
  | { readonly at: 'sent'; readonly sends: number; readonly resendAt: MonotonicMs }
  /** The broker has it; its answer is still out. */
  | { readonly at: 'accepted' }
  /** Nothing more comes of it. */
  | { readonly at: 'over' }

/** What happens to one message. */
export type OutgoingEvent =
  | { readonly type: 'place' }
  | { readonly type: 'taken' }
  | { readonly type: 'acknowledged' }
  | { readonly type: 'answered'; readonly result: JobResult }
  | { readonly type: 'dispatched' }
  | { readonly type: 'connected' }
  | { readonly type: 'time' }

/** What the shell has to do, in order. */
export type ClientEffect =
  | { readonly type: 'send'; readonly command: Message }
  /** The broker has it (or, where no ACK was asked for, the connection). */
  | { readonly type: 'accepted'; readonly id: MessageId }
  /** The broker does not take it. */
  | { readonly type: 'refused'; readonly id: MessageId; readonly failure: JobFailure }
  /** A job's outcome. */
  | { readonly type: 'answered'; readonly id: MessageId; readonly result: JobResult }
  /** A 0.3 router gave it to a worker; no outcome will follow. */
  | { readonly type: 'dispatched'; readonly id: MessageId }
  /** The broker said something about a message that is not, or no longer, under way. */
  | { readonly type: 'unexpected'; readonly command: Command }

/** The limits and times of a client. */
export interface InFlightSetup {
  /** Messages that may be out without an ACK at a time; more wait for a place. */
  readonly maxInFlight: number
  readonly resendMinMs: number
  readonly resendMaxMs: number
}
