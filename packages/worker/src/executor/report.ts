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
  try {
    return { outcome, payload: printValue(outcome.value) }
  } catch (cause) {
    if (cause instanceof WorkerError) return reportUnsendable(cause, attempt)
    const why = cause instanceof EmqpError && cause.cause instanceof Error ? cause.cause.message : String(cause)
    const message = `the job's result cannot be sent: ${why}; return what JSON can hold, or bytes`
    return reportUnsendable(new WorkerError('WORKER_RESULT', message, { cause }), attempt)
  }
}

/** Throws where the value cannot be sent; a job's value may itself throw when it is looked at. */
function printValue(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return printJobResult({ kind: 'bytes', bytes: value })
  const lost = lostInJson.find((kind) => value instanceof kind)
  if (lost === undefined) return printJobResult({ kind: 'value', value })
  const message = `the job returned a value of type ${lost.name}, which JSON cannot hold; return what JSON can hold, or a Uint8Array`
  throw new WorkerError('WORKER_RESULT', message)
}

function reportUnsendable(error: WorkerError, attempt: number): Report {
  return report({ kind: 'failed', failure: failureOf(error, attempt) }, attempt)
}
