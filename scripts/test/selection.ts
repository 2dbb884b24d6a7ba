// Which test files run on which runtime. In: the arguments of `npm test` and all test files. Out: a list of files for
// each runtime. Without arguments Node runs all of them, Bun and Deno the suite under test/runtimes/.

import { parseArgs } from 'node:util'
import { type RuntimeName, runtimeNames } from '../setup/runtimes.mjs'

/** A request that cannot be served, to be shown as it is. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError'
}

/** The files of one runtime; none means that it does not run. */
export type Selection = Readonly<Record<RuntimeName, readonly string[]>>

export const USAGE = `npm test [-- [--on RUNTIME[,RUNTIME]] [PART...]]
  PART   run only the test files whose path contains one of these, e.g. emqp or broker/queue
  --on   run them on node, bun or deno; without it Node runs all and Bun and Deno those in test/runtimes/`

/** `files` are paths from the repository's root, with slashes. Throws a SelectionError if nothing is left to run. */
export function selectTests(args: readonly string[], files: readonly string[]): Selection {
  const { on, parts } = parse(args)
  const matching = files.filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
  if (matching.length === 0) {
    const folders = new Set(files.map((file) => file.split('/').slice(0, 2).join('/')))
    throw new SelectionError(`no test file matches ${parts.join(' or ')}; there are: ${[...folders].join(', ')}`)
  }
  const portable = matching.filter((file) => file.startsWith('test/runtimes/'))
  if (on === undefined) return { node: matching, bun: portable, deno: portable }
  return {
    node: on.includes('node') ? matching : [],
    bun: on.includes('bun') ? matching : [],
    deno: on.includes('deno') ? matching : [],
  }
}

function parse(args: readonly string[]): { on: readonly string[] | undefined; parts: readonly string[] } {
  let parsed: { values: { on?: string | undefined }; positionals: string[] }
  try {
    parsed = parseArgs({ args: [...args], options: { on: { type: 'string' } }, allowPositionals: true })
  } catch (cause) {
    throw new SelectionError(`${cause instanceof Error ? cause.message : String(cause)}\n${USAGE}`, { cause })
  }
  const on = parsed.values.on?.split(',')
  const unknown = on?.find((name) => !runtimeNames.some((known) => known === name))
  if (unknown !== undefined) throw new SelectionError(`"${unknown}" is none of ${runtimeNames.join(', ')}\n${USAGE}`)
  return { on, parts: parsed.positionals }
}
