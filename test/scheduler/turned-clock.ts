// A clock and an alarm that a test turns: both kinds of time go on together, or the wall clock alone steps.

import type { Clock, EpochMs, MonotonicMs, Now } from '@eventmq-ts/emqp'

export class TurnedClock implements Clock {
  #epochMs = 1_796_137_801_604
  #monotonicMs = 5_000
  #alarm: { readonly at: number; readonly callback: () => void } | undefined

  now(): Now {
    return { epochMs: this.#epochMs as EpochMs, monotonicMs: this.#monotonicMs as MonotonicMs }
  }

  readonly setWakeUp = (delayMs: number, callback: () => void): (() => void) => {
    const alarm = { at: this.#monotonicMs + delayMs, callback }
    this.#alarm = alarm
    return () => {
      if (this.#alarm === alarm) this.#alarm = undefined
    }
  }

  /** Lets time pass, and rings if the alarm is due by then. */
  turn(ms: number): void {
    this.#epochMs += ms
    this.#monotonicMs += ms
    const alarm = this.#alarm
    if (alarm === undefined || alarm.at > this.#monotonicMs) return
    this.#alarm = undefined
    alarm.callback()
  }

  /** Steps the wall clock; nothing else notices. */
  step(ms: number): void {
    this.#epochMs += ms
  }
}
