// The boundaries checker finds a violation of each of its rules in a small tree, and nothing in a clean one. Each case
// starts from the clean tree and changes it by the files it names.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Rules } from '../../scripts/boundaries/rules.ts'
import { resolveImports } from '../../scripts/boundaries/tree.ts'
import { describe as describeViolation, type Rule, type Violation } from '../../scripts/boundaries/violation.ts'
import { findBrokenWalls } from '../../scripts/boundaries/walls.ts'
import { findBrokenWholes } from '../../scripts/boundaries/whole.ts'
import { type Package, parseManifest } from '../../scripts/workspace.ts'

const rules: Rules = {
  packages: {
    codec: { packages: [], libraries: { zod: 'schemas' } },
    broker: { packages: ['codec'], libraries: {} },
    worker: { packages: ['codec'], libraries: {} },
  },
  layers: [
    { inside: 'packages/broker/src/wire', may: [] },
    { inside: 'packages/broker/src/engine/pipe', may: [] },
    { inside: 'packages/broker/src/engine', may: ['packages/broker/src/wire'] },
    { inside: 'packages/broker/src/pattern', may: ['packages/broker/src/engine/pipe'] },
  ],
  cores: ['packages/codec/src', 'packages/broker/src/core'],
  peers: { zeromq: ['test/interop'] },
  outsiders: ['examples'],
}

const cleanTexts = {
  'packages/codec/src/index.ts': "import { z } from 'zod'\nexport { decode } from './decode.ts'\nexport const a = z",
  'packages/codec/src/decode.ts': 'export const decode = 1',
  'packages/broker/src/index.ts':
    "import type { Socket } from 'node:net'\nexport { serve } from './engine/serve.ts'\nexport type S = Socket",
  'packages/broker/src/engine/serve.ts': "import '../wire/frame.ts'\nimport './pipe.ts'\nexport const serve = 1",
  'packages/broker/src/engine/pipe.ts': 'export const pipe = 1',
  'packages/broker/src/wire/frame.ts': 'export const frame = 1',
  'packages/broker/src/core/queue.ts':
    "import { decode } from '@x/codec'\nimport type { S } from '../index.ts'\nexport const q: S | typeof decode = decode",
  'packages/worker/src/index.ts': "export * as codec from '@x/codec/decode'",
  'test/broker/queue.test.ts':
    "import 'node:test'\nimport 'fast-check'\nimport '../../packages/broker/src/core/queue.ts'",
  'test/interop/dealer.test.ts': "import 'zeromq'",
  'examples/job.ts': "import '@x/broker'",
}

const cleanPackages = [
  packageOf('codec', { zod: '4' }, { './decode': 'decode' }),
  packageOf('broker', { '@x/codec': '1' }),
  packageOf('worker', { '@x/codec': '1' }),
]

