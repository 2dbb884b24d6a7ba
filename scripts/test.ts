// `npm test`: the whole suite on the pinned Node and the portable part of it on Bun and Deno. Node runs last, so that
// its own summary stands at the end, followed by one line a runtime. Exits 1 if anything is wrong.

import { globSync } from 'node:fs'
import { sep } from 'node:path'
import type { RuntimeName } from './setup/runtimes.mjs'
import { runTests } from './test/runners.ts'
import { SelectionError, selectTests } from './test/selection.ts'
import { describeSkips, faultsOf, summaryLine, type Tally } from './test/tally.ts'
import { root } from './workspace.ts'

const ORDER: readonly RuntimeName[] = ['bun', 'deno', 'node']

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof SelectionError)) throw error
  console.error(`error: ${error.message}`)
  process.exitCode = 1
}

async function main(args: readonly string[]): Promise<number> {
  const files = globSync('test/**/*.test.ts', { cwd: root }).map((path) => path.split(sep).join('/'))
  const selection = selectTests(args, files.toSorted())
  const tallies: Tally[] = []
  for (const runtime of ORDER) {
    const chosen = selection[runtime]
    if (chosen.length === 0) continue
    console.log(`\n${runtime}: ${chosen.length} test files`)
    tallies.push(await runTests(runtime, chosen))
  }
  const skipsAllowed = !['true', '1'].includes(process.env['CI'] ?? '')
  const faults = tallies.flatMap((tally) => faultsOf(tally, skipsAllowed))
  const lines = [...tallies.flatMap(describeSkips), ...faults, ...tallies.map(summaryLine)]
  console.log(`\n${lines.join('\n')}`)
  return faults.length === 0 ? 0 : 1
}
