// The moves of one message as a table: its state and an event to its next state and the effects. An event that a state's
// row does not name changes nothing.

import type { JobResult, MessageId, MonotonicMs, Now } from '@eventmq-ts/emqp'
import type { ClientEffect, Expectation, InFlightSetup, Message, OutgoingEvent, OutgoingState } from './outgoing.ts'

/** What a move of one message depends on besides its state. */
export interface OutgoingContext {
  readonly message: Message
  readonly expects: Expectation
  readonly now: Now
  readonly setup: InFlightSetup
}

/** Where a move leads. */
export interface OutgoingMove {
  readonly state: OutgoingState
  readonly effects: readonly ClientEffect[]
}

type StateName = OutgoingState['at']
type EventName = OutgoingEvent['type']
type Cell<S extends StateName, E extends EventName> = (
  state: Extract<OutgoingState, { readonly at: S }>,
  event: Extract<OutgoingEvent, { readonly type: E }>,
  context: OutgoingContext,
) => OutgoingMove | undefined
type Table = { readonly [S in StateName]: { readonly [E in EventName]?: Cell<S, E> } }

const table: Table = {
  queued: {
    place: (_state, _event, context) => send(1, context),
  },
  sending: {
    taken: (state, _event, context) => {
      if (!context.expects.acknowledged) return accept(context)
      return { state: { at: 'sent', sends: state.sends, resendAt: resendAt(state.sends, context) }, effects: [] }
    },
    // A resend can wait for the connection when the ACK of the send before arrives.
    acknowledged: (_state, _event, context) => accept(context),
    answered: (_state, { result }, context) => answerUnaccepted(result, context),
    dispatched: (_state, _event, context) => dispatchUnaccepted(context),
  },
  sent: {
    acknowledged: (_state, _event, context) => accept(context),
    answered: (_state, { result }, context) => answerUnaccepted(result, context),
    dispatched: (_state, _event, context) => dispatchUnaccepted(context),
    // What was on the way when the connection was lost may not have arrived.
    connected: (state, _event, context) => send(state.sends + 1, context),
    time: (state, _event, context) => {
      return context.now.monotonicMs < state.resendAt ? undefined : send(state.sends + 1, context)
    },
  },
  accepted: {
    answered: (_state, { result }, { message, expects }) => {
      // What the broker has acknowledged it cannot refuse any more; what was only sent it can.
      if (!expects.acknowledged && isRefusal(result)) return over(refusal(result, message.id))
      return over({ type: 'answered', id: message.id, result })
    },
    dispatched: (_state, _event, { message }) => over({ type: 'dispatched', id: message.id }),
  },
  over: {},
}

/** Moves one message: the only way in which its state changes. */
export function moveOutgoing(
  state: OutgoingState,
  event: OutgoingEvent,
  context: OutgoingContext,
): OutgoingMove | undefined {
  // The table's type pairs each cell with its state and event; indexing by both unions loses that pairing.
  const cell = table[state.at][event.type] as Cell<StateName, EventName> | undefined
  return cell?.(state, event, context)
}

function send(sends: number, { message }: OutgoingContext): OutgoingMove {
  return { state: { at: 'sending', sends }, effects: [{ type: 'send', command: message }] }
}

function accept({ message, expects }: OutgoingContext): OutgoingMove {
  const state: OutgoingState = expects.answer === 'none' ? { at: 'over' } : { at: 'accepted' }
  return { state, effects: [{ type: 'accepted', id: message.id }] }
}

/** An answer before the ACK: the broker refused, or the ACK was lost on the way. */
function answerUnaccepted(result: JobResult, { message: { id }, expects }: OutgoingContext): OutgoingMove {
  if (isRefusal(result)) return over(refusal(result, id))
  const accepted: ClientEffect = { type: 'accepted', id }
  return expects.answer === 'none' ? over(accepted) : over(accepted, { type: 'answered', id, result })
}

/** A 0.3 router acknowledges nothing; that it gave the job to a worker is the first and last word about it. */
function dispatchUnaccepted({ message: { id } }: OutgoingContext): OutgoingMove {
  return over({ type: 'accepted', id }, { type: 'dispatched', id })
}

type ErrorResult = Extract<JobResult, { kind: 'error' }>

/** A job that failed was run; an error without a number of attempts comes from a broker that did not take it. */
function isRefusal(result: JobResult): result is ErrorResult {
  return result.kind === 'error' && result.error.attempts === undefined
}

function refusal({ error }: ErrorResult, id: MessageId): ClientEffect {
  return { type: 'refused', id, failure: error }
}

function over(...effects: ClientEffect[]): OutgoingMove {
  return { state: { at: 'over' }, effects }
}

function resendAt(sends: number, { now, setup }: OutgoingContext): MonotonicMs {
  // The exponent is bounded, so that no number of sends makes the wait overflow.
  const waitMs = Math.min(setup.resendMaxMs, setup.resendMinMs * 2 ** Math.min(sends - 1, 30))
  return (now.monotonicMs + waitMs) as MonotonicMs
}
