// A result's payload: JSON `{"value": ...}` or `{"error": {...}}`, or whatever bytes a job returned. Bytes in, a tagged
// value out, and back.

import { z } from 'zod'
import { EmqpError } from './error.ts'
import { decodeText, encodeText } from './text.ts'

/** Why a job failed, as it travels. `code`, `stack` and `attempts` are there where they are known. */
export const jobFailureSchema = z.object({
  name: z.string(),
  message: z.string(),
  code: z.string().optional(),
  stack: z.string().optional(),
  attempts: z.int().min(0).optional(),
})

/** Why a job failed, or why a broker refused it. */
export type JobFailure = Readonly<z.output<typeof jobFailureSchema>>

const resultOnWire = z.union([z.strictObject({ value: z.unknown() }), z.strictObject({ error: jobFailureSchema })])

/** How a job ended. Whatever is not a result's JSON is bytes that the job returned as they are. */
export type JobResult =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: JobFailure }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

/** `JobFailure.code` of a job that a leaving worker gives back: not a failure, and not counted as one. */
export const RELEASED = 'released'

/** Reads a REPLY's payload. Every payload means something, so this cannot fail. */
export function parseJobResult(payload: Uint8Array): JobResult {
  const result = readResult(payload)
  if (result === undefined) return { kind: 'bytes', bytes: payload }
  return 'error' in result ? { kind: 'error', error: result.error } : { kind: 'value', value: result.value }
}

/**
 * Prints a REPLY's payload. A value of `undefined` is printed as `true`: eMQP's answer of a job that returns nothing.
 *
 * @throws EmqpError `EMQP_NOT_EXPRESSIBLE` where the value is not JSON (a function, a cycle, a bigint)
 * @example
 * printJobResult({ kind: 'error', error: { name: 'QueueFull', message: 'queue email is full', code: 'full' } })
 */
export function printJobResult(result: JobResult): Uint8Array {
  if (result.kind === 'bytes') return result.bytes
  if (result.kind === 'error') return encodeText(JSON.stringify({ error: result.error }))
  return encodeText(`{"value": ${printValue(result.value)}}`)
}

function readResult(payload: Uint8Array): z.output<typeof resultOnWire> | undefined {
  // Anything else than an object cannot be a result, and a job's 50 MB of bytes need no JSON parser to find that out.
  if (payload[0] !== openingBrace) return undefined
  const text = decodeText(payload)
  if (text === undefined) return undefined
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // Not JSON: then it is the job's own bytes, which is an answer too.
    return undefined
  }
  const result = resultOnWire.safeParse(json)
  return result.success ? result.data : undefined
}

const openingBrace = 0x7b

function printValue(value: unknown): string {
  if (value === undefined) return 'true'
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (cause) {
    throw notJson(value, cause)
  }
  if (text === undefined) throw notJson(value, undefined)
  return text
}

function notJson(value: unknown, cause: unknown): EmqpError {
  const offence = { part: 'result', found: typeof value, expected: 'a value that JSON can hold, or bytes' }
  return new EmqpError('EMQP_NOT_EXPRESSIBLE', offence, { cause })
}
