// The pinned runtimes: Node, Bun and Deno as devDependencies of the repository, so that every machine tests with the
// same ones. In: the repository's root. Out: for each its program's path and version, proven by running it.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SetupFailure } from './failure.mjs'

const exe = process.platform === 'win32' ? '.exe' : ''

// Paths inside the packages rather than node_modules/.bin: the latter holds shell shims on Windows.
const programs = {
  node: `node/bin/node${exe}`,
  bun: 'bun/bin/bun.exe',
  deno: `deno/deno${exe}`,
}

/**
 * @typedef {keyof typeof programs} RuntimeName
 * @typedef {{ readonly path: string, readonly version: string }} Runtime
 */

/** @type {readonly RuntimeName[]} */
export const runtimeNames = ['node', 'bun', 'deno']

/**
 * @param {string} root
 * @param {RuntimeName} name
 * @returns {Runtime} where the pinned runtime is, not yet proven to run
 */
export function pinnedRuntime(root, name) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return { path: join(root, 'node_modules', programs[name]), version: String(manifest.devDependencies[name]) }
}

/**
 * Runs each pinned runtime once.
 *
 * @param {string} root
 * @returns {string | undefined} the first that does not run or is another version, with what was seen
 */
export function brokenRuntime(root) {
  for (const name of runtimeNames) {
    const { path, version } = pinnedRuntime(root, name)
    const run = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 60_000 })
    const seen = `${run.stdout ?? ''}${run.stderr ?? ''}`.trim().split('\n')[0] ?? ''
    if (run.error !== undefined) return `${name} ${version} does not start (${run.error.message})`
    if (run.status !== 0) return `${name} ${version} ends with status ${run.status ?? run.signal} (${seen})`
    if (!seen.split(/[\sv]+/).includes(version)) return `${name} should be ${version} but says "${seen}"`
  }
  return undefined
}

/**
 * @param {string} root
 * @throws {SetupFailure} if a pinned runtime does not run
 */
export function requireRuntimes(root) {
  const broken = brokenRuntime(root)
  if (broken === undefined) return
  throw new SetupFailure(`the toolchain is installed but unusable: ${broken}`, [
    'the packages node, bun and deno put their programs in place by install scripts, which npm was told not to run ' +
      '(`ignore-scripts=true` or `strict-allow-scripts`), or which failed',
    'see `npm config get ignore-scripts`; then run `npm rebuild --ignore-scripts=false node bun deno zeromq`',
    'if that does not help, delete node_modules and run the same command again; on a system without prebuilt Node, ' +
      'Bun and Deno (musl, uncommon processors) the tests cannot run',
  ])
}
