// A timer that may be set for longer than the platform's timers can count (24.8 days), and that a test can turn.

/** Calls back after so many milliseconds, unless it is cancelled before. */
export type SetDeadline = (delayMs: number, callback: () => void) => CancelDeadline

/** Takes a deadline back; after it has passed, does nothing. */
export type CancelDeadline = () => void

// Beyond it, setTimeout fires at once.
const longestTimerMs = 2_147_483_647

/** The platform's timer. */
export const setDeadline: SetDeadline = (delayMs, callback) => {
  let timer: ReturnType<typeof setTimeout>
  const wait = (leftMs: number): void => {
    const stepMs = Math.min(leftMs, longestTimerMs)
    timer = setTimeout(() => (leftMs > stepMs ? wait(leftMs - stepMs) : callback()), stepMs)
  }
  wait(delayMs)
  return () => clearTimeout(timer)
}
