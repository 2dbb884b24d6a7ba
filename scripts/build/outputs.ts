// Keeps dist/ honest. `tsc -b` neither deletes the output of a source that is gone nor writes anew what someone else
// deleted, since it trusts its build record. In: a package's folder. Out: dist/ holds nothing without a source, and the
// build record is gone if something is missing, so that the next build writes everything.

import { existsSync, globSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'

const BUILD_RECORD = '.tsbuildinfo'
const ENDINGS = ['.js', '.js.map', '.d.ts', '.d.ts.map']

/** Deletes what does not belong there; gives the deleted files, from the package's folder. */
export function pruneOutputs(packageFolder: string): string[] {
  const dist = join(packageFolder, 'dist')
  if (!existsSync(dist)) return []
  const expected = new Set(sourcesOf(packageFolder).flatMap((source) => outputsOf(source)))
  const present = globSync('**/*', { cwd: dist, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(dist.length + 1)
        .split(sep)
        .join('/'),
    )
  const stale = present.filter((path) => !expected.has(path) && path !== BUILD_RECORD)
  for (const path of stale) rmSync(join(dist, path))
  const isComplete = [...expected].every((path) => existsSync(join(dist, path)))
  if (!isComplete) rmSync(join(dist, BUILD_RECORD), { force: true })
  return stale.map((path) => `dist/${path}`)
}

function sourcesOf(packageFolder: string): string[] {
  return globSync('**/*.ts', { cwd: join(packageFolder, 'src') }).map((path) => path.split(sep).join('/'))
}

function outputsOf(source: string): string[] {
  return ENDINGS.map((ending) => source.replace(/\.ts$/, ending))
}
