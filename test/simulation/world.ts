// The simulated world's time: what is to happen, in order, and a trace of what has happened. Nothing here waits for real.

import type { EpochMs, MonotonicMs, Now } from '@eventmq-ts/emqp'
import { Random } from './random.ts'

interface Happening {
  readonly atMs: number
  readonly order: number
  readonly act: () => void | Promise<void>
}

export class World {
  readonly random: Random
  readonly trace: string[] = []
  /** Whether anything still goes wrong. */
  faulty = true
  #nowMs = 0
  #wallOffsetMs = 0
  #order = 0
  #happenings: Happening[] = []

  constructor(seed: number) {
    this.random = new Random(seed)
  }

  get nowMs(): number {
    return this.#nowMs
  }

  get now(): Now {
    return {
      monotonicMs: this.#nowMs as MonotonicMs,
      epochMs: (1_800_000_000_000 + this.#nowMs + this.#wallOffsetMs) as EpochMs,
    }
  }

  /** The wall clock is set; time goes on as before. */
  jumpWallClock(ms: number): void {
    this.#wallOffsetMs += ms
    this.note(`the wall clock jumps by ${ms} ms`)
  }

  /** In so many milliseconds; of two at the same instant the one planned first comes first. */
  in(ms: number, act: Happening['act']): void {
    const happening = { atMs: this.#nowMs + ms, order: this.#order++, act }
    let at = this.#happenings.length
    while (at > 0 && (this.#happenings[at - 1]?.atMs ?? 0) > happening.atMs) at--
    this.#happenings.splice(at, 0, happening)
  }

  /** With a chance that is 0 once the world has healed. */
  goesWrong(probability: number): boolean {
    return this.faulty && this.random.chance(probability)
  }

  note(what: string): void {
    this.trace.push(`${(this.#nowMs / 1000).toFixed(3).padStart(9)}  ${what}`)
  }

  /** Lets everything happen that is planned up to this instant. */
  async runUntil(ms: number): Promise<void> {
    for (let next = this.#happenings[0]; next !== undefined && next.atMs <= ms; next = this.#happenings[0]) {
      this.#happenings.shift()
      this.#nowMs = next.atMs
      await next.act()
    }
    this.#nowMs = ms
  }
}
