// Which of its queues a worker's free slot goes to.

import type { QueueOrder } from './settings.ts'
import type { Worker } from './worker.ts'

/**
 * The index, in `worker.queues`, of the queue whose job the slot takes, or -1 if none has a job. `hasJob` is asked for
 * each queue at most once, by index.
 */
export function chooseQueue(worker: Worker, order: QueueOrder, hasJob: (index: number) => boolean): number {
  return order === 'strict' ? strict(worker, hasJob) : weighted(worker, hasJob)
}

/** The highest weight that has a job; among equal weights, the one after that of last time. */
function strict(worker: Worker, hasJob: (index: number) => boolean): number {
  const count = worker.queues.length
  let best = -1
  let bestWeight = Number.NEGATIVE_INFINITY
  for (let i = 0; i < count; i++) {
    const index = (worker.turn + i) % count
    const weight = worker.queues[index]?.weight ?? 0
    if (weight <= bestWeight || !hasJob(index)) continue
    best = index
    bestWeight = weight
  }
  if (best >= 0) worker.turn = (best + 1) % count
  return best
}

/**
 * Smooth weighted round robin among the queues that have a job: each gains its weight, the richest is served and pays
 * what all gained. A weight of 0 counts as 1, or such a queue would never be served.
 */
function weighted(worker: Worker, hasJob: (index: number) => boolean): number {
  let best = -1
  let total = 0
  for (let index = 0; index < worker.queues.length; index++) {
    if (!hasJob(index)) {
      // It takes no part: what it had saved must not burst out later.
      worker.balances[index] = 0
      continue
    }
    const weight = Math.max(1, worker.queues[index]?.weight ?? 0)
    total += weight
    worker.balances[index] = (worker.balances[index] ?? 0) + weight
    if (best < 0 || (worker.balances[index] ?? 0) > (worker.balances[best] ?? 0)) best = index
  }
  if (best >= 0) worker.balances[best] = (worker.balances[best] ?? 0) - total
  return best
}
