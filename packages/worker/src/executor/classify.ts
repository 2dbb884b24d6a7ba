// Stage 4: what it means. What became of a run comes in, its outcome goes out.

import type { JobFailure } from '@eventmq-ts/emqp'
import type { Performed } from '../isolate/isolate.ts'
import { type Outcome, TIMEOUT } from './outcome.ts'

// A stack is for a person to read. One of a deep recursion would be longer than any job's result.
const longestStack = 8_192

/** The outcome of a run, the `attempt`-th of its job. */
export function classify(performed: Performed, attempt: number): Outcome {
  switch (performed.kind) {
    case 'returned':
      return { kind: 'done', value: performed.value }
    case 'threw':
      return { kind: 'failed', failure: failureOf(performed.error, attempt) }
    case 'timed-out': {
      const message = `the job did not end within ${performed.timeoutMs / 1000} s (header timeout)`
      return { kind: 'failed', failure: { name: 'TimeoutError', message, code: TIMEOUT, attempts: attempt } }
    }
  }
}

/** How an error, or whatever else was thrown, travels. */
export function failureOf(error: unknown, attempt: number): JobFailure {
  try {
    return { ...describe(error), attempts: attempt }
  } catch {
    // What was thrown throws again when it is looked at: a getter, a proxy, a toString.
    return { name: 'Error', message: 'the job threw something that cannot be printed', attempts: attempt }
  }
}

function describe(error: unknown): JobFailure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, stack } = error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return {
    name: String(name),
    message: String(message),
    ...(code === undefined ? {} : { code }),
    ...(typeof stack === 'string' ? { stack: stack.slice(0, longestStack) } : {}),
  }
}