describe('the boundaries check', () => {
  test('is content with a clean tree', () => {
    assert.deepEqual(check({}), [])
  })

  const cases: readonly { rule: Rule; name: string; file: string; line: number; texts: Record<string, string> }[] = [
    {
      rule: 'package',
      name: 'a role that imports another role',
      file: 'packages/worker/src/x.ts',
      line: 2,
      texts: { 'packages/worker/src/x.ts': "// a comment\nimport { serve } from '@x/broker'\nexport const x = serve" },
    },
    {
      rule: 'package',
      name: 'a role that imports only a type of another role',
      file: 'packages/worker/src/x.ts',
      line: 1,
      texts: { 'packages/worker/src/x.ts': "import type { S } from '@x/broker'\nexport type X = S" },
    },
    {
      rule: 'package',
      name: 'a type written as import()',
      file: 'packages/worker/src/x.ts',
      line: 1,
      texts: { 'packages/worker/src/x.ts': "export type X = import('@x/broker').S" },
    },
    {
      rule: 'package',
      name: 'an import() at run time',
      file: 'packages/worker/src/x.ts',
      line: 1,
      texts: { 'packages/worker/src/x.ts': "export const x = () => import('@x/broker')" },
    },
    {
      rule: 'layer',
      name: 'a wire that imports its engine',
      file: 'packages/broker/src/wire/x.ts',
      line: 1,
      texts: { 'packages/broker/src/wire/x.ts': "export * from '../engine/pipe.ts'" },
    },
    {
      rule: 'layer',
      name: 'a pattern that sees more of the engine than its pipe',
      file: 'packages/broker/src/pattern/x.ts',
      line: 2,
      texts: { 'packages/broker/src/pattern/x.ts': "import '../engine/pipe.ts'\nimport '../engine/serve.ts'" },
    },
    {
      rule: 'layer',
      name: 'a pipe that imports the rest of its engine',
      file: 'packages/broker/src/engine/pipe.ts',
      line: 1,
      texts: {
        'packages/broker/src/engine/pipe.ts': "import './clock.ts'",
        'packages/broker/src/engine/clock.ts': 'export {}',
      },
    },
    {
      rule: 'core',
      name: 'a core that imports a module of Node',
      file: 'packages/broker/src/core/x.ts',
      line: 1,
      texts: {
        'packages/broker/src/core/x.ts': "import { readFileSync } from 'node:fs'\nexport const x = readFileSync",
      },
    },
    {
      rule: 'core',
      name: 'a core that loads a module of Node through a file that is none',
      file: 'packages/broker/src/core/x.ts',
      line: 1,
      texts: {
        'packages/broker/src/core/x.ts': "import { type Disk } from '../disk.ts'\nexport type X = Disk",
        'packages/broker/src/disk.ts': "import 'node:fs'\nexport type Disk = 1",
      },
    },
    {
      rule: 'cycle',
      name: 'two files that import each other, one of them only a type',
      file: 'packages/broker/src/a.ts',
      line: 1,
      texts: {
        'packages/broker/src/a.ts': "import { b } from './b.ts'\nexport type A = typeof b",
        'packages/broker/src/b.ts': "import type { A } from './a.ts'\nexport const b: A | 1 = 1",
      },
    },
    {
      rule: 'deep import',
      name: 'a name that the exports map does not have',
      file: 'packages/worker/src/x.ts',
      line: 1,
      texts: { 'packages/worker/src/x.ts': "import '@x/codec/src/decode.ts'" },
    },
    {
      rule: 'deep import',
      name: 'a relative path into another package',
      file: 'packages/worker/src/x.ts',
      line: 1,
      texts: { 'packages/worker/src/x.ts': "import '../../codec/src/decode.ts'" },
    },
    {
      rule: 'deep import',
      name: 'a package that imports itself by name',
      file: 'packages/codec/src/x.ts',
      line: 1,
      texts: { 'packages/codec/src/x.ts': "export type { decode } from '@x/codec'" },
    },
    {
      rule: 'missing file',
      name: 'a relative import without its ending',
      file: 'packages/codec/src/x.ts',
      line: 1,
      texts: { 'packages/codec/src/x.ts': "import './decode'" },
    },
    {
      rule: 'library',
      name: 'a library that the package may not have',
      file: 'packages/broker/src/x.ts',
      line: 1,
      texts: { 'packages/broker/src/x.ts': "import 'pino'" },
    },
    {
      rule: 'undeclared',
      name: 'a test that imports what the root does not have',
      file: 'test/broker/x.test.ts',
      line: 1,
      texts: { 'test/broker/x.test.ts': "import 'left-pad'" },
    },
    {
      rule: 'peer',
      name: 'a live peer outside the interop tests',
      file: 'test/broker/x.test.ts',
      line: 1,
      texts: { 'test/broker/x.test.ts': "import 'zeromq'" },
    },
    {
      rule: 'outsider',
      name: 'an example that reaches into the sources',
      file: 'examples/job.ts',
      line: 1,
      texts: { 'examples/job.ts': "import '../packages/broker/src/index.ts'" },
    },
  ]

  for (const { rule, name, file, line, texts } of cases) {
    test(`finds ${name}`, () => {
      const found = check(texts)
      assert.ok(
        found.some((violation) => violation.rule === rule && violation.file === file && violation.line === line),
        `expected [${rule}] at ${file}:${line}, found:\n${found.map(describeViolation).join('\n')}`,
      )
    })
  }

  test('finds a library that is allowed but not declared', () => {
    const found = check({}, [packageOf('codec', {}, { './decode': 'decode' }), ...cleanPackages.slice(1)])
    assert.deepEqual(summary(found), [{ rule: 'undeclared', file: 'packages/codec/src/index.ts', line: 1 }])
  })

  test('finds a dependency that nobody imports', () => {
    const found = check({}, [
      packageOf('codec', { zod: '4', ws: '8' }, { './decode': 'decode' }),
      ...cleanPackages.slice(1),
    ])
    assert.deepEqual(summary(found), [{ rule: 'unused', file: 'packages/codec/package.json', line: 1 }])
  })

  test('finds a package that the rules do not know', () => {
    const found = check({}, [...cleanPackages, packageOf('novelty', {})])
    assert.deepEqual(summary(found), [{ rule: 'no rule', file: 'packages/novelty/package.json', line: 1 }])
  })

  test('reports a cycle once, with the whole way round', () => {
    const found = check({
      'packages/broker/src/a.ts': "import './b.ts'",
      'packages/broker/src/b.ts': "import './c.ts'",
      'packages/broker/src/c.ts': "import './a.ts'",
    })
    assert.equal(found.length, 1)
    assert.match(found[0]?.problem ?? '', /a\.ts -> \S+b\.ts -> \S+c\.ts -> \S+a\.ts$/)
  })

  test('takes no text in strings, templates, comments and regular expressions for an import', () => {
    const text = `
      const a = \`import 'pino' \${'import "pino"'}\`
      // import 'pino'
      export const b = [a, /import('pino')/, "import('pino')"]
    `
    assert.deepEqual(check({ 'packages/broker/src/x.ts': text }), [])
  })

  test('says file, line, rule, problem and remedy', () => {
    const [first] = check({ 'packages/broker/src/x.ts': "import 'pino'" })
    assert.ok(first !== undefined)
    assert.match(
      describeViolation(first),
      /^packages\/broker\/src\/x\.ts:1 \[library\] broker may not import pino\n {4}\S/,
    )
  })
})

function check(changes: Readonly<Record<string, string>>, packages: readonly Package[] = cleanPackages): Violation[] {
  const texts = new Map(Object.entries({ ...cleanTexts, ...changes }))
  const graph = resolveImports({ texts, packages, devDependencies: { 'fast-check': '4', zeromq: '6' } })
  return [...findBrokenWalls(graph, rules), ...findBrokenWholes(graph, rules)]
}

function summary(violations: readonly Violation[]) {
  return violations.map(({ rule, file, line }) => ({ rule, file, line }))
}

function packageOf(
  folder: string,
  dependencies: Readonly<Record<string, string>>,
  subpaths: Readonly<Record<string, string>> = {},
): Package {
  const entries = Object.entries({ '.': 'index', ...subpaths }).map(([subpath, file]) => [
    subpath,
    { source: `./src/${file}.ts`, types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` },
  ])
  const manifest = {
    name: `@x/${folder}`,
    version: '1.0.0',
    main: './dist/index.js',
    types: './dist/index.d.ts',
    exports: Object.fromEntries(entries),
    dependencies,
  }
  return { folder, path: `packages/${folder}`, manifest: parseManifest(folder, JSON.stringify(manifest)) }
}
