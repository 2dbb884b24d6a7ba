// The exports check finds each kind of fault in a manifest, and sees what a user's compiler and runtimes would see.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { consume } from '../../scripts/exports/consumer.ts'
import { missingFiles } from '../../scripts/exports/files.ts'
import { manifestFaults } from '../../scripts/exports/manifest.ts'
import { type Package, parseManifest } from '../../scripts/workspace.ts'

const root = { source: './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' }

const clean = {
  name: '@eventmq-ts/sample',
  version: '1.0.0',
  description: 'A sample.',
  license: 'MIT',
  type: 'module',
  sideEffects: false,
  engines: { node: '>=22.13', bun: '>=1.3', deno: '>=2.4' },
  files: ['dist', '!dist/.tsbuildinfo', 'src'],
  main: './dist/index.js',
  types: './dist/index.d.ts',
  exports: { '.': root, './package.json': './package.json' },
  dependencies: { zod: '4.6.7' },
}

describe('the manifests', () => {
  test('of a clean package have no fault', () => {
    assert.deepEqual(manifestFaults([sample({})]), [])
  })

  const { default: builtFile, types: declarations, source } = root
  const cases: readonly { name: string; change: Readonly<Record<string, unknown>>; fault: RegExp }[] = [
    { name: 'another licence', change: { license: 'ISC' }, fault: /"license" is "ISC", expected "MIT"/ },
    { name: 'other engines', change: { engines: { node: '>=18' } }, fault: /"engines"/ },
    { name: 'an install script', change: { scripts: { postinstall: 'x' } }, fault: /"scripts"/ },
    { name: 'a private package', change: { private: true }, fault: /"private"/ },
    { name: 'another name', change: { name: 'sample' }, fault: /expected @eventmq-ts\/sample/ },
    { name: 'a main apart from exports', change: { main: './dist/main.js' }, fault: /"main" is \.\/dist\/main\.js/ },
    { name: 'types apart from exports', change: { types: './dist/main.d.ts' }, fault: /"types" is/ },
    { name: 'a range for a library', change: { dependencies: { zod: '^4.6.7' } }, fault: /zod \^4\.6\.7/ },
    {
      name: 'conditions out of order',
      change: {
        exports: { '.': { types: declarations, source, default: builtFile }, './package.json': './package.json' },
      },
      fault: /has the conditions types, source, default/,
    },
    {
      name: 'conditions that name different modules',
      change: { exports: { '.': { ...root, default: './dist/other.js' }, './package.json': './package.json' } },
      fault: /"exports" "\." is/,
    },
    { name: 'no own package.json', change: { exports: { '.': root } }, fault: /no "\.\/package\.json"/ },
  ]

  for (const { name, change, fault } of cases) {
    test(`with ${name} are at fault`, () => {
      const faults = manifestFaults([sample(change)])
      assert.ok(
        faults.some((found) => fault.test(found)),
        `expected ${fault}, found:\n${faults.join('\n')}`,
      )
    })
  }

  test('with different versions are at fault, also where one asks for another', () => {
    const other: Package = {
      ...sample({ name: '@eventmq-ts/other', dependencies: { [clean.name]: '0.9.0' } }),
      folder: 'other',
    }
    assert.deepEqual(manifestFaults([sample({}), other]), [
      'packages/sample/package.json: "dependencies" asks for @eventmq-ts/sample 0.9.0, expected one exact version',
    ])
  })
})

describe('the files of a package', () => {
  test('are missed where exports and bin name them', () => {
    inFolder({ 'packages/sample/src/index.ts': '', 'packages/sample/dist/cli.js': 'main()' }, (folder) => {
      const found = missingFiles([sample({ bin: { sample: './dist/cli.js', gone: './dist/gone.js' } })], folder)
      assert.deepEqual(
        found.map((fault) => /names (\S+), which (\S+ \S+)/.exec(fault)?.slice(1).join(' ')),
        [
          './dist/index.d.ts does not',
          './dist/index.js does not',
          './package.json does not',
          './dist/gone.js does not',
          './dist/cli.js does not',
        ],
      )
      assert.match(found.at(-1) ?? '', /does not begin with #!/)
    })
  })
})

describe('a consumer', () => {
  const built = {
    'package.json': JSON.stringify(clean),
    'dist/index.js': "export { part } from './part.js'",
    'dist/part.js': 'export const part = 1',
    'dist/index.d.ts': "export { part } from './part.ts'",
    'dist/part.d.ts': 'export declare const part: number',
  }

  test('compiles and runs against declarations that name ./part.ts', async () => {
    assert.deepEqual(await consumeSample(built), [])
  })

  test('does not compile where a declaration leads nowhere', async () => {
    const { 'dist/part.d.ts': _, ...rest } = built
    const faults = await consumeSample(rest)
    assert.match(faults.join('\n'), /does not compile \(nodenext\)[\s\S]*part\.ts/)
    assert.match(faults.join('\n'), /does not compile \(bundler\)[\s\S]*part\.ts/)
  })

  test('cannot require a module with top-level await', async () => {
    const faults = await consumeSample({ ...built, 'dist/part.js': 'export const part = await 1' })
    assert.match(faults.join('\n'), /does not run on node[\s\S]*ERR_REQUIRE_ASYNC_MODULE/)
  })
})

async function consumeSample(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'eventmq-exports-'))
  try {
    write(join(folder, 'node_modules', clean.name), files)
    return await consume(folder, [sample({})])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function inFolder(files: Readonly<Record<string, string>>, use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'eventmq-exports-'))
  try {
    write(folder, files)
    use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

function sample(change: Readonly<Record<string, unknown>>): Package {
  const manifest = parseManifest('sample', JSON.stringify({ ...clean, ...change }))
  return { folder: 'sample', path: 'packages/sample', manifest }
}
