// One `eventmq` service of the demo as a real process: started from source on this very Node, known to be ready by its
// ready line, and stopped in good order. It ends with us whatever becomes of us: its standard input is ours to hold.

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from '../workspace.ts'

const command = join(root, 'packages/cli/src/bin.ts')
const keptLines = 20
const killAfterMs = 5_000

export class ServiceProcess {
  /** How people tell it from others, e.g. `worker 1`. */
  readonly name: string
  /** The facts of the ready line. */
  readonly ready: Promise<ReadonlyMap<string, string>>
  /** Rejects when the process ends, with what it said last. */
  readonly failed: Promise<never>
  readonly #process: ChildProcess
  readonly #ended: Promise<string>
  readonly #said: string[] = []

  /** @param args what follows `eventmq` */
  constructor(name: string, args: readonly string[]) {
    this.name = name
    const options = ['--until-stdin-ends', '--log-format=line']
    const child = spawn(process.execPath, ['--conditions=source', command, ...args, ...options], {
      cwd: root,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: ownEnvironment(),
    })
    this.#process = child
    // A process that is gone takes no more input; that it is gone is told by its end.
    child.stdin.on('error', () => undefined)
    createInterface(child.stderr).on('line', (line) => this.#keep(line))
    const ready = Promise.withResolvers<ReadonlyMap<string, string>>()
    this.ready = ready.promise
    createInterface(child.stdout).on('line', (line) => {
      if (/^eventmq \w+ ready\b/.test(line)) ready.resolve(factsOf(line))
    })
    this.#ended = new Promise((resolve) => {
      child.on('error', (error) => resolve(`could not be started: ${error.message}`))
      child.on('close', (code, signal) =>
        resolve(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`),
      )
    })
    this.failed = this.#ended.then((how) => {
      const said = this.#said.map((line) => `    ${line}`).join('\n')
      throw new Error(`${name} ${how}${said === '' ? '' : `; it said last:\n${said}`}`)
    })
    this.failed.catch(() => undefined)
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Asks it to stop and waits until it has; one that does not is killed. Gives how it ended if not in good order. */
  async stop(): Promise<string | undefined> {
    this.#process.kill('SIGTERM')
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), killAfterMs)
    const how = await this.#ended
    clearTimeout(timer)
    return how === 'ended with exit code 0' ? undefined : `${this.name} ${how}`
  }

  #keep(line: string): void {
    this.#said.push(line)
    if (this.#said.length > keptLines) this.#said.shift()
  }
}

/** Ours, without the settings of an EventMQ that may be at home here. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('EVENTMQ_')))
}

function factsOf(line: string): ReadonlyMap<string, string> {
  return new Map(
    line.split(' ').flatMap((word) => (word.includes('=') ? [word.split('=', 2) as [string, string]] : [])),
  )
}
