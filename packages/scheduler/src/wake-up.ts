// The scheduler's alarm clock, so that a test can turn it.

/** Calls back once, after about so many milliseconds; gives a function that takes it back. */
export type SetWakeUp = (delayMs: number, callback: () => void) => () => void

/** The platform's timer. */
export const setWakeUp: SetWakeUp = (delayMs, callback) => {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}
