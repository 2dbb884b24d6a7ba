// A registered scheduler as the broker knows it.

import type { MonotonicMs } from '@eventmq-ts/emqp'
import type { RoutingId } from '@eventmq-ts/store'

export class Scheduler {
  readonly id: RoutingId
  readonly joined: number
  lastSeen: MonotonicMs
  /** It said KBYE: no new schedules. */
  leaving = false
  /** Whether it acknowledges orders; undefined until it has shown it. One of EventMQ 0.3 never does. */
  acknowledges: boolean | undefined
  /** Schedules it was given and, as far as the broker knows, still holds. */
  load = 0

  constructor(id: RoutingId, joined: number, lastSeen: MonotonicMs) {
    this.id = id
    this.joined = joined
    this.lastSeen = lastSeen
  }
}
