// The workers with a free slot for one queue, in EventMQ's order: highest weight first, least recently used among equals.
// Entries are put right only when they reach the top: a worker that was used, for this queue or another, sinks then, and
// one without a free slot drops out. So a hand-out costs O(log n) in workers, however many queues a worker serves.

import type { QueueName } from '@eventmq-ts/emqp'
import { Heap } from './heap.ts'
import type { Worker } from './worker.ts'

interface Entry {
  readonly worker: Worker
  readonly weight: number
  /** The worker's `used` when the entry was put in. */
  readonly used: number
}

export class FreeWorkers {
  readonly #queue: QueueName
  readonly #heap = new Heap<Entry>(
    (a, b) => b.weight - a.weight || a.used - b.used || a.worker.joined - b.worker.joined,
  )

  #sweepAt = leastSwept

  constructor(queue: QueueName) {
    this.#queue = queue
  }

  /** Entries, those included that have not been put right yet. */
  get size(): number {
    return this.#heap.size
  }

  /** The worker has a free slot. */
  offer(worker: Worker, weight: number): void {
    if (worker.offeredTo.has(this.#queue)) return
    worker.offeredTo.add(this.#queue)
    this.#heap.push({ worker, weight, used: worker.used })
    if (this.#heap.size >= this.#sweepAt) this.#sweep()
  }

  /** The one whose turn it is. It stays, since it may have more slots. */
  first(): Worker | undefined {
    for (let entry = this.#heap.peek(); entry !== undefined; entry = this.#heap.peek()) {
      const { worker, weight, used } = entry
      if (worker.slots > 0 && used === worker.used) return worker
      this.#heap.pop()
      if (worker.slots > 0) this.#heap.push({ worker, weight, used: worker.used })
      else worker.offeredTo.delete(this.#queue)
    }
    return undefined
  }

  /** Drops workers without a free slot that never reach the top: those that are gone, below one that stays idle. */
  #sweep(): void {
    for (const entry of this.#heap.drain()) {
      if (entry.worker.slots > 0) this.#heap.push(entry)
      else entry.worker.offeredTo.delete(this.#queue)
    }
    this.#sweepAt = Math.max(leastSwept, 2 * this.#heap.size)
  }
}

const leastSwept = 64
