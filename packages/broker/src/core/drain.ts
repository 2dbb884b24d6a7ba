// The way to an orderly end: no more jobs in, none out, KBYE to all; what runs may finish, and the rest stays in the store.

import type { MonotonicMs } from '@eventmq-ts/emqp'
import type { Roster } from './roster.ts'
import type { Runs } from './runs.ts'
import type { Turn } from './turn.ts'

export type Phase = 'serving' | 'draining' | 'stopped'

export class Drain {
  readonly #timeoutMs: number
  readonly #roster: Roster
  readonly #runs: Runs
  #phase: Phase = 'serving'
  #endBy = Number.POSITIVE_INFINITY as MonotonicMs

  constructor(timeoutMs: number, roster: Roster, runs: Runs) {
    this.#timeoutMs = timeoutMs
    this.#roster = roster
    this.#runs = runs
  }

  get phase(): Phase {
    return this.#phase
  }

  /** When to give up waiting. */
  get endBy(): MonotonicMs {
    return this.#endBy
  }

  begin(turn: Turn, why: string): void {
    if (this.#phase !== 'serving') return
    this.#phase = 'draining'
    this.#endBy = (turn.now.monotonicMs + this.#timeoutMs) as MonotonicMs
    for (const { id } of this.#roster.schedulers.values()) turn.kbye('frontend', id)
    for (const { id } of this.#roster.workers.values()) turn.kbye('backend', id)
    turn.log('info', { running: this.#runs.active }, `the broker is about to stop: ${why}`)
  }

  /** Ends the drain if nothing runs any more, or if that takes too long. */
  proceed(turn: Turn): void {
    if (this.#phase !== 'draining') return
    const running = this.#runs.active
    if (running > 0 && turn.now.monotonicMs < this.#endBy) return
    this.#phase = 'stopped'
    this.#endBy = Number.POSITIVE_INFINITY as MonotonicMs
    if (running === 0) return
    turn.log('warn', { running }, `the broker stops with ${running} jobs still running; they stay in the store`)
  }
}
