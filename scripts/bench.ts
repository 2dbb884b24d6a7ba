// `npm run bench -- NAME [--json] [...]`: runs scripts/bench/NAME.ts, a module that exports
// `bench(args: readonly string[]): Promise<void>` and prints its own table. Parts of a bench that are no bench
// themselves lie in folders under scripts/bench/, so that the list of names stays right.

import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './workspace.ts'

type Bench = (args: readonly string[]) => Promise<void>

process.exitCode = await main(process.argv.slice(2))

async function main([name, ...args]: readonly string[]): Promise<number> {
  const folder = join(root, 'scripts/bench')
  const names = globSync('*.ts', { cwd: folder }).map((path) => basename(path, '.ts'))
  if (name === undefined || !names.includes(name)) {
    console.error(name === undefined ? 'error: which bench?' : `error: there is no bench "${name}"`)
    console.error(`usage: npm run bench -- NAME [--json]; names: ${names.toSorted().join(', ') || '(none yet)'}`)
    return 1
  }
  const module: { bench?: Bench } = await import(pathToFileURL(join(folder, `${name}.ts`)).href)
  if (module.bench === undefined) throw new Error(`scripts/bench/${name}.ts does not export a function bench(args)`)
  await module.bench(args)
  return 0
}
