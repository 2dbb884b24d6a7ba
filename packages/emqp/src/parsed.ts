// What a parser hands back: the value, or what was wrong with the text. A value, because bad input is no exception in a
// device that takes input from anyone.

import type { EmqpError } from './error.ts'

/** A value read from outside, or the reason why it could not be read. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: EmqpError }

/** The good outcome. */
export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value }
}

/** The bad outcome. */
export function refused(error: EmqpError): { readonly ok: false; readonly error: EmqpError } {
  return { ok: false, error }
}
