// A registered worker (job manager) as the broker knows it.

import type { MessageId, MonotonicMs, QueueName, WeightedQueue } from '@eventmq-ts/emqp'
import type { RoutingId } from '@eventmq-ts/store'
import type { HandedOver } from './handed-over.ts'
import type { Job } from './job.ts'

export class Worker {
  readonly id: RoutingId
  /** In the order of its INFORM. */
  readonly queues: readonly WeightedQueue[]
  /** The order of registration, which decides among workers that have never been used. */
  readonly joined: number
  lastSeen: MonotonicMs
  slots = 0
  /** When it last got a job, as a running number. 0: never. */
  used = 0
  /** Jobs it was given since it registered. */
  processed = 0
  /** It said KBYE: no new jobs, but what it still sends counts. */
  leaving = false
  /** Whether its queues count it as one of theirs. */
  counted = true
  /** The jobs it holds leases of. */
  readonly jobs = new Map<MessageId, Job>()
  readonly handedOver: HandedOver
  /** The queues in whose order of free workers it stands. */
  readonly offeredTo = new Set<QueueName>()
  /** The running balance of each of its queues in weighted order, by index. */
  readonly balances: number[]
  /** Where its round among queues of equal weight goes on. */
  turn = 0

  constructor(
    id: RoutingId,
    queues: readonly WeightedQueue[],
    joined: number,
    lastSeen: MonotonicMs,
    handedOver: HandedOver,
  ) {
    this.id = id
    this.queues = queues
    this.joined = joined
    this.lastSeen = lastSeen
    this.handedOver = handedOver
    this.balances = queues.map(() => 0)
  }
}
