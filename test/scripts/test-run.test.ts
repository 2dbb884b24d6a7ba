// The runner behind `npm test`: which files it chooses, how it counts on each runtime, and when it calls a run bad.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readJunit } from '../../scripts/test/junit.ts'
import { SelectionError, selectTests } from '../../scripts/test/selection.ts'
import { describeSkips, faultsOf, summaryLine, type Tally } from '../../scripts/test/tally.ts'

describe('the selection', () => {
  const files = ['test/emqp/header.test.ts', 'test/broker/queue.test.ts', 'test/runtimes/smoke.test.ts']
  const smoke = ['test/runtimes/smoke.test.ts']

  test('without arguments is everything on Node and the portable suite on Bun and Deno', () => {
    assert.deepEqual(selectTests([], files), { node: files, bun: smoke, deno: smoke })
  })

  test('by a part of the path leaves out runtimes that have no such file', () => {
    assert.deepEqual(selectTests(['emqp'], files), { node: ['test/emqp/header.test.ts'], bun: [], deno: [] })
  })

  test('by runtime runs any file there', () => {
    const chosen = ['test/emqp/header.test.ts', 'test/broker/queue.test.ts']
    assert.deepEqual(selectTests(['--on', 'bun,deno', 'emqp', 'broker'], files), {
      node: [],
      bun: chosen,
      deno: chosen,
    })
  })

  for (const [args, problem] of [
    [['nothing-like-it'], /no test file matches nothing-like-it; there are: test\/emqp, test\/broker/],
    [['--on', 'lua'], /"lua" is none of node, bun, deno/],
    [['--watch'], /--watch/],
  ] as const) {
    test(`refuses ${args.join(' ')}`, () => {
      assert.throws(
        () => selectTests(args, files),
        (error) => error instanceof SelectionError && problem.test(error.message),
      )
    })
  }
})

describe('a run', () => {
  const good: Tally = { runtime: 'node', exitStatus: 0, passed: 3, failed: 0, skips: [], emptyFiles: [] }

  test('is good when tests passed and nothing else happened', () => {
    assert.deepEqual(faultsOf(good, false), [])
    assert.equal(summaryLine(good), 'node: 3 passed, 0 failed, 0 skipped')
  })

  const cases: readonly { name: string; change: Partial<Tally>; fault: RegExp }[] = [
    { name: 'a test failed', change: { failed: 1, exitStatus: 1 }, fault: /1 failed/ },
    { name: 'the runtime ended badly after its tests', change: { exitStatus: 134 }, fault: /status 134/ },
    { name: 'no test was executed', change: { passed: 0 }, fault: /executed no test/ },
    { name: 'a file holds no test', change: { emptyFiles: ['a.test.ts'] }, fault: /a\.test\.ts holds no test/ },
  ]
  for (const { name, change, fault } of cases) {
    test(`is bad when ${name}`, () => assert.match(faultsOf({ ...good, ...change }, true).join('\n'), fault))
  }

  test('may skip on a desk, with the reason told, but not in CI', () => {
    const skipping: Tally = { ...good, skips: [{ name: 'a peer', reason: 'no python3-zmq' }] }
    assert.deepEqual(faultsOf(skipping, true), [])
    assert.match(faultsOf(skipping, false).join('\n'), /1 skipped/)
    assert.deepEqual(describeSkips(skipping), ['node: skipped "a peer": no python3-zmq'])
  })
})

describe('the JUnit reader', () => {
  test('counts what bun test writes', () => {
    const xml = `<testsuites name="bun test" tests="3"><testsuite name="a" tests="3">
      <testcase name="a &gt; sum" classname="x" assertions="0" />
      <testcase name="later &amp; never" classname="x"><skipped message="TODO" /></testcase>
      <testcase name="bad" classname="x"><failure type="AssertionError" /></testcase></testsuite></testsuites>`
    assert.deepEqual(readJunit(xml), { passed: 1, failed: 1, skips: [{ name: 'later & never', reason: undefined }] })
  })

  test('counts what deno test writes', () => {
    const xml = `<testsuites name="deno test"><testsuite name="./a.test.ts" tests="2" disabled="1">
        <testcase name="group" classname="./a.test.ts" time="0.005" line="3" col="1">
        </testcase>
        <testcase name="group &gt; skipped" classname="x"><skipped/>
        </testcase></testsuite></testsuites>`
    assert.deepEqual(readJunit(xml), { passed: 1, failed: 0, skips: [{ name: 'group > skipped', reason: undefined }] })
  })

  test('counts nothing in an empty report', () => {
    assert.deepEqual(readJunit(''), { passed: 0, failed: 0, skips: [] })
  })
})

test('the reporter on Node tells passes, failures, skips with reasons, empty files and files that cannot load', () => {
  const folder = mkdtempSync(join(tmpdir(), 'eventmq-run-'))
  try {
    const files = {
      'mixed.test.mjs': `import { describe, test } from 'node:test'
        describe('group', () => { test('good', () => {}); test('bad', () => { throw new Error('no') }) })
        test('skipped', { skip: 'no peer' }, () => {})
        test('todo', { todo: true }, () => {})`,
      'empty.test.mjs': 'export {}',
      'unloadable.test.mjs': "import './gone.mjs'",
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const reporter = fileURLToPath(new URL('../../scripts/test/node-reporter.ts', import.meta.url))
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const args = ['--test', `--test-reporter=${reporter}`, ...Object.keys(files)]
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' })
    assert.deepEqual(JSON.parse(stdout), {
      passed: 1,
      failed: 2,
      skips: [{ name: 'skipped', reason: 'no peer' }, { name: 'todo' }],
      emptyFiles: ['empty.test.mjs'],
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
