// A user's project: imports and requires every entry of every package. In: the packages, and a folder in which they are
// installed. Out: what the compiler and the three runtimes have to say about it.

import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TSC } from '../build/compile.ts'
import { capture } from '../process.ts'
import { pinnedRuntime, runtimeNames } from '../setup/runtimes.mjs'
import { type Package, root } from '../workspace.ts'

/** Packages for browsers too: their declarations must not need those of Node. */
const BROWSER_PACKAGES = ['emqp', 'job']

/** The compiler settings under which users meet our declarations. Library checks are on: a broken import would hide. */
const COMPILERS = [
  { name: 'nodenext', options: { module: 'nodenext', outDir: 'out', types: ['node'] }, files: ['consumer.ts'] },
  {
    name: 'bundler',
    options: { module: 'esnext', moduleResolution: 'bundler', noEmit: true, types: ['node'] },
    files: ['consumer.ts'],
  },
  {
    name: 'browser',
    options: { module: 'esnext', moduleResolution: 'bundler', noEmit: true, types: [], lib: ['es2024', 'dom'] },
    files: ['browser.ts'],
  },
]

/** Compiles and runs the consumer under `folder`; gives what went wrong, one text each. */
export async function consume(folder: string, packages: readonly Package[]): Promise<string[]> {
  write(folder, packages)
  const faults: string[] = []
  for (const { name } of COMPILERS) {
    const { status, output } = await capture(process.execPath, [TSC, '-p', `tsconfig.${name}.json`], { cwd: folder })
    if (status !== 0) faults.push(`a consumer does not compile (${name}):\n${output}`)
  }
  if (faults.length > 0) return faults
  for (const runtime of runtimeNames) {
    const args = runtime === 'deno' ? ['run', '--allow-all', '--no-lock', 'out/consumer.js'] : ['out/consumer.js']
    const { status, output } = await capture(pinnedRuntime(root, runtime).path, args, { cwd: folder })
    if (status !== 0) faults.push(`a consumer does not run on ${runtime}:\n${output}`)
  }
  return faults
}

function write(folder: string, packages: readonly Package[]): void {
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text)
  put('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  put('consumer.ts', consumerSource(entriesOf(packages)))
  put('browser.ts', importsSource(entriesOf(packages.filter(({ folder }) => BROWSER_PACKAGES.includes(folder)))))
  for (const { name, options, files } of COMPILERS) {
    put(
      `tsconfig.${name}.json`,
      JSON.stringify({ compilerOptions: { target: 'es2024', strict: true, ...options }, files }),
    )
  }
  for (const name of ['@types/node', 'undici-types']) {
    cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true })
  }
}

/** The names by which users import: `name` and `name/subpath`. */
function entriesOf(packages: readonly Package[]): string[] {
  return packages.flatMap(({ manifest }) =>
    Object.entries(manifest.exports)
      .filter(([, entry]) => typeof entry !== 'string')
      .map(([subpath]) => manifest.name + subpath.slice(1)),
  )
}

function importsSource(entries: readonly string[]): string {
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}'`)
  const record = entries.map((entry, index) => `  '${entry}': entry${index},`)
  return `${imports.join('\n')}\n\nexport const imported: Record<string, object> = {\n${record.join('\n')}\n}\n`
}

function consumerSource(entries: readonly string[]): string {
  return `import { createRequire } from 'node:module'
${importsSource(entries)}
const require = createRequire(import.meta.url)
const namesOf = (module: object) => Object.keys(module).filter((name) => name !== '__esModule').sort().join(', ')

for (const [entry, namespace] of Object.entries(imported)) {
  try {
    const required = namesOf(require(entry))
    if (required !== namesOf(namespace)) throw new Error(\`import gives \${namesOf(namespace)}, but require \${required}\`)
  } catch (error) {
    console.error(\`\${entry}: \${error}\`)
    process.exitCode = 1
  }
}
`
}
