// The demo's input: every Markdown and TypeScript file of the repository. Out: the files by kind, and the commands by
// which anyone can count them otherwise.

import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** One kind of files. */
export interface FileKind {
  readonly name: string
  /** Absolute. */
  readonly files: readonly string[]
  /** A shell command, for the repository's root, that prints lines and words of the same files by `wc`. */
  readonly check: string
}

const kinds = [
  { name: 'Markdown', ending: 'md' },
  { name: 'TypeScript', ending: 'ts' },
] as const

/** Finds them with git where there is a checkout, else by looking. */
export async function findInputFiles(root: string): Promise<readonly FileKind[]> {
  const found: FileKind[] = []
  for (const { name, ending } of kinds) {
    const listing = existsSync(join(root, '.git'))
      ? { paths: await filesOfGit(root, ending), command: `git ls-files -z '*.${ending}'` }
      : { paths: filesOfTree(root, ending), command: findCommand(ending) }
    const files = listing.paths.map((path) => join(root, path)).filter((path) => existsSync(path))
    found.push({ name, files, check: `${listing.command} | LC_ALL=C.UTF-8 xargs -0 wc -lw | tail -n 1` })
  }
  return found
}

const largestListing = 64 * 1024 * 1024

async function filesOfGit(root: string, ending: string): Promise<string[]> {
  const options = { cwd: root, maxBuffer: largestListing }
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z', `*.${ending}`], options)
  return stdout.split('\0').filter((path) => path !== '')
}

const leftOut = ['node_modules', 'dist', '.git']

function filesOfTree(root: string, ending: string): string[] {
  return globSync(`**/*.${ending}`, { cwd: root, exclude: (name) => leftOut.includes(name) })
}

function findCommand(ending: string): string {
  const names = leftOut.map((name) => `-name ${name}`).join(' -o ')
  return `find . \\( ${names} \\) -prune -o -name '*.${ending}' -type f -print0`
}
