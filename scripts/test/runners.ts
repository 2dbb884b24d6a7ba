// Runs test files on one of the pinned runtimes: output goes to the terminal, the counts come back. In: files. Out: a
// tally.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../process.ts'
import { pinnedRuntime, type RuntimeName } from '../setup/runtimes.mjs'
import { root } from '../workspace.ts'
import { readJunit } from './junit.ts'
import type { NodeReport } from './node-reporter.ts'
import type { Tally } from './tally.ts'

// Far above what a test may take; it ends a run that hangs, with the test's name.
const TEST_TIMEOUT_MS = 180_000

/** Runs `files` (paths from the root) and gives what came of it. */
export async function runTests(runtime: RuntimeName, files: readonly string[]): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'eventmq-test-'))
  const reportPath = join(folder, 'report')
  try {
    const exitStatus = await run(pinnedRuntime(root, runtime).path, argumentsFor[runtime](files, reportPath), {
      env: environment(),
    })
    // A run that ends before its first test leaves no report: nothing was executed.
    const report = existsSync(reportPath) ? readFileSync(reportPath, 'utf8') : ''
    return { runtime, exitStatus, ...readers[runtime](report) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const argumentsFor: Readonly<Record<RuntimeName, (files: readonly string[], report: string) => readonly string[]>> = {
  node: (files, report) => [
    '--conditions=source',
    '--test',
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(root, 'scripts/test/node-reporter.ts')}`,
    `--test-reporter-destination=${report}`,
    ...files,
  ],
  bun: (files, report) => [
    'test',
    '--conditions=source',
    `--timeout=${TEST_TIMEOUT_MS}`,
    '--reporter=junit',
    `--reporter-outfile=${report}`,
    ...files.map((file) => `./${file}`),
  ],
  deno: (files, report) => [
    'test',
    '--allow-all',
    '--no-check',
    '--no-lock',
    '--conditions=source',
    `--junit-path=${report}`,
    ...files,
  ],
}

const readers: Readonly<Record<RuntimeName, (report: string) => Omit<Tally, 'runtime' | 'exitStatus'>>> = {
  node: (report) => (report === '' ? nothing : (JSON.parse(report) as NodeReport)),
  bun: (report) => ({ ...readJunit(report), emptyFiles: [] }),
  deno: (report) => ({ ...readJunit(report), emptyFiles: [] }),
}

const nothing: NodeReport = { passed: 0, failed: 0, skips: [], emptyFiles: [] }

/** Ours without the mark that a test run leaves on its children, which would make `node --test` run nothing. */
function environment(): Record<string, string | undefined> {
  const { NODE_TEST_CONTEXT: _, ...rest } = process.env
  return rest
}
