// Building leaves nothing in dist/ that has no source, and notices when something is missing there.

import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { pruneOutputs } from '../../scripts/build/outputs.ts'

describe('the output folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'eventmq-build-'))
  after(() => rmSync(folder, { recursive: true }))
  const outputsOf = (name: string) => ['.js', '.js.map', '.d.ts', '.d.ts.map'].map((ending) => `dist/${name}${ending}`)
  const put = (paths: readonly string[]) => {
    for (const path of paths) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), '')
    }
  }

  test('may be absent', () => {
    put(['src/index.ts', 'src/wire/frame.ts'])
    assert.deepEqual(pruneOutputs(folder), [])
  })

  test('keeps what has a source, and its build record', () => {
    put([...outputsOf('index'), ...outputsOf('wire/frame'), 'dist/.tsbuildinfo'])
    assert.deepEqual(pruneOutputs(folder), [])
    assert.ok(existsSync(join(folder, 'dist/.tsbuildinfo')))
  })

  test('loses what has no source any more', () => {
    put(outputsOf('wire/gone'))
    assert.deepEqual(pruneOutputs(folder).toSorted(), outputsOf('wire/gone').toSorted())
    assert.ok(!existsSync(join(folder, 'dist/wire/gone.js')))
  })

  test('loses its build record when an output is missing, so that the compiler writes all', () => {
    rmSync(join(folder, 'dist/wire/frame.d.ts'))
    assert.deepEqual(pruneOutputs(folder), [])
    assert.ok(!existsSync(join(folder, 'dist/.tsbuildinfo')))
  })
})
