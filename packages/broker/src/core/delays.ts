// Jobs that wait for an instant: delayed ones until they are due, waiting ones until they expire. All of it in wall-clock
// time, since it must outlive the broker.

import type { EpochMs } from '@eventmq-ts/emqp'
import { compareDuePositions, type DuePosition } from '@eventmq-ts/store'
import { Heap } from './heap.ts'
import type { Job } from './job.ts'
import { StoredHead } from './stored-head.ts'
import type { Turn } from './turn.ts'

interface Expiry {
  readonly at: EpochMs
  readonly job: Job
}

export class Delays {
  readonly #due: StoredHead<DuePosition, Job>
  readonly #expiries = new Heap<Expiry>((a, b) => a.at - b.at)

  readonly #isWaiting: (job: Job) => boolean
  #sweepAt = leastSwept

  /** `isWaiting`: whether a job still waits in memory. */
  constructor(limit: number, isWaiting: (job: Job) => boolean) {
    this.#isWaiting = isWaiting
    this.#due = new StoredHead<DuePosition, Job>({
      compare: compareDuePositions,
      placeOf: ({ dueAt, seq }) => ({ dueAt, seq }),
      isLive: (job) => job.state === 'delayed',
      limit,
    })
  }

  get length(): number {
    return this.#due.length
  }

  /** How many instants of expiry are remembered. */
  get watched(): number {
    return this.#expiries.size
  }

  /** The next instant at which something is due, of what is in memory. */
  get nextAt(): EpochMs | undefined {
    const due = this.#due.peek()?.dueAt
    const expiry = this.#expiries.peek()?.at
    if (due === undefined || expiry === undefined) return due ?? expiry
    return Math.min(due, expiry) as EpochMs
  }

  /** Gives the jobs that had to leave memory for it. */
  add(job: Job): readonly Job[] {
    return this.#due.add(job)
  }

  expect(count: number): void {
    this.#due.expect(count)
  }

  load(jobs: readonly Job[], more: boolean): void {
    this.#due.load(jobs, more)
  }

  takeDue(now: EpochMs): Job | undefined {
    const first = this.#due.peek()
    return first !== undefined && first.dueAt <= now ? this.#due.pop() : undefined
  }

  readOn(turn: Turn): void {
    const page = this.#due.beginRead()
    if (page !== undefined) turn.read({ type: 'delayed', ...page })
  }

  /** The read is over. Gives whether its page is to be loaded. */
  endRead(): boolean {
    return this.#due.endRead()
  }

  /** A waiting job with an end to its patience. */
  watchExpiry(job: Job): void {
    const at = job.record.expiresAt
    if (at === undefined) return
    this.#expiries.push({ at, job })
    if (this.#expiries.size >= this.#sweepAt) this.#sweep()
  }

  /** A job that may have expired by now, whatever has become of it since. */
  takeExpired(now: EpochMs): Job | undefined {
    const first = this.#expiries.peek()
    return first !== undefined && first.at <= now ? this.#expiries.pop()?.job : undefined
  }

  /** Most jobs start long before they would expire: those are let go of, at a cost of O(log n) for each that was watched. */
  #sweep(): void {
    for (const expiry of this.#expiries.drain()) if (this.#isWaiting(expiry.job)) this.#expiries.push(expiry)
    this.#sweepAt = Math.max(leastSwept, 2 * this.#expiries.size)
  }
}

const leastSwept = 1024
