// Brings waiting jobs and free slots together. Between two turns no queue has both a job and a worker with a free slot,
// so only what a turn has changed is looked at: queues that got a job or a worker, and workers that got a slot.

import type { Job } from './job.ts'
import type { JobQueue } from './job-queue.ts'
import { chooseQueue } from './queue-choice.ts'
import type { Queues } from './queues.ts'
import type { Roster } from './roster.ts'
import type { Runs } from './runs.ts'
import type { QueueOrder } from './settings.ts'
import type { Turn } from './turn.ts'
import type { Worker } from './worker.ts'

export class Dispatch {
  readonly #order: QueueOrder
  readonly #queues: Queues
  readonly #roster: Roster
  readonly #runs: Runs

  constructor(order: QueueOrder, queues: Queues, roster: Roster, runs: Runs) {
    this.#order = order
    this.#queues = queues
    this.#roster = roster
    this.#runs = runs
  }

  run(turn: Turn): void {
    for (const queue of this.#queues.takeChanged()) this.#serveQueue(queue, turn)
    for (const worker of this.#roster.takeReady()) this.#fillSlots(worker, turn)
    // Jobs that turned out to have expired leave a head that has run low, and more to read.
    while (this.#queues.hasChanged) for (const queue of this.#queues.takeChanged()) this.#serveQueue(queue, turn)
  }

  /** A job looks for a worker: highest weight for its queue, least recently used among equals. */
  #serveQueue(queue: JobQueue, turn: Turn): void {
    for (let worker = queue.freeWorkers.first(); worker !== undefined; worker = queue.freeWorkers.first()) {
      const job = this.#next(queue, turn)
      if (job === undefined) break
      this.#give(job, queue, worker, turn)
    }
    this.#queues.readOn(queue, turn)
  }

  /** A free slot looks for a job: by its worker's weights. */
  #fillSlots(worker: Worker, turn: Turn): void {
    const queues = worker.queues.map(({ name }) => this.#queues.find(name))
    while (worker.slots > 0) {
      const index = chooseQueue(worker, this.#order, (at) => {
        const queue = queues[at]
        return queue !== undefined && this.#next(queue, turn) !== undefined
      })
      const queue = queues[index]
      const job = queue === undefined ? undefined : this.#next(queue, turn)
      if (queue === undefined || job === undefined) break
      this.#give(job, queue, worker, turn)
      this.#queues.readOn(queue, turn)
    }
    if (worker.slots === 0) return
    for (let index = 0; index < worker.queues.length; index++) {
      queues[index]?.freeWorkers.offer(worker, worker.queues[index]?.weight ?? 0)
    }
  }

  /** The queue's first job that has not expired. */
  #next(queue: JobQueue, turn: Turn): Job | undefined {
    for (let job = queue.waiting.peek(); job !== undefined; job = queue.waiting.peek()) {
      if (!this.#runs.expire(job, turn)) return job
    }
    return undefined
  }

  #give(job: Job, queue: JobQueue, worker: Worker, turn: Turn): void {
    queue.waiting.pop()
    queue.ranks.handedOut(job.rank)
    queue.processed++
    worker.processed++
    this.#runs.begin(job, worker, turn)
  }
}
