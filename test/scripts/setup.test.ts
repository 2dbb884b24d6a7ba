// The set-up that stands before every command: when it installs, and what it says when something is in the way.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { SetupFailure } from '../../scripts/setup/failure.mjs'
import { differenceFromLock } from '../../scripts/setup/lock-file.mjs'
import { requireNodeVersion } from '../../scripts/setup/node-version.mjs'
import { brokenRuntime, requireRuntimes } from '../../scripts/setup/runtimes.mjs'

const entry = fileURLToPath(new URL('../../scripts/run.mjs', import.meta.url))

describe('the Node that starts us', () => {
  for (const version of ['v20.0.0', 'v20.20.2', 'v24.1.0', 'v100.0.0']) {
    test(`may be ${version}`, () => requireNodeVersion(version))
  }

  for (const version of ['v18.20.4', 'v4.9.1', 'v0.12.18']) {
    test(`may not be ${version}, and the error says which one is needed`, () => {
      assert.throws(
        () => requireNodeVersion(version),
        (error) => error instanceof SetupFailure && /needs Node 20 or later/.test(error.message),
      )
    })
  }
})

describe('an install', () => {
  const wanted = {
    packages: {
      '': {},
      'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
      'node_modules/a-darwin': { version: '1.0.0', optional: true },
      'node_modules/b': { link: true },
    },
  }
  const { 'node_modules/a-darwin': _, '': __, ...installed } = wanted.packages

  const cases: readonly { name: string; packages: Record<string, object>; difference: RegExp | undefined }[] = [
    { name: 'is not needed when all is there but other platforms', packages: installed, difference: undefined },
    {
      name: 'is needed when a package is missing',
      packages: { 'node_modules/b': { link: true } },
      difference: /node_modules\/a is not installed/,
    },
    {
      name: 'is needed when a version differs',
      packages: { ...installed, 'node_modules/a': { version: '0.9.0' } },
      difference: /is 0\.9\.0, package-lock\.json asks for 1\.0\.0/,
    },
    {
      name: 'is needed when the contents differ',
      packages: { ...installed, 'node_modules/a': { version: '1.0.0', integrity: 'sha512-x' } },
      difference: /other contents/,
    },
    {
      name: 'is needed when a package is left over',
      packages: { ...installed, 'node_modules/old': { version: '1.0.0' } },
      difference: /node_modules\/old is no longer asked for/,
    },
    {
      name: 'leaves alone what someone added by hand',
      packages: { ...installed, 'node_modules/mine': { version: '1.0.0', extraneous: true } },
      difference: undefined,
    },
  ]

  for (const { name, packages, difference } of cases) {
    test(name, () => {
      const found = differenceFromLock(wanted, { packages })
      if (difference === undefined) assert.equal(found, undefined)
      else assert.match(found ?? '', difference)
    })
  }
})

describe('the pinned runtimes', () => {
  test('run here', () => {
    assert.equal(brokenRuntime(fileURLToPath(new URL('../..', import.meta.url))), undefined)
  })

  test('that npm did not put in place are told with the command that does', () => {
    const folder = mkdtempSync(join(tmpdir(), 'eventmq-setup-'))
    try {
      writeFileSync(join(folder, 'package.json'), '{"devDependencies":{"node":"24.0.0","bun":"1.0.0","deno":"2.0.0"}}')
      assert.throws(
        () => requireRuntimes(folder),
        (error) =>
          error instanceof SetupFailure &&
          /node 24\.0\.0 does not start/.test(error.message) &&
          error.remedies.some((remedy) => remedy.includes('npm rebuild')),
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

test('an unknown step ends with exit code 1 and the list of steps', () => {
  const { status, stderr } = spawnSync(process.execPath, [entry, 'tset'], { encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, /there is no step "tset"\n {2}- choose one of: demo, test, check, build, bench, eventmq\n$/)
})
