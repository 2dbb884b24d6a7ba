// All messages that a client has under way. Calls, the broker's commands and time come in; effects for the shell come out.
// No I/O, no clock.

import { type Command, type MessageId, type MonotonicMs, type Now, parseJobResult } from '@eventmq-ts/emqp'
import type { ClientEffect, Expectation, InFlightSetup, Message, OutgoingEvent, OutgoingState } from './outgoing.ts'
import { moveOutgoing } from './outgoing-transition.ts'

interface Outgoing {
  readonly message: Message
  readonly expects: Expectation
  state: OutgoingState
}

export class InFlight {
  readonly #setup: InFlightSetup
  readonly #all = new Map<MessageId, Outgoing>()
  /** Those in `sending` or `sent`, whose number is limited. */
  readonly #out = new Set<Outgoing>()
  /** Those in `queued`, oldest first. */
  readonly #queued = new Set<Outgoing>()
  #isConnected = false

  constructor(setup: InFlightSetup) {
    this.#setup = setup
  }

  /** How many are out without an ACK, or wait for a place among those. */
  get unaccepted(): number {
    return this.#out.size + this.#queued.size
  }

  has(id: MessageId): boolean {
    return this.#all.has(id)
  }

  /** A new message; its id must not be under way. */
  submit(message: Message, expects: Expectation, now: Now): ClientEffect[] {
    const outgoing: Outgoing = { message, expects, state: { at: 'queued' } }
    this.#all.set(message.id, outgoing)
    this.#queued.add(outgoing)
    return this.#fill(now)
  }

  /** The connection took it. */
  taken(id: MessageId, now: Now): ClientEffect[] {
    return this.#moveOne(id, { type: 'taken' }, now) ?? []
  }

  /** A command from the broker. */
  received(command: Command, now: Now): ClientEffect[] {
    return this.#read(command, now) ?? [{ type: 'unexpected', command }]
  }

  /** The connection stands, for the first time or again: whatever was sent without an ACK is sent again. */
  connected(now: Now): ClientEffect[] {
    this.#isConnected = true
    return [...this.#moveOut({ type: 'connected' }, now), ...this.#fill(now)]
  }

  /** The connection is gone: nothing more is sent before it is back. */
  lost(): void {
    this.#isConnected = false
  }

  /** A resend may be due. */
  time(now: Now): ClientEffect[] {
    return this.#isConnected ? this.#moveOut({ type: 'time' }, now) : []
  }

  /** When the next resend is due. Looks at every message that is out: ask once a timer, not once an event. */
  nextDeadline(): MonotonicMs | undefined {
    if (!this.#isConnected) return undefined
    let next: MonotonicMs | undefined
    for (const { state } of this.#out) {
      if (state.at === 'sent' && (next === undefined || state.resendAt < next)) next = state.resendAt
    }
    return next
  }

  /** Nobody waits for it any more: no resend, and what comes of it is nobody's. */
  forget(id: MessageId, now: Now): ClientEffect[] {
    const outgoing = this.#all.get(id)
    if (outgoing === undefined) return []
    this.#place(outgoing, { at: 'over' })
    return this.#fill(now)
  }

  #read(command: Command, now: Now): ClientEffect[] | undefined {
    if (command.type === 'ACK') return this.#moveOne(command.acknowledges, { type: 'acknowledged' }, now)
    if (command.type !== 'REPLY') return undefined
    if (command.kind === 'dispatched') return this.#moveOne(command.request, { type: 'dispatched' }, now)
    // Only the payload of a message that is under way is worth parsing.
    if (command.kind !== 'result' || !this.#all.has(command.request)) return undefined
    return this.#moveOne(command.request, { type: 'answered', result: parseJobResult(command.payload) }, now)
  }

  /** Undefined where the id names nothing that is under way. */
  #moveOne(id: MessageId, event: OutgoingEvent, now: Now): ClientEffect[] | undefined {
    const outgoing = this.#all.get(id)
    if (outgoing === undefined) return undefined
    return [...this.#move(outgoing, event, now), ...this.#fill(now)]
  }

  #moveOut(event: OutgoingEvent, now: Now): ClientEffect[] {
    const effects: ClientEffect[] = []
    for (const outgoing of [...this.#out]) effects.push(...this.#move(outgoing, event, now))
    return effects
  }

  #move(outgoing: Outgoing, event: OutgoingEvent, now: Now): readonly ClientEffect[] {
    const { message, expects } = outgoing
    const move = moveOutgoing(outgoing.state, event, { message, expects, now, setup: this.#setup })
    if (move === undefined) return []
    this.#place(outgoing, move.state)
    return move.effects
  }

  /** Files a message under its new state. */
  #place(outgoing: Outgoing, state: OutgoingState): void {
    outgoing.state = state
    this.#queued.delete(outgoing)
    if (state.at === 'sending' || state.at === 'sent') this.#out.add(outgoing)
    else this.#out.delete(outgoing)
    if (state.at === 'over') this.#all.delete(outgoing.message.id)
  }

  /** Gives free places to those that wait longest. */
  #fill(now: Now): ClientEffect[] {
    const effects: ClientEffect[] = []
    if (!this.#isConnected) return effects
    for (const outgoing of this.#queued) {
      if (this.#out.size >= this.#setup.maxInFlight) break
      effects.push(...this.#move(outgoing, { type: 'place' }, now))
    }
    return effects
  }
}
