// The Node that started us: any from 20 on will do, since it only installs the toolchain and hands over to the pinned
// Node. This module and all it is imported by must therefore run on Node 20 with nothing installed.

import { SetupFailure } from './failure.mjs'

const OLDEST_MAJOR = 20

/**
 * @param {string} version as in `process.version`, e.g. `v20.20.2`
 * @throws {SetupFailure} if that Node is too old
 */
export function requireNodeVersion(version) {
  const major = Number(/^v(\d+)\./.exec(version)?.[1] ?? 0)
  if (major >= OLDEST_MAJOR) return
  throw new SetupFailure(`Node ${version} is too old: this needs Node ${OLDEST_MAJOR} or later`, [
    `install Node ${OLDEST_MAJOR} or later (https://nodejs.org) and run the same command again`,
    'check with `node --version` which one is first on your PATH',
  ])
}
