// What workers (job managers) say.

import type { Inform, Reply } from '@eventmq-ts/emqp'
import type { RoutingId } from '@eventmq-ts/store'
import type { MessageInput } from './input.ts'
import type { BrokerParts } from './parts.ts'
import { peerName } from './peer-name.ts'
import type { Turn } from './turn.ts'
import type { Worker } from './worker.ts'

export class Backend {
  readonly #parts: BrokerParts

  constructor(parts: BrokerParts) {
    this.#parts = parts
  }

  message({ from, command }: MessageInput, turn: Turn): void {
    const { roster, runs, offences } = this.#parts
    if (command.type === 'INFORM') {
      if (command.role === 'scheduler') offences.wrongDoor(turn, 'backend', 'frontend', from, 'scheduler')
      else this.#inform(command, from, turn)
      return
    }
    const worker = roster.workers.get(from)
    if (worker === undefined) {
      offences.unregistered(turn, 'backend', from, command)
      return
    }
    // Every command but DISCONNECT counts as a heartbeat.
    if (command.type !== 'DISCONNECT') worker.lastSeen = turn.now.monotonicMs
    switch (command.type) {
      case 'READY':
        // After its farewell it gets nothing more, whatever it still says.
        if (worker.leaving || roster.addSlot(worker)) return
        offences.refused(turn, 'backend', from, command, `it has ${worker.slots} free slots already (maxSlots)`)
        return
      case 'REPLY':
        this.#reply(worker, command, turn)
        return
      case 'PROGRESS':
        if (!runs.progress(worker, command.request, command.payload, turn)) {
          offences.withoutLease(turn, from, command, command.request)
        }
        return
      case 'HEARTBEAT':
        return
      case 'KBYE':
        if (!worker.leaving) roster.workerLeaves(worker)
        return
      default:
        offences.refused(turn, 'backend', from, command, 'workers do not send it')
        return
    }
  }

  #inform(command: Inform, from: RoutingId, turn: Turn): void {
    const { roster, runs, offences, drain } = this.#parts
    const before = roster.workers.get(from)
    if (drain.phase !== 'serving') {
      turn.kbye('backend', from)
      return
    }
    const worker = roster.addWorker(from, command.queues, turn)
    if (typeof worker === 'string') {
      offences.refused(turn, 'backend', from, command, worker)
      return
    }
    runs.registeredAnew(before, worker, turn)
    turn.welcome('backend', from, command.id)
    const queues = worker.queues.map(({ weight, name }) => `${name} (${weight})`).join(', ')
    turn.log('info', { worker: peerName(from), queues: worker.queues }, `worker ${peerName(from)} serves ${queues}`)
  }

  #reply(worker: Worker, command: Reply, turn: Turn): void {
    const { runs, offences } = this.#parts
    if (command.kind !== 'result' && command.kind !== 'payload') {
      offences.refused(turn, 'backend', worker.id, command, 'workers do not send this kind')
      return
    }
    // The 2016 layout has no frame for the REQUEST's id: it stands where the message's own does.
    const request = command.kind === 'result' ? command.request : command.id
    if (!runs.reply(worker, request, command.payload, turn)) offences.withoutLease(turn, worker.id, command, request)
  }
}
