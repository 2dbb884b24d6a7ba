// What peers do wrong, counted, and logged once per kind and peer: again only after a while, with how often it happened
// in between. So nobody can fill a log.

import type { MonotonicMs } from '@eventmq-ts/emqp'
import type { RoutingId } from '@eventmq-ts/store'
import { peerName } from './peer-name.ts'
import type { Endpoint } from './settings.ts'
import type { Turn } from './turn.ts'

const repeatAfterMs = 60_000
const maxRemembered = 4096

interface Offender {
  loggedAt: MonotonicMs
  since: number
}

export class Offences {
  /** Oldest first. */
  readonly #offenders = new Map<string, Offender>()
  readonly #byKind = new Map<string, number>()

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
}
