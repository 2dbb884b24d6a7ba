// Keeps the process alive while something of a socket is under way, and only then: all handles of the engine are
// unreferenced, and this holds one referenced timer whose callback does nothing.

import type { Hold } from './pipe.ts'

const LONGEST_TIMER_MS = 2 ** 31 - 1

export class KeepAlive implements Hold {
  #count = 0
  #timer: NodeJS.Timeout | undefined

  acquire(): void {
    if (this.#count++ > 0) return
    if (this.#timer === undefined) this.#timer = setInterval(() => undefined, LONGEST_TIMER_MS)
    else this.#timer.ref()
  }

  release(): void {
    if (--this.#count === 0) this.#timer?.unref()
  }

  /** Gives up the timer; the holds that are left count no more. */
  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
