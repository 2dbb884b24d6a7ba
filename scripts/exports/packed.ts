// What users get: all packages packed by npm and laid out as an install would, in a folder of their own and without the
// network. In: a folder. Out: that folder with node_modules, and what is wrong with the tarballs' contents.

import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { capture } from '../process.ts'
import { productionPackages } from '../production-tree/lock.ts'
import { machineNpm } from '../setup/npm.mjs'
import { root } from '../workspace.ts'

const Packed = z.array(
  z.object({ name: z.string(), filename: z.string(), files: z.array(z.object({ path: z.string() })) }),
)

const PUBLISHED = /^(package\.json|LICENSE|README\.md|(dist|src)\/(?!\.).*\.(ts|js|map|json))$/

/** Installs the packed packages and their dependencies under `folder`; gives files that should not be published. */
export async function installPacked(folder: string): Promise<string[]> {
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  const packed = await pack(folder)
  for (const { name, filename } of packed) await unpack(join(folder, filename), join(modules, name))
  const production = productionPackages(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  for (const { path } of production) cpSync(join(root, path), join(folder, path), { recursive: true })
  return packed.flatMap(({ name, files }) =>
    files.filter(({ path }) => !PUBLISHED.test(path)).map(({ path }) => `${name} would publish ${path}`),
  )
}

async function pack(folder: string): Promise<z.infer<typeof Packed>> {
  const { program, prefix, env } = machineNpm()
  const args = [...prefix, 'pack', '--workspaces', '--json', '--loglevel=error', '--pack-destination', folder]
  const { status, output, stdout } = await capture(program, args, { env })
  if (status !== 0) throw new Error(`npm pack failed with status ${status}: ${output}`)
  return Packed.parse(JSON.parse(stdout))
}

async function unpack(tarball: string, into: string): Promise<void> {
  mkdirSync(into, { recursive: true })
  const { status, output } = await capture('tar', ['-xzf', tarball, '-C', into, '--strip-components=1'])
  if (status !== 0) throw new Error(`tar failed with status ${status} on ${tarball}: ${output}`)
  rmSync(tarball)
}
