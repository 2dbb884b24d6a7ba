// The one entry of `npm run demo|test|check|build|bench|eventmq`. In: a step's name and its arguments. It brings the
// machine to the state the step needs, then runs the step on the pinned Node. Out: the step's exit code.
//
// This file and scripts/setup/ are plain JavaScript without dependencies, since they run before anything is installed
// and on whatever Node (20 or later) the machine has. All steps are TypeScript, run from source; `eventmq` is the
// command itself.

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SetupFailure } from './setup/failure.mjs'
import { ensureInstalled } from './setup/install.mjs'
import { requireNodeVersion } from './setup/node-version.mjs'
import { pinnedRuntime, requireRuntimes } from './setup/runtimes.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** @type {Readonly<Record<string, string>>} */
const steps = {
  demo: 'scripts/demo/main.ts',
  test: 'scripts/test.ts',
  check: 'scripts/check.ts',
  build: 'scripts/build.ts',
  bench: 'scripts/bench.ts',
  eventmq: 'packages/cli/src/bin.ts',
}

/** @param {string} line */
function progress(line) {
  process.stderr.write(`setup: ${line}\n`)
}

/**
 * @param {string} script
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code, by the shell's convention 128 + n after signal n
 */
function runOnPinnedNode(script, args) {
  const node = pinnedRuntime(root, 'node').path
  const child = spawn(node, ['--conditions=source', join(root, script), ...args], { cwd: root, stdio: 'inherit' })
  // A terminal sends Ctrl-C to the whole group, so the child has it already; a supervisor signals only us.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
}

/** @param {readonly string[]} argv */
async function main([step = '', ...args]) {
  const script = steps[step]
  if (script === undefined) {
    throw new SetupFailure(`there is no step "${step}"`, [`choose one of: ${Object.keys(steps).join(', ')}`])
  }
  requireNodeVersion(process.version)
  await ensureInstalled(root, progress)
  requireRuntimes(root)
  return runOnPinnedNode(script, args)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof SetupFailure)) throw error
  process.stderr.write(`${error.toLines().join('\n')}\n`)
  process.exitCode = 1
}
