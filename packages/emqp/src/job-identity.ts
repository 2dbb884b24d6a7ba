// What a schedule is known by. A SCHEDULE's or UNSCHEDULE's payload comes in, the text that EventMQ hashes goes out: the
// call's six parts as Python prints them by `json.dumps(sort_keys=True)`, so that our schedulers and 0.3 ones agree on
// which schedules are the same.

import { parseJobCall } from './job-call.ts'
import { type Parsed, parsed } from './parsed.ts'
import { pythonFloat, pythonJsonString } from './python-notation.ts'
import { decodeText } from './text.ts'

/**
 * The identity of the job in a payload. Same identity, same schedule: the later SCHEDULE replaces the earlier one, and
 * an UNSCHEDULE ends it, whatever their queues, headers and intervals. The SHA-1 of this text (UTF-8, which is ASCII
 * here) is what EventMQ 0.3 keeps its schedules under.
 *
 * @returns the text, or an error with code `EMQP_JOB`
 * @example
 * jobIdentity(payload) // '{"args": [9, 9], "callable": "add", ..., "path": "my_jobs"}'
 */
export function jobIdentity(payload: Uint8Array): Parsed<string> {
  const call = parseJobCall(payload)
  if (!call.ok) return call
  // parseJobCall has seen that this is ["run", {...}] in UTF-8. The second reading keeps what the first one loses: 1 and
  // 1.0 are two numbers to Python.
  const [, body] = JSON.parse(decodeText(payload) ?? '', keepNotation as (key: string, value: unknown) => unknown)
  return parsed(
    printPython({
      args: body.args ?? [],
      kwargs: body.kwargs ?? {},
      class_args: body.class_args ?? [],
      class_kwargs: body.class_kwargs ?? {},
      path: body.path,
      callable: body.callable,
    }),
  )
}

/** A number as Python reads and prints it. */
class PythonNumber {
  readonly text: string

  constructor(source: string) {
    if (/^-?[0-9]+$/.test(source)) this.text = source === '-0' ? '0' : source
    else this.text = printFloat(Number(source))
  }
}

// The third argument is ECMAScript's JSON.parse source text access, which TypeScript's library does not declare yet.
function keepNotation(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' ? new PythonNumber(source ?? String(value)) : value
}

function printFloat(value: number): string {
  if (Number.isFinite(value)) return pythonFloat(value)
  return value > 0 ? 'Infinity' : '-Infinity'
}

function printPython(value: unknown): string {
  if (value instanceof PythonNumber) return value.text
  if (typeof value === 'string') return pythonJsonString(value)
  if (Array.isArray(value)) return `[${value.map(printPython).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).sort(([a], [b]) => compareCodePoints(a, b))
  return `{${entries.map(([key, item]) => `${pythonJsonString(key)}: ${printPython(item)}`).join(', ')}}`
}

/** Python's order of strings. JavaScript's own compares UTF-16 units and puts U+10000 before U+FFFF. */
function compareCodePoints(a: string, b: string): number {
  const left = Array.from(a, (character) => character.codePointAt(0) ?? 0)
  const right = Array.from(b, (character) => character.codePointAt(0) ?? 0)
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
