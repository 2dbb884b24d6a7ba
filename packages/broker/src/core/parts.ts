// What a broker consists of, for those that answer its three doors and for its views.

import type { MonotonicMs } from '@eventmq-ts/emqp'
import { Drain } from './drain.ts'
import { Liveness } from './liveness.ts'
import { Offences } from './offences.ts'
import { Queues } from './queues.ts'
import { Replies } from './replies.ts'
import { Roster } from './roster.ts'
import { Runs } from './runs.ts'
import { ScheduleOrders } from './schedule-orders.ts'
import type { CoreSettings } from './settings.ts'

export interface BrokerParts {
  readonly settings: CoreSettings
  readonly offences: Offences
  readonly replies: Replies
  readonly queues: Queues
  readonly roster: Roster
  readonly runs: Runs
  readonly orders: ScheduleOrders
  readonly drain: Drain
  readonly liveness: Liveness
}

/** All of it, new, with each part given what it stands on. */
export function makeParts(settings: CoreSettings, now: MonotonicMs): BrokerParts {
  const offences = new Offences(settings.addresses)
  const replies = new Replies()
  const queues = new Queues(settings)
  const roster = new Roster(settings, queues)
  const runs = new Runs(settings, queues, replies)
  const orders = new ScheduleOrders(settings, roster.schedulers)
  const drain = new Drain(settings.drainTimeoutMs, roster, runs)
  const liveness = new Liveness(settings, roster, runs, orders, now)
  return { settings, offences, replies, queues, roster, runs, orders, drain, liveness }
}
