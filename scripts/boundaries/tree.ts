// What the boundaries check looks at: every source file with its imports resolved, and the packages they lie in.
// In: texts by path. Out: the same tree with each import turned into the thing it names. Paths are from the repository's
// root, with slashes; nothing here reads a disk.

import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import type { Package } from '../workspace.ts'
import { type Import, readImports } from './imports.ts'

/** The tree as it lies on disk. */
export interface SourceTree {
  readonly texts: ReadonlyMap<string, string>
  readonly packages: readonly Package[]
  /** The root package.json's devDependencies, by name. */
  readonly devDependencies: Readonly<Record<string, string>>
}

/** What an import leads to. */
export type Target =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'missing file'; readonly path: string }
  | { readonly kind: 'node' }
  | {
      readonly kind: 'package'
      readonly package: Package
      readonly subpath: string
      readonly entry: string | undefined
    }
  | { readonly kind: 'library'; readonly name: string }

/** One import, with where it stands and where it leads. */
export interface Edge extends Import {
  readonly from: string
  readonly target: Target
}

/** The resolved tree. */
export interface ImportGraph {
  readonly packages: readonly Package[]
  readonly devDependencies: Readonly<Record<string, string>>
  readonly edges: ReadonlyMap<string, readonly Edge[]>
}

/** Whether `path` is the file `place.ts`, the file `place`, or lies under the folder `place/`. */
export function isInside(path: string, place: string): boolean {
  return path === place || path === `${place}.ts` || path.startsWith(`${place}/`)
}

/** The package that a file belongs to, if any. */
export function packageOf(path: string, packages: readonly Package[]): Package | undefined {
  return packages.find((candidate) => isInside(path, candidate.path))
}

/** The file that an import runs through, in this repository; undefined if it leads outside. */
export function fileBehind(target: Target): string | undefined {
  if (target.kind === 'file') return target.path
  if (target.kind === 'package') return target.entry
  return undefined
}

export function resolveImports(tree: SourceTree): ImportGraph {
  const edges = new Map<string, readonly Edge[]>()
  for (const [from, imports] of readImports(tree.texts)) {
    edges.set(
      from,
      imports.map((found) => ({ ...found, from, target: resolve(tree, from, found.specifier) })),
    )
  }
  return { packages: tree.packages, devDependencies: tree.devDependencies, edges }
}

function resolve(tree: SourceTree, from: string, specifier: string): Target {
  if (specifier.startsWith('.')) {
    const path = posix.join(posix.dirname(from), specifier)
    return { kind: tree.texts.has(path) ? 'file' : 'missing file', path }
  }
  if (isBuiltin(specifier)) return { kind: 'node' }
  const segments = specifier.split('/')
  const name = segments.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
  const subpath = ['.', ...segments.slice(name.split('/').length)].join('/')
  const found = tree.packages.find(({ manifest }) => manifest.name === name)
  if (found === undefined) return { kind: 'library', name }
  return { kind: 'package', package: found, subpath, entry: sourceOf(found, subpath) }
}

function sourceOf({ path, manifest }: Package, subpath: string): string | undefined {
  const entry = manifest.exports[subpath]
  if (entry === undefined) return undefined
  return posix.join(path, typeof entry === 'string' ? entry : entry.source)
}
