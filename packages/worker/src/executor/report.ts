// Stage 5: what is told. An outcome comes in, a REPLY's payload goes out. A result that cannot be sent is a failure, and
// never a silent loss.

import { EmqpError, printJobResult } from '@eventmq-ts/emqp'
import { WorkerError } from '../worker-error.ts'
import { failureOf } from './classify.ts'
import type { Outcome } from './outcome.ts'

// JSON.stringify makes {} of these, whatever they hold.
const lostInJson = [Map, Set, ArrayBuffer]

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
  const lost = lostInJson.find((kind) => value instanceof kind)
  if (lost !== undefined) {
    const message = `the job returned a value of type ${lost.name}, which JSON cannot hold; return what JSON can hold, or a Uint8Array`
    return reportUnsendable(new WorkerError('WORKER_RESULT', message), attempt)
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
