// The packages of this repository as their manifests describe them. In: the repository's root. Out: one record a
// package, checked against a schema, so that scripts never meet a half-written package.json deeper inside.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** The repository's root folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const EntryShape = z.strictObject({ source: z.string(), types: z.string(), default: z.string() })
// The order of conditions has a meaning, and parsing an object would bring its keys into the schema's order.
const Entry = z.custom<z.infer<typeof EntryShape>>(
  (value) => EntryShape.safeParse(value).success,
  'expected the conditions source, types and default',
)
const Versions = z.record(z.string(), z.string())

const Manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  main: z.string(),
  types: z.string(),
  exports: z.record(z.string(), z.union([z.string(), Entry])),
  bin: z.record(z.string(), z.string()).default({}),
  dependencies: Versions.default({}),
})

/** A package.json of packages/. Fields that no script reads are kept as they are. */
export type Manifest = z.infer<typeof Manifest>

/** One entry of an exports map: sources for us, declarations and built code for users. */
export type Entry = z.infer<typeof EntryShape>

/** One package of the workspace. */
export interface Package {
  /** The folder's name under packages/, e.g. `broker`. */
  readonly folder: string
  /** The folder's path from the root, with slashes, e.g. `packages/broker`. */
  readonly path: string
  readonly manifest: Manifest
}

/** All packages, by folder name. Throws an Error that names the file if a manifest is not as the schema says. */
export function readPackages(from: string = root): Package[] {
  return readdirSync(join(from, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => {
      const path = `packages/${entry.name}`
      return { folder: entry.name, path, manifest: parseManifest(`${path}/package.json`, read(from, path)) }
    })
}

/** Checks one package.json's text. `path` is named in the error. */
export function parseManifest(path: string, text: string): Manifest {
  const parsed = Manifest.safeParse(JSON.parse(text))
  if (parsed.success) return parsed.data
  throw new Error(`${path} is not a manifest of this repository:\n${z.prettifyError(parsed.error)}`)
}

const RootManifest = z.object({ devDependencies: Versions })

/** The development dependencies of the root package.json: what tests and scripts may import. */
export function readDevDependencies(from: string = root): Readonly<Record<string, string>> {
  return RootManifest.parse(JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))).devDependencies
}

function read(from: string, path: string): string {
  return readFileSync(join(from, path, 'package.json'), 'utf8')
}
