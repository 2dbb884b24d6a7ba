// What administrators say.

import type { RoutingId } from '@eventmq-ts/store'
import { showSchedulers, showStatus, showWorkers } from './administration.ts'
import type { MessageInput } from './input.ts'
import type { BrokerParts } from './parts.ts'
import { peerName } from './peer-name.ts'
import { printRefusal, type RefusalCode } from './refusal.ts'
import type { Turn } from './turn.ts'

export class Administrators {
  readonly #parts: BrokerParts

  constructor(parts: BrokerParts) {
    this.#parts = parts
  }

  message({ from, command }: MessageInput, turn: Turn): void {
    const { offences, drain } = this.#parts
    switch (command.type) {
      case 'STATUS':
        this.#answer(turn, from, showStatus(this.#parts, turn))
        return
      case 'ROUTER_SHOW_WORKERS':
        this.#answer(turn, from, showWorkers(this.#parts))
        return
      case 'ROUTER_SHOW_SCHEDULERS':
        this.#answer(turn, from, showSchedulers(this.#parts))
        return
      case 'DISCONNECT':
        turn.ack('administration', from, command.id)
        drain.begin(turn, `administrator ${peerName(from)} asked for it`)
        return
      // emq-cli says HELLO first and expects no answer.
      case 'HELLO':
      case 'KBYE':
        return
      default:
        offences.refused(turn, 'administration', from, command, 'administrators do not send it')
        this.refuse(turn, from, 'unknown-command', `the administration endpoint does not take ${command.type}`)
        return
    }
  }

  refuse(turn: Turn, to: RoutingId, code: RefusalCode, message: string): void {
    this.#answer(turn, to, printRefusal(code, message))
  }

  #answer(turn: Turn, to: RoutingId, payload: Uint8Array): void {
    turn.send('administration', to, { type: 'REPLY', kind: 'administration', id: turn.nextId(), payload })
  }
}
