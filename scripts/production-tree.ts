// Proves that what users install holds no native code and no install script: by package-lock.json, by the installed
// folders, and with `--install` by a real `npm ci --omit=dev --ignore-scripts` in a copy (which needs the registry).

import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { capture } from './process.ts'
import { productionPackages } from './production-tree/lock.ts'
import { signsInLock, signsOnDisk } from './production-tree/native-code.ts'
import { machineNpm } from './setup/npm.mjs'
import { readPackages, root } from './workspace.ts'

const packages = productionPackages(readFileSync(join(root, 'package-lock.json'), 'utf8'))
const folders = [...packages.map(({ path }) => path), ...readPackages().map(({ path }) => path)]
const signs = [...packages.flatMap(signsInLock), ...folders.flatMap((path) => signsOnDisk(join(root, path)))]
if (process.argv.includes('--install')) signs.push(...(await signsInFreshInstall()))

for (const sign of signs) console.error(`${sign}\n    remove the dependency, or choose one in plain JavaScript`)
console.log(
  `${packages.length} packages from the registry, ${signs.length === 0 ? 'none' : `${signs.length} signs`} of native code`,
)
process.exitCode = signs.length === 0 ? 0 : 1

async function signsInFreshInstall(): Promise<string[]> {
  const copy = mkdtempSync(join(tmpdir(), 'eventmq-production-'))
  try {
    for (const file of globSync(['package.json', 'package-lock.json', 'packages/*/package.json'], { cwd: root })) {
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      cpSync(join(root, file), join(copy, file))
    }
    const { program, prefix, env } = machineNpm()
    const args = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    const { status, output } = await capture(program, [...prefix, ...args], { cwd: copy, env })
    if (status !== 0) return [`npm ci --omit=dev --ignore-scripts failed with status ${status}: ${output}`]
    const installed = globSync('node_modules/**/package.json', { cwd: copy }).map((path) => join(copy, dirname(path)))
    if (installed.length === 0) return ['npm ci --omit=dev --ignore-scripts installed nothing']
    return [...new Set(installed.flatMap(signsOnDisk))]
  } finally {
    rmSync(copy, { recursive: true })
  }
}
