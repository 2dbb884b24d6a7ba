// Whether the files that a manifest names exist: sources always, built ones after a build. In: packages and where they
// lie. Out: the missing ones.

import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Package } from '../workspace.ts'

const SHEBANG = '#!/usr/bin/env node'

/** Files that exports maps and `bin` name but that are not there, one line each. */
export function missingFiles(packages: readonly Package[], root: string): string[] {
  return packages.flatMap(({ path, manifest }) => {
    const targets = Object.entries(manifest.exports).flatMap(([subpath, entry]) =>
      (typeof entry === 'string' ? [entry] : Object.values(entry)).map((file) => ({
        name: `"exports" "${subpath}"`,
        file,
      })),
    )
    const programs = Object.entries(manifest.bin).map(([name, file]) => ({ name: `"bin" "${name}"`, file }))
    const missing = [...targets, ...programs]
      .filter(({ file }) => !existsSync(join(root, path, file)))
      .map(({ name, file }) => `${path}/package.json: ${name} names ${file}, which does not exist (npm run build)`)
    const unmarked = programs
      .filter(({ file }) => existsSync(join(root, path, file)) && !startsWith(join(root, path, file), SHEBANG))
      .map(({ name, file }) => `${path}/package.json: ${name} names ${file}, which does not begin with ${SHEBANG}`)
    return [...missing, ...unmarked]
  })
}

function startsWith(file: string, text: string): boolean {
  const start = Buffer.alloc(text.length)
  const handle = openSync(file, 'r')
  try {
    readSync(handle, start)
  } finally {
    closeSync(handle)
  }
  return start.toString('latin1') === text
}
