// What clients are told of their jobs: the outcome, to the one that asked, once for each time it asked. A reply that finds
// no client stays owed, and is sent when that client says anything again under its routing id.

import type { MessageId } from '@eventmq-ts/emqp'
import type { JobRecord, RoutingId } from '@eventmq-ts/store'
import type { Send } from './effects.ts'
import type { Turn } from './turn.ts'

const maxOwed = 100_000

export class Replies {
  /** Oldest client first. */
  readonly #owed = new Map<RoutingId, Set<MessageId>>()
  #count = 0

  /** How many replies wait for their client. */
  get owed(): number {
    return this.#count
  }

  tell(turn: Turn, asker: RoutingId, request: MessageId, payload: Uint8Array, guard?: number): void {
    turn.send('frontend', asker, { type: 'REPLY', kind: 'result', id: turn.nextId(), request, payload }, guard)
  }

  /** A job's end has been read for one who asked. */
  tellStored(turn: Turn, to: RoutingId, job: JobRecord | undefined): void {
    if (job?.outcome !== undefined) this.tell(turn, to, job.id, job.outcome.result)
  }

  /** A reply found nobody. Only what is stored can be owed: the read finds nothing of a refusal. */
  undelivered(send: Send): void {
    if (send.command.type !== 'REPLY' || send.command.kind !== 'result') return
    let owed = this.#owed.get(send.to)
    if (owed === undefined) {
      owed = new Set()
      this.#owed.set(send.to, owed)
    }
    if (owed.has(send.command.request)) return
    owed.add(send.command.request)
    this.#count++
    while (this.#count > maxOwed) {
      const [oldest] = this.#owed
      if (oldest === undefined) break
      this.#owed.delete(oldest[0])
      this.#count -= oldest[1].size
    }
  }

  /** This client is there. */
  seen(turn: Turn, client: RoutingId): void {
    if (this.#count === 0) return
    const owed = this.#owed.get(client)
    if (owed === undefined) return
    this.#owed.delete(client)
    this.#count -= owed.size
    for (const id of owed) turn.read({ type: 'result', id, to: client })
  }
}
