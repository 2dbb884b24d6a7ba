// What peers do wrong, counted, and logged once per kind and peer: again only after a while, with how often it happened
// in between. So nobody can fill a log.

import type { Command, MessageId, MonotonicMs } from '@eventmq-ts/emqp'
import type { RoutingId } from '@eventmq-ts/store'
import { peerName } from './peer-name.ts'
import type { CoreSettings, Endpoint } from './settings.ts'
import type { Turn } from './turn.ts'

const repeatAfterMs = 60_000
const maxRemembered = 4096

interface Offender {
  loggedAt: MonotonicMs
  since: number
}

export class Offences {
  readonly #addresses: CoreSettings['addresses']
  /** Oldest first. */
  readonly #offenders = new Map<string, Offender>()
  readonly #byKind = new Map<string, number>()

  /** `addresses`: where peers should have gone. */
  constructor(addresses: CoreSettings['addresses']) {
    this.#addresses = addresses
  }

  /** How often each kind has happened. */
  get counts(): ReadonlyMap<string, number> {
    return this.#byKind
  }

  /** `what`: one readable sentence. `fields`: what a program may want to know of it. */
  record(
    turn: Turn,
    offence: {
      readonly endpoint: Endpoint
      readonly from: RoutingId
      readonly kind: string
      readonly what: string
      readonly fields?: Readonly<Record<string, unknown>> | undefined
    },
  ): void {
    const { endpoint, from, kind, what, fields } = offence
    this.#byKind.set(kind, (this.#byKind.get(kind) ?? 0) + 1)
    const key = `${endpoint} ${kind} ${from}`
    const known = this.#offenders.get(key)
    const now = turn.now.monotonicMs
    if (known !== undefined && now - known.loggedAt < repeatAfterMs) {
      known.since++
      return
    }
    const peer = peerName(from)
    turn.log(
      'warn',
      { ...fields, offence: kind, endpoint, peer, ...(known === undefined ? {} : { repeated: known.since }) },
      `${peer} on the ${endpoint}: ${what}`,
    )
    this.#offenders.delete(key)
    this.#offenders.set(key, { loggedAt: now, since: 0 })
    if (this.#offenders.size > maxRemembered) {
      const [oldest] = this.#offenders.keys()
      if (oldest !== undefined) this.#offenders.delete(oldest)
    }
  }

  /** INFORM where the peer has no business. */
  wrongDoor(turn: Turn, at: Endpoint, right: Endpoint, from: RoutingId, role: string): void {
    const what = `INFORM of a ${role} is refused here; ${role}s connect to the ${right}, ${this.#addresses[right]}`
    this.record(turn, { endpoint: at, from, kind: 'wrong-endpoint', what })
  }

  /** A command of those who must register first. */
  unregistered(turn: Turn, endpoint: Endpoint, from: RoutingId, { type, id }: Command): void {
    const what = `its ${type} is not obeyed: it is not registered (any more); it must INFORM first`
    this.record(turn, { endpoint, from, kind: 'unregistered', what, fields: { command: type, id } })
  }

  /** A command that this peer may not give. */
  refused(turn: Turn, endpoint: Endpoint, from: RoutingId, { type, id }: Command, why: string): void {
    const what = `its ${type} is refused: ${why}`
    this.record(turn, { endpoint, from, kind: `refused-${type}`, what, fields: { command: type, id } })
  }

  /** Something about a job that the worker does not hold. */
  withoutLease(turn: Turn, from: RoutingId, { type, id }: Command, job: MessageId): void {
    const what = `its ${type} for job ${job} changes nothing: it does not hold that job (any more)`
    this.record(turn, { endpoint: 'backend', from, kind: 'without-lease', what, fields: { command: type, id, job } })
  }
}
