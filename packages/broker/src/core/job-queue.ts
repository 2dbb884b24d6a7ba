// A named queue: its waiting jobs, the ranks it gives out, and the workers that have a free slot for it.

import type { QueueName } from '@eventmq-ts/emqp'
import { compareQueuePositions, type QueuePosition } from '@eventmq-ts/store'
import { FairRank } from './fair-rank.ts'
import { FreeWorkers } from './free-workers.ts'
import type { Job } from './job.ts'
import { StoredHead } from './stored-head.ts'

export class JobQueue {
  readonly name: QueueName
  readonly waiting: StoredHead<QueuePosition, Job>
  readonly ranks = new FairRank()
  readonly freeWorkers: FreeWorkers
  /** Registered workers that serve it. */
  workers = 0
  /** Whether a worker has ever served it since this broker started. */
  known = false
  /** Delayed jobs in memory that will come here. */
  delayed = 0
  /** Jobs handed out so far. */
  processed = 0

  constructor(name: QueueName, limit: number) {
    this.name = name
    this.freeWorkers = new FreeWorkers(name)
    this.waiting = new StoredHead<QueuePosition, Job>({
      compare: compareQueuePositions,
      placeOf: ({ priority, rank, seq }) => ({ priority, rank, seq }),
      isLive: (job) => job.state === 'waiting',
      limit,
    })
  }

  /** Nothing would be missed if it were forgotten. */
  get isIdle(): boolean {
    return this.workers === 0 && this.waiting.length === 0 && this.delayed === 0
  }
}
