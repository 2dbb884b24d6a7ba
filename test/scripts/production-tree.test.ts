// The production-tree check sees each sign of native code and install scripts, and follows only what users install.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { productionPackages } from '../../scripts/production-tree/lock.ts'
import { signsInLock, signsOnDisk } from '../../scripts/production-tree/native-code.ts'

describe('the production tree of a lock file', () => {
  const lock = JSON.stringify({
    packages: {
      '': { devDependencies: { native: '1' } },
      'packages/a': { version: '1.0.0', dependencies: { b: '1.0.0', plain: '1.0.0' } },
      'packages/b': { version: '1.0.0', dependencies: { nested: '2.0.0' }, devDependencies: { native: '1.0.0' } },
      'node_modules/a': { resolved: 'packages/a', link: true },
      'node_modules/b': { resolved: 'packages/b', link: true },
      'node_modules/native': { version: '1.0.0', hasInstallScript: true },
      'node_modules/nested': { version: '1.0.0', os: ['linux'] },
      'node_modules/plain': {
        version: '1.0.0',
        dependencies: { nested: '1.0.0' },
        optionalDependencies: { 'not-here': '1.0.0' },
      },
      'node_modules/unused': { version: '1.0.0', hasInstallScript: true },
      'packages/b/node_modules/nested': { version: '2.0.0', hasInstallScript: true, cpu: ['x64'] },
    },
  })

  test('holds the dependencies of every package, nested ones apart, and no development dependency', () => {
    assert.deepEqual(
      productionPackages(lock).map(({ path, chain }) => [path, chain]),
      [
        ['node_modules/plain', ['packages/a', 'plain']],
        ['packages/b/node_modules/nested', ['packages/b', 'nested']],
        ['node_modules/nested', ['packages/a', 'plain', 'nested']],
      ],
    )
  })

  test('tells install scripts and platforms, with the way that leads there', () => {
    assert.deepEqual(productionPackages(lock).flatMap(signsInLock), [
      'packages/b/node_modules/nested has an install script (by packages/b > nested)',
      'packages/b/node_modules/nested is only for cpu x64 (by packages/b > nested)',
      'node_modules/nested is only for os linux (by packages/a > plain > nested)',
    ])
  })
})

describe('a package folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'eventmq-native-'))
  after(() => rmSync(folder, { recursive: true }))

  const cases: readonly { name: string; files: Readonly<Record<string, string>>; signs: readonly RegExp[] }[] = [
    { name: 'plain', files: { 'package.json': '{"scripts":{"test":"x"}}', 'index.js': '' }, signs: [] },
    { name: 'addon', files: { 'package.json': '{}', 'build/x.node': '' }, signs: [/x\.node is native code/] },
    {
      name: 'gyp',
      files: { 'package.json': '{"gypfile":true}', 'binding.gyp': '' },
      signs: [/binding\.gyp/, /gypfile/],
    },
    { name: 'hook', files: { 'package.json': '{"scripts":{"postinstall":"x"}}' }, signs: [/the script postinstall/] },
    { name: 'nested', files: { 'package.json': '{}', 'node_modules/y/y.node': '' }, signs: [] },
  ]

  for (const { name, files, signs } of cases) {
    test(`"${name}" shows ${signs.length} signs`, () => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name, path)), { recursive: true })
        writeFileSync(join(folder, name, path), text)
      }
      const found = signsOnDisk(join(folder, name))
      assert.equal(found.length, signs.length, found.join('\n'))
      for (const [index, sign] of signs.entries()) assert.match(found[index] ?? '', sign)
    })
  }
})
