// Runs a program and waits for it. In: path, arguments, folder. Out: how it ended and, if asked for, what it printed.

import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { root } from './workspace.ts'

export interface RunOptions {
  /** The working directory; the repository's root if absent. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface Captured {
  /** The exit code; after signal n it is 128 + n, as a shell says it. */
  readonly status: number
  /** Standard output and standard error as they came. */
  readonly output: string
  /** Standard output alone, for programs that answer with data. */
  readonly stdout: string
}

// A supervisor that ends us signals only us; nothing that we started may outlive that.
const running = new Set<ChildProcess>()
process.once('SIGTERM', () => {
  for (const child of running) child.kill('SIGTERM')
  process.exit(128 + constants.signals.SIGTERM)
})

/** Runs a program that writes straight to our terminal, and gives its exit code (128 + n after signal n). */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = track(spawn(program, args, { cwd: root, ...options, stdio: 'inherit' }))
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(exitStatus(code, signal)))
  })
}

/** Runs a program without a terminal and gives what it printed. */
export function capture(program: string, args: readonly string[], options: RunOptions = {}): Promise<Captured> {
  return new Promise((resolve, reject) => {
    const child = track(spawn(program, args, { cwd: root, ...options, stdio: ['ignore', 'pipe', 'pipe'] }))
    let output = ''
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      stdout += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ status: exitStatus(code, signal), output, stdout }))
  })
}

function track<Child extends ChildProcess>(child: Child): Child {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

function exitStatus(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal])
}
