// The `eventmq` command as a real process, from source on the Node that runs the test. It cannot outlive the test: its
// standard input ends with us.

import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const command = fileURLToPath(new URL('../../packages/cli/src/bin.ts', import.meta.url))
const cwd = fileURLToPath(new URL('.', import.meta.url))

/** What a finished process leaves. */
export interface Finished {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export class EventmqProcess implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #finished: Promise<Finished>
  readonly #watchers = new Set<() => void>()
  #stdout = ''
  #stderr = ''

  /** @param args what follows `eventmq`; relative modules start from test/cli */
  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('EVENTMQ_'))
    const child = spawn(process.execPath, ['--conditions=source', command, ...args], {
      cwd,
      env: { ...Object.fromEntries(own), ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#process = child
    child.stdin.on('error', () => undefined)
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stdout += chunk
      for (const look of this.#watchers) look()
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stderr += chunk
      for (const look of this.#watchers) look()
    })
    this.#finished = new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr }))
    })
  }

  /** A service that ends with the test, whatever becomes of it. */
  static service(args: readonly string[], environment: Readonly<Record<string, string>> = {}): EventmqProcess {
    return new EventmqProcess([...args, '--until-stdin-ends', '--log-format=line'], environment)
  }

  get finished(): Promise<Finished> {
    return this.#finished
  }

  /** The facts of its ready line, once it is there. */
  async ready(): Promise<ReadonlyMap<string, string>> {
    const [line] = await this.#said(/^eventmq \w+ ready.*$/m, () => this.#stdout)
    return new Map(
      line.split(' ').flatMap((word) => (word.includes('=') ? [word.split('=', 2) as [string, string]] : [])),
    )
  }

  /** Waits until it has logged this. */
  async logged(what: RegExp): Promise<void> {
    await this.#said(what, () => this.#stderr)
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  endStdin(): void {
    this.#process.stdin?.end()
  }

  closeStdout(): void {
    this.#process.stdout?.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#finished
  }

  async #said(what: RegExp, where: () => string): Promise<RegExpMatchArray> {
    const found = Promise.withResolvers<RegExpMatchArray>()
    const look = (): void => {
      const match = where().match(what)
      if (match !== null) found.resolve(match)
    }
    this.#watchers.add(look)
    look()
    const ended = this.#finished.then(({ code, signal, stderr }) => {
      throw new Error(`ended (${code ?? signal}) without saying ${what}; it said:\n${stderr}`)
    })
    try {
      return await Promise.race([found.promise, ended])
    } finally {
      this.#watchers.delete(look)
    }
  }
}

/** Runs a command that ends by itself. */
export async function eventmq(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  return new EventmqProcess(args, environment).finished
}
