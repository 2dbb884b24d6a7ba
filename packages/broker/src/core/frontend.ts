// What clients and schedulers say.

import type { Command, MessageId, Reply } from '@eventmq-ts/emqp'
import type { RoutingId } from '@eventmq-ts/store'
import type { Acceptance } from './acceptance.ts'
import type { MessageInput } from './input.ts'
import type { BrokerParts } from './parts.ts'
import { peerName } from './peer-name.ts'
import { printRefusal, type RefusalCode } from './refusal.ts'
import type { Turn } from './turn.ts'

export class Frontend {
  readonly #parts: BrokerParts
  readonly #acceptance: Acceptance
  #nextSeq = 1

  constructor(parts: BrokerParts, acceptance: Acceptance) {
    this.#parts = parts
    this.#acceptance = acceptance
  }

  /** The store holds jobs and schedule orders with numbers below this one. */
  continueFrom(seq: number): void {
    this.#nextSeq = seq
  }

  message({ from, command, known }: MessageInput, turn: Turn): void {
    const { roster, orders, replies, offences, drain } = this.#parts
    replies.seen(turn, from)
    const scheduler = roster.schedulers.get(from)
    // Every command but DISCONNECT counts as a heartbeat.
    if (scheduler !== undefined && command.type !== 'DISCONNECT') scheduler.lastSeen = turn.now.monotonicMs
    switch (command.type) {
      case 'REQUEST':
        if (drain.phase !== 'serving') this.#acceptance.refuseDraining(command, from, turn)
        else this.#acceptance.request(command, from, known, this.#nextSeq++, turn)
        return
      case 'SCHEDULE':
      case 'UNSCHEDULE':
        this.#order(command, from, turn)
        return
      case 'INFORM':
        if (command.role === 'worker') offences.wrongDoor(turn, 'frontend', 'backend', from, 'worker')
        else this.#inform(command.id, from, turn)
        return
      case 'HEARTBEAT':
        if (scheduler === undefined) offences.unregistered(turn, 'frontend', from, command)
        return
      case 'ACK':
        if (scheduler === undefined) offences.unregistered(turn, 'frontend', from, command)
        else orders.acknowledged(from, command.acknowledges, turn)
        return
      case 'REPLY':
        this.#refusal(command, from, turn)
        return
      case 'KBYE':
        // A client's farewell: it has nothing here to forget.
        if (scheduler === undefined) return
        scheduler.leaving = true
        orders.schedulerLeft(from, turn)
        return
      case 'DISCONNECT':
        offences.refused(turn, 'frontend', from, command, 'only an administrator may stop the broker')
        return
      default:
        offences.refused(turn, 'frontend', from, command, 'clients and schedulers do not send it')
        return
    }
  }

  #order(command: Extract<Command, { readonly type: 'SCHEDULE' | 'UNSCHEDULE' }>, from: RoutingId, turn: Turn): void {
    const { settings, orders, drain } = this.#parts
    const { maxPayloadBytes } = settings
    if (command.payload.length > maxPayloadBytes) {
      const why = `the payload has ${command.payload.length} bytes; at most ${maxPayloadBytes} (maxPayloadBytes) are taken`
      this.#refuseOrder(command, from, 'too-large', why, turn)
    } else if (drain.phase !== 'serving') {
      this.#refuseOrder(command, from, 'draining', 'the broker is about to stop and takes no more schedules', turn)
    } else {
      const why = orders.take(command, from, this.#nextSeq++, turn)
      if (why !== undefined) this.#refuseOrder(command, from, 'queue-full', why, turn)
    }
  }

  #refuseOrder(
    command: Extract<Command, { readonly type: 'SCHEDULE' | 'UNSCHEDULE' }>,
    from: RoutingId,
    code: RefusalCode,
    why: string,
    turn: Turn,
  ): void {
    const { offences, replies } = this.#parts
    offences.refused(turn, 'frontend', from, command, why)
    if (command.headers.guarantee) replies.tell(turn, from, command.id, printRefusal(code, why))
  }

  /** A scheduler does not take an order: whoever gave it is told why. */
  #refusal(command: Reply, from: RoutingId, turn: Turn): void {
    const { orders, offences, replies } = this.#parts
    const asker = command.kind === 'result' ? orders.refused(from, command.request, turn) : undefined
    if (command.kind === 'result' && asker !== undefined) replies.tell(turn, asker, command.request, command.payload)
    else offences.refused(turn, 'frontend', from, command, 'it answers no schedule that waits for one')
  }

  #inform(id: MessageId, from: RoutingId, turn: Turn): void {
    const { roster, orders, offences, drain } = this.#parts
    if (drain.phase !== 'serving') {
      turn.kbye('frontend', from)
      return
    }
    if (roster.schedulers.has(from)) orders.schedulerLeft(from, turn)
    const scheduler = roster.addScheduler(from, turn)
    if (typeof scheduler === 'string') {
      offences.record(turn, {
        endpoint: 'frontend',
        from,
        kind: 'refused-INFORM',
        what: `its INFORM is refused: ${scheduler}`,
      })
      return
    }
    turn.welcome('frontend', from, id)
    turn.log('info', { scheduler: peerName(from) }, `scheduler ${peerName(from)} is here`)
    orders.schedulerCame(turn)
  }
}
