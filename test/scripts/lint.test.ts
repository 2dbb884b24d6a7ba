// The linter keeps clocks, timers, chance and I/O out of every core and Node's Buffer out of what browsers run, and lets
// shells have them.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { rules } from '../../scripts/boundaries/rules.ts'
import { root } from '../../scripts/workspace.ts'

const forbidden = [
  'Date.now()',
  'new Date()',
  'Math.random()',
  'performance.now()',
  'crypto.randomUUID()',
  'process.pid',
  'setTimeout(run, 1)',
  'setInterval(run, 1)',
  'setImmediate(run)',
  'queueMicrotask(run)',
  'fetch(place)',
  'console.log(place)',
]
const browserForbidden = ["Buffer.from('x')", 'new Buffer(5)', 'Buffer.alloc']
const allowed = ['new Date(5)', 'Math.max(1, 2)', '((process: number) => process)(1)']

const inCore = rules.cores.map((core) => `${core}/sample.ts`)
const inBrowser = ['packages/emqp/src/text.ts', 'packages/job/src/text.ts']
const pure = 'packages/broker/src/core/pure.ts'
const shell = 'packages/broker/src/sample.ts'

describe('the linter', () => {
  const report = lint({
    ...Object.fromEntries([...inCore, shell].map((path) => [path, forbidden])),
    ...Object.fromEntries(inBrowser.map((path) => [path, browserForbidden])),
    [pure]: [...allowed, ...browserForbidden],
  })

  for (const path of inCore) {
    test(`finds each way to the outside in ${path}`, () => assertFound(report, path, forbidden))
  }

  for (const path of inBrowser) {
    test(`finds Node's Buffer in ${path}`, () => assertFound(report, path, browserForbidden))
  }

  for (const path of [pure, shell]) {
    test(`finds nothing in ${path}`, () => assert.ok(!report.includes(path), report))
  }
})

function assertFound(report: string, path: string, expressions: readonly string[]): void {
  for (const [index, expression] of expressions.entries()) {
    assert.ok(report.includes(`${path}:${index + 1}:`), `${expression} was not found in:\n${report}`)
  }
}

/** What the linter says of a tree in which each file exports its expressions, one a line. */
function lint(files: Readonly<Record<string, readonly string[]>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'eventmq-lint-'))
  try {
    for (const path of ['biome.json', 'scripts/lint']) cpSync(join(root, path), join(folder, path), { recursive: true })
    for (const [path, expressions] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      const lines = expressions.map((expression, index) => `export const value${index} = ${expression}\n`)
      writeFileSync(join(folder, path), lines.join(''))
    }
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
    const args = [biome, 'lint', '--vcs-enabled=false', '--max-diagnostics=none', 'packages']
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    return stdout + stderr
  } finally {
    rmSync(folder, { recursive: true })
  }
}
