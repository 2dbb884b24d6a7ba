// `npm run check [-- --install]`: everything that can be known without running the suite. Each check is a program; all
// run, whatever the others say, and each ends in one line. `--install` adds to the last one a real production install,
// which needs the registry. Exits 1 if any failed.

import { join } from 'node:path'
import { compile } from './build/compile.ts'
import { type Captured, capture } from './process.ts'

interface Check {
  readonly name: string
  readonly run: () => Promise<Captured>
}

const checks: readonly Check[] = [
  { name: 'lint', run: () => node(['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']) },
  { name: 'types', run: () => compile() },
  { name: 'boundaries', run: () => script('boundaries.ts') },
  { name: 'exports', run: () => script('exports.ts') },
  { name: 'production tree', run: () => script('production-tree.ts', process.argv.slice(2)) },
]

const failed: string[] = []
for (const { name, run } of checks) {
  const startedAt = performance.now()
  const { status, output } = await run()
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const text = output.trim()
  if (status === 0) {
    console.log(`ok    ${name} (${seconds} s)${text.includes('\n') || text === '' ? '' : `: ${text}`}`)
  } else {
    failed.push(name)
    console.log(`${text}\nFAIL  ${name} (${seconds} s)`)
  }
}
console.log(failed.length === 0 ? `${checks.length} checks passed` : `failed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1

function script(name: string, args: readonly string[] = []): Promise<Captured> {
  return node(['--conditions=source', join('scripts', name), ...args])
}

function node(args: readonly string[]): Promise<Captured> {
  return capture(process.execPath, args)
}
