// The machine's own npm: how to call it, and in which environment. `npm run` puts node_modules/.bin first on PATH, and
// there lies the pinned Node, which `npm ci` deletes while it works; so npm runs on the Node that it came with.

import { basename, delimiter, join } from 'node:path'

/**
 * @typedef {{ readonly program: string, readonly prefix: readonly string[], readonly shell: boolean,
 *             readonly env: NodeJS.ProcessEnv }} Npm
 */

/** @returns {Npm} the npm that started us, else the one on PATH; `prefix` goes before its arguments */
export function machineNpm() {
  const env = { ...process.env, PATH: pathWithoutBins() }
  const { npm_execpath: script, npm_node_execpath: node } = process.env
  const pinned = join('node_modules', 'node')
  if (script !== undefined && basename(script) === 'npm-cli.js' && node !== undefined && !node.includes(pinned)) {
    return { program: node, prefix: [script], shell: false, env }
  }
  return { program: 'npm', prefix: [], shell: process.platform === 'win32', env }
}

function pathWithoutBins() {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes(join('node_modules', '.bin')))
    .join(delimiter)
}
