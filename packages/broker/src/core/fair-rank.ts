// Fairness among clients, as a number. Each job of a queue gets a rank, its virtual start time: one after the rank of its
// client's job before, but not before what the queue is at now (start-time fair queueing). A client that floods gets
// ranks far ahead; another one's single job comes next. The rank is stored with the job, so the order needs no lists of
// clients, neither here nor in a store.

import type { RoutingId } from '@eventmq-ts/store'

export class FairRank {
  /** The rank of the job handed out last. */
  #now = 0
  /** The rank of each client's latest job, while that lies ahead. */
  readonly #latest = new Map<RoutingId, number>()
  #sweepAt = 1024

  /** A rank for a client's next job. */
  next(client: RoutingId): number {
    const rank = Math.max(this.#now, this.#latest.get(client) ?? 0) + 1
    this.#remember(client, rank)
    return rank
  }

  /** A job that was read from the store: its client goes on after it. */
  loaded(client: RoutingId, rank: number): void {
    if (rank > (this.#latest.get(client) ?? 0)) this.#remember(client, rank)
  }

  /** A page of stored jobs. The first thing that a queue learns after a start: it is at the lowest of their ranks now. */
  continueFrom(ranks: readonly number[]): void {
    if (this.#now > 0 || this.#latest.size > 0 || ranks.length === 0) return
    this.#now = Math.min(...ranks) - 1
  }

  handedOut(rank: number): void {
    if (rank > this.#now) this.#now = rank
  }

  #remember(client: RoutingId, rank: number): void {
    this.#latest.set(client, rank)
    if (this.#latest.size < this.#sweepAt) return
    for (const [one, latest] of this.#latest) if (latest <= this.#now) this.#latest.delete(one)
    this.#sweepAt = Math.max(1024, 2 * this.#latest.size)
  }
}
