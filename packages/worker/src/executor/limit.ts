// Stage 2: within what bounds. A REQUEST's headers come in, the run's limits go out.

import type { MessageHeaders } from '@eventmq-ts/emqp'

/** The bounds of one run. */
export interface Limits {
  /** After so many milliseconds the run must have ended; undefined: it may take as long as it likes. */
  readonly timeoutMs: number | undefined
}

/** The limits that the headers set. `timeout:0` is none. */
export function limit({ timeoutSeconds = 0 }: MessageHeaders): Limits {
  return { timeoutMs: timeoutSeconds === 0 ? undefined : timeoutSeconds * 1000 }
}
