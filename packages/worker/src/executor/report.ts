// Stage 5: what is told. An outcome comes in, a REPLY's payload goes out. A result that cannot be sent is a failure, and
// never a silent loss.

import { EmqpError, printJobResult } from '@eventmq-ts/emqp'
import { WorkerError } from '../worker-error.ts'
import { failureOf } from './classify.ts'
import type { Outcome } from './outcome.ts'

/** An outcome as it is sent. */
export interface Report {
  readonly outcome: Outcome
  readonly payload: Uint8Array
}

/** The payload for an outcome: bytes as bytes, nothing as `true`, everything else as JSON. */
export function report(outcome: Outcome, attempt: number): Report {
  if (outcome.kind === 'failed') return { outcome, payload: printJobResult({ kind: 'error', error: outcome.failure }) }
  const { value } = outcome
  if (value instanceof Uint8Array) return { outcome, payload: printJobResult({ kind: 'bytes', bytes: value }) }
  if (value instanceof Map || value instanceof Set) {
    // JSON.stringify makes {} of them, whatever they hold.
    const kind = value instanceof Map ? 'Map' : 'Set'
    return reportUnsendable(
      new WorkerError('WORKER_RESULT', `the job returned a ${kind}, which JSON cannot hold`),
      attempt,
    )
  }
  try {
    return { outcome, payload: printJobResult({ kind: 'value', value }) }
  } catch (cause) {
    const why = cause instanceof EmqpError && cause.cause instanceof Error ? cause.cause.message : String(cause)
    const message = `the job's result cannot be sent: ${why}; return what JSON can hold, or bytes`
    return reportUnsendable(new WorkerError('WORKER_RESULT', message, { cause }), attempt)
  }
}

function reportUnsendable(error: WorkerError, attempt: number): Report {
  return report({ kind: 'failed', failure: failureOf(error, attempt) }, attempt)
}
