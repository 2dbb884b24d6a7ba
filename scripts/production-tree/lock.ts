// The packages that a user of ours installs, by package-lock.json. In: the lock file's text. Out: the closure of the
// workspace packages' dependencies, development dependencies left out.

import { posix } from 'node:path'
import { z } from 'zod'

const Names = z.record(z.string(), z.string()).default({})

const LockEntry = z.object({
  version: z.string().optional(),
  link: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  os: z.array(z.string()).optional(),
  cpu: z.array(z.string()).optional(),
  libc: z.array(z.string()).optional(),
  dependencies: Names,
  optionalDependencies: Names,
  peerDependencies: Names,
})

const Lock = z.object({ packages: z.record(z.string(), LockEntry) })

/** One package of the production tree. */
export interface ProductionPackage extends z.infer<typeof LockEntry> {
  /** Its folder from the root, e.g. `node_modules/zod`. */
  readonly path: string
  /** How it comes to be there: names from a workspace package down to it. */
  readonly chain: readonly string[]
}

/** All packages from a registry that the workspace packages need at run time, each once. */
export function productionPackages(lockText: string): ProductionPackage[] {
  const { packages } = Lock.parse(JSON.parse(lockText))
  const found = new Map<string, ProductionPackage>()
  const waiting = Object.keys(packages)
    .filter((path) => /^packages\/[^/]+$/.test(path))
    .map((path) => ({ path, chain: [path] }))
  const seen = new Set(waiting.map(({ path }) => path))
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { path, chain } = next
    const entry = packages[path]
    if (entry === undefined) throw new Error(`package-lock.json has no entry "${path}"`)
    if (path.includes('node_modules/')) found.set(path, { ...entry, path, chain })
    const needs = { ...entry.peerDependencies, ...entry.optionalDependencies, ...entry.dependencies }
    for (const name of Object.keys(needs)) {
      const place = locate(packages, path, name)
      // Optional packages and peers may be absent; a link leads to a workspace package, which is in the list anyway.
      if (place === undefined || seen.has(place) || packages[place]?.link === true) continue
      seen.add(place)
      waiting.push({ path: place, chain: [...chain, name] })
    }
  }
  return [...found.values()]
}

/** Where Node finds `name` from the package at `path`: its own node_modules, then those further up. */
function locate(packages: Readonly<Record<string, unknown>>, path: string, name: string): string | undefined {
  for (let folder = path; ; folder = posix.dirname(folder)) {
    const place = posix.join(folder, 'node_modules', name)
    if (packages[place] !== undefined) return place
    if (folder === '.') return undefined
  }
}
