// Waiting for something that may take longer than its caller wants.

import { ClientError } from './error.ts'

// Beyond it, setTimeout fires at once.
const longestMs = 2_147_483_647

/** How long to wait. */
export interface WaitOptions {
  /** Milliseconds from now, 0 to 2,147,483,647. Absent: for ever. */
  readonly timeoutMs?: number | undefined
  /** Ends the wait; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The promise's value, unless the time is over (then `late()` is thrown) or the signal is aborted before.
 *
 * @throws ClientError `CLIENT_OPTIONS` for a time that no timer can measure
 */
export async function wait<T>(promise: Promise<T>, { timeoutMs, signal }: WaitOptions, late: () => Error): Promise<T> {
  signal?.throwIfAborted()
  if (timeoutMs !== undefined && !(timeoutMs >= 0 && timeoutMs <= longestMs)) {
    const message = `timeoutMs is ${timeoutMs}; expected 0 to ${longestMs} milliseconds, or none to wait for ever`
    throw new ClientError('CLIENT_OPTIONS', message)
  }
  if (timeoutMs === undefined && signal === undefined) return promise
  const { promise: end, reject } = Promise.withResolvers<never>()
  const aborted = () => reject(signal?.reason)
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => reject(late()), timeoutMs)
  signal?.addEventListener('abort', aborted, { once: true })
  try {
    return await Promise.race([promise, end])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', aborted)
  }
}
