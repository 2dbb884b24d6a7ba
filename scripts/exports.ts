// Checks what the packages publish: their manifests, the files these name, and (in a copy, packed and installed as users
// do it) that TypeScript, Node, Bun and Deno can import and require every entry. Needs a build; prints each fault and
// exits 1 if there is any.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { consume } from './exports/consumer.ts'
import { missingFiles } from './exports/files.ts'
import { manifestFaults } from './exports/manifest.ts'
import { installPacked } from './exports/packed.ts'
import { readPackages, root } from './workspace.ts'

const packages = readPackages()
const faults = [...manifestFaults(packages), ...missingFiles(packages, root)]
if (faults.length === 0) faults.push(...(await faultsForUsers()))

for (const fault of faults) console.error(fault)
console.log(
  faults.length === 0
    ? `${packages.length} packages compile, import and require as their users do it`
    : `${faults.length} faults in what is published`,
)
process.exitCode = faults.length === 0 ? 0 : 1

async function faultsForUsers(): Promise<string[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'eventmq-consumer-')))
  try {
    return [...(await installPacked(folder)), ...(await consume(folder, packages))]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
