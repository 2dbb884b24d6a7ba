// The two kinds of time in an eMQP system. Wall time dates things (due instants, history); monotonic time measures
// silence and durations. They are different types, so that a step of the wall clock can never end a lease.

declare const epoch: unique symbol
declare const monotonic: unique symbol

/** Wall-clock time: milliseconds since 1970-01-01T00:00Z. */
export type EpochMs = number & { readonly [epoch]: true }

/** Milliseconds on a clock that never steps; only differences have a meaning. */
export type MonotonicMs = number & { readonly [monotonic]: true }

/** One reading of both clocks, as handed to a pure core together with its input. */
export interface Now {
  readonly epochMs: EpochMs
  readonly monotonicMs: MonotonicMs
}

/** Where a shell reads its clocks; tests hand in one that they turn. */
export interface Clock {
  now(): Now
}

/** The platform's clocks. */
export const systemClock: Clock = {
  now: () => ({ epochMs: Date.now() as EpochMs, monotonicMs: performance.now() as MonotonicMs }),
}
