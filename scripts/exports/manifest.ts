// What every published package.json has in common. In: the manifests. Out: each departure, with what was expected.

import { isDeepStrictEqual } from 'node:util'
import type { Package } from '../workspace.ts'

/** Fields that are the same in all packages. */
const COMMON: Readonly<Record<string, unknown>> = {
  license: 'MIT',
  type: 'module',
  sideEffects: false,
  engines: { node: '>=22.13', bun: '>=1.3', deno: '>=2.4' },
  files: ['dist', '!dist/.tsbuildinfo', 'src'],
  repository: undefined,
  scripts: undefined,
  private: undefined,
}

/** Conditions in the order in which a resolver must meet them. */
const CONDITIONS = ['source', 'types', 'default']

/** What is wrong with the manifests, one line each. */
export function manifestFaults(packages: readonly Package[]): string[] {
  const version = packages[0]?.manifest.version
  const names = new Set(packages.map(({ manifest }) => manifest.name))
  return packages.flatMap(({ path, folder, manifest }) =>
    [
      ...Object.entries(COMMON)
        .filter(([field, value]) => !isDeepStrictEqual(manifest[field], value))
        .map(([field, value]) => `"${field}" is ${show(manifest[field])}, expected ${show(value)}`),
      ...(typeof manifest['description'] === 'string' ? [] : ['"description" is missing']),
      ...(manifest.version === version ? [] : [`"version" is ${manifest.version}, the others have ${version}`]),
      ...nameFaults(folder, manifest.name),
      ...entryFaults(manifest),
      ...Object.entries(manifest.dependencies)
        .filter(([name, wanted]) => (names.has(name) ? wanted !== version : !/^\d/.test(wanted)))
        .map(([name, wanted]) => `"dependencies" asks for ${name} ${wanted}, expected one exact version`),
    ].map((fault) => `${path}/package.json: ${fault}`),
  )
}

function nameFaults(folder: string, name: string): string[] {
  const outside: Readonly<Record<string, string>> = { 'zeromq-ts-pure': 'zeromq-ts-pure', cli: 'eventmq-ts' }
  const expected = outside[folder] ?? `@eventmq-ts/${folder}`
  return name === expected ? [] : [`"name" is ${name}, expected ${expected}`]
}

function entryFaults({ main, types, exports }: Package['manifest']): string[] {
  const root = exports['.']
  if (root === undefined || typeof root === 'string') return ['"exports" has no "." with source, types and default']
  const faults = Object.entries(exports).flatMap(([subpath, entry]) => {
    if (typeof entry === 'string') return []
    const conditions = Object.keys(entry)
    const name = entry.source.replace(/^\.\/src\/(.*)\.ts$/, '$1')
    const expected = { source: `./src/${name}.ts`, types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` }
    return [
      ...(isDeepStrictEqual(conditions, CONDITIONS)
        ? []
        : [`"exports" "${subpath}" has the conditions ${conditions.join(', ')}, expected ${CONDITIONS.join(', ')}`]),
      ...(isDeepStrictEqual(entry, expected)
        ? []
        : [`"exports" "${subpath}" is ${show(entry)}, expected ${show(expected)}`]),
    ]
  })
  if (exports['./package.json'] !== './package.json') faults.push('"exports" has no "./package.json"')
  if (main !== root.default) faults.push(`"main" is ${main}, expected ${root.default} as in "exports"`)
  if (types !== root.types) faults.push(`"types" is ${types}, expected ${root.types} as in "exports"`)
  return faults
}

function show(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value)
}
