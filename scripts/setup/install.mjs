// Installs the dependencies when they are missing or not what package-lock.json asks for. In: the repository's root and
// a way to tell progress. Out: an up-to-date node_modules, or a SetupFailure that says what stood in the way.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SetupFailure } from './failure.mjs'
import { differenceFromLock } from './lock-file.mjs'
import { machineNpm } from './npm.mjs'

const PROGRESS_INTERVAL_MS = 10_000
const KEPT_OUTPUT_CHARACTERS = 64 * 1024

/**
 * @param {string} root
 * @param {(line: string) => void} progress
 */
export async function ensureInstalled(root, progress) {
  const reason = reasonToInstall(root)
  if (reason === undefined) return
  progress(`installing dependencies with npm ci: ${reason}`)
  const startedAt = Date.now()
  const ticker = setInterval(() => {
    progress(`still installing (${Math.round((Date.now() - startedAt) / 1000)} s)`)
  }, PROGRESS_INTERVAL_MS)
  try {
    const { status, output } = await runNpm(root, [
      'ci',
      '--include=dev',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ])
    if (status !== 0) throw explainNpmFailure(root, status, output)
  } finally {
    clearInterval(ticker)
  }
  const remaining = reasonToInstall(root)
  if (remaining !== undefined) {
    throw new SetupFailure(`npm ci ended without an error, yet ${remaining}`, [
      'if package.json was edited, run `npm install` to bring package-lock.json up to date',
      'otherwise delete node_modules and run the same command again',
    ])
  }
  progress(`installed in ${Math.round((Date.now() - startedAt) / 1000)} s`)
}

/**
 * @param {string} root
 * @returns {string | undefined} why an install is needed; undefined if it is not
 */
function reasonToInstall(root) {
  const installedPath = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(installedPath)) return 'node_modules is missing or incomplete'
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  try {
    return differenceFromLock(wanted, JSON.parse(readFileSync(installedPath, 'utf8')))
  } catch (cause) {
    return `node_modules/.package-lock.json is unreadable (${String(cause)})`
  }
}

/**
 * @param {string} root
 * @param {readonly string[]} args
 * @returns {Promise<{ status: number, output: string }>}
 */
function runNpm(root, args) {
  const { program, prefix, shell, env } = machineNpm()
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...prefix, ...args], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell,
    })
    let output = ''
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      process.stderr.write(chunk)
      output = (output + chunk.toString('utf8')).slice(-KEPT_OUTPUT_CHARACTERS)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (cause) => {
      reject(
        new SetupFailure(`npm does not start: ${cause.message}`, ['install npm 10 or later, it comes with Node'], {
          cause,
        }),
      )
    })
    child.on('close', (status) => resolve({ status: status ?? 1, output }))
  })
}

/**
 * @param {string} root
 * @param {number} status
 * @param {string} output what npm printed
 */
function explainNpmFailure(root, status, output) {
  if (
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/.test(
      output,
    )
  ) {
    return new SetupFailure(`npm ci could not reach the npm registry ${registry(root)}`, [
      'check the network, then run the same command again: nothing needs to be cleaned up',
      'behind a proxy: `npm config set proxy http://host:port` and `npm config set https-proxy http://host:port`',
      'with a mirror: `npm config set registry https://your.mirror/`',
    ])
  }
  if (/\bEUSAGE\b/.test(output)) {
    return new SetupFailure('package.json and package-lock.json do not agree', [
      'run `npm install` and commit package-lock.json',
    ])
  }
  if (/\bENOSPC\b/.test(output)) {
    return new SetupFailure('the disk is full', ['free about 1 GB (the pinned Node, Bun and Deno are 330 MB)'])
  }
  if (/\b(EACCES|EPERM)\b/.test(output)) {
    return new SetupFailure('npm ci may not write here', [
      'check who owns the folder and node_modules; the lines above name the file',
    ])
  }
  return new SetupFailure(`npm ci failed with status ${status}; its own words are above`, [
    'run `npm ci` by itself to see all of it, or delete node_modules and run the same command again',
  ])
}

/** @param {string} root */
function registry(root) {
  const { program, prefix, shell, env } = machineNpm()
  const args = [...prefix, 'config', 'get', 'registry']
  const asked = spawnSync(program, args, { cwd: root, env, encoding: 'utf8', shell })
  return asked.stdout?.trim() || '(unknown)'
}
