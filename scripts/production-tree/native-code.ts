// Signs of native code or install scripts, in a lock file's entry and in a package's folder on disk. In: either. Out:
// what was found, as text.

import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { ProductionPackage } from './lock.ts'

const Manifest = z.object({
  gypfile: z.boolean().optional(),
  scripts: z.record(z.string(), z.unknown()).default({}),
})

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall']

/** What package-lock.json says of a package that must not be in the production tree. */
export function signsInLock({ path, chain, hasInstallScript, os, cpu, libc }: ProductionPackage): string[] {
  const by = `(by ${chain.join(' > ')})`
  const signs = hasInstallScript === true ? [`${path} has an install script ${by}`] : []
  const platforms = Object.entries({ os, cpu, libc }).filter(([, values]) => values !== undefined)
  return [...signs, ...platforms.map(([field, values]) => `${path} is only for ${field} ${values?.join(', ')} ${by}`)]
}

/** What lies in an installed package's folder that must not be there; nested packages are not looked into. */
export function signsOnDisk(folder: string): string[] {
  const files = globSync(['**/*.node', '**/binding.gyp'], {
    cwd: folder,
    exclude: (path) => basename(path) === 'node_modules',
  })
  const signs = files.map((file) => `${join(folder, file)} is native code`)
  const manifestPath = join(folder, 'package.json')
  if (!existsSync(manifestPath)) return signs
  const { gypfile, scripts } = Manifest.parse(JSON.parse(readFileSync(manifestPath, 'utf8')))
  if (gypfile === true) signs.push(`${manifestPath} sets gypfile`)
  const hooks = INSTALL_SCRIPTS.filter((name) => Object.hasOwn(scripts, name))
  return [...signs, ...hooks.map((name) => `${manifestPath} has the script ${name}`)]
}
