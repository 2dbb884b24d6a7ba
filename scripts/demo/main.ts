// `npm run demo`: broker, scheduler and two workers as real processes on free ports of this machine, and a real job over
// real input. Prints what it does and a table that can be checked; stops everything; exits 0, or 1 with what went wrong.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'eventmq-ts'
import { countFile, mergeCounts, tick } from '../../examples/word-count/jobs.ts'
import { root } from '../workspace.ts'
import { type FileKind, findInputFiles } from './input-files.ts'
import { Progress } from './progress.ts'
import { Stage } from './stage.ts'
import { printTable } from './table.ts'

const jobsModule = './examples/word-count/jobs.ts'
const workers = ['worker 1', 'worker 2']
const wantedTicks = 3
const longestMs = 60_000
const freePorts = ['frontend', 'backend', 'administration'].flatMap((end) => [`--${end}`, 'tcp://127.0.0.1:*'])

/** What ends the demo before its end; the exit code tells a signal as a shell does. */
class Ended extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

process.exitCode = await main()

async function main(): Promise<number> {
  const startedAt = performance.now()
  const stage = new Stage()
  const over = new AbortController()
  let exitCode = 0
  const running = demo(stage, over.signal)
  try {
    await Promise.race([running, stage.failed, endedBefore(over.signal)])
  } catch (error) {
    console.error(`\ndemo: ${error instanceof Error ? error.message : error}`)
    exitCode = error instanceof Ended ? error.exitCode : 1
  }
  over.abort()
  const broken = await stage.stop()
  // Why it ended has been told; here it only has to have ended.
  await running.catch(() => undefined)
  // After a failure it is no news that those which were just starting, or had failed, did not end in good order.
  if (exitCode === 0 && broken.length > 0) {
    console.error(`demo: ${broken.join('; ')}`)
    exitCode = 1
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(exitCode === 0 ? `all stopped; done in ${seconds} s` : `all stopped after ${seconds} s`)
  return exitCode
}

/** Rejects at a signal, when nobody reads what is printed any more, or when the demo takes too long. */
function endedBefore(over: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const late = new Ended(`not done after ${longestMs / 1000} s`)
    const timer = setTimeout(() => reject(late), longestMs)
    over.addEventListener('abort', () => clearTimeout(timer))
    process.stdout.on('error', (error) => reject(new Ended(`standard output: ${error.message}`)))
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => reject(new Ended(`stopped by ${signal}`, 128 + constants.signals[signal])))
    }
  })
}

/** @param over aborts when nobody waits for the demo any more */
async function demo(stage: Stage, over: AbortSignal): Promise<void> {
  const kinds = await findInputFiles(root)
  const addresses = await stage.start('router', ['router', ...freePorts])
  const broker = addresses.get('frontend') ?? ''
  const backend = addresses.get('backend') ?? ''
  const work = ['worker', '--jobs', jobsModule, '--queues', 'word-count', '--broker', backend]
  await Promise.all([
    stage.start('scheduler', ['scheduler', '--broker', broker]),
    ...workers.map((name) => stage.start(name, work)),
  ])
  // From here on the end of the demo also ends the client, and with it everything that waits for a result.
  over.throwIfAborted()
  const folder = mkdtempSync(join(tmpdir(), 'eventmq-demo-'))
  const client = new Client({ broker })
  over.addEventListener('abort', () => client.stop())
  try {
    const ticks = join(folder, 'ticks')
    await client.schedule(tick, { file: ticks }, { everySeconds: 1 })
    console.log('scheduled wordCount.tick every second')

    const rows = await countAll(client, kinds)
    console.log(`\n${printTable([['', 'files', 'lines', 'words', 'distinct words'], ...rows])}\n`)
    console.log('check lines and words with')
    for (const { check } of kinds) console.log(`  ${check}`)

    const times = await timesOf(ticks, over)
    await client.unschedule(tick, { file: ticks })
    console.log(`\nwordCount.tick ran ${times.length} times: ${times.map((time) => time.slice(11, 23)).join(', ')}`)
  } finally {
    await client.stop()
    rmSync(folder, { recursive: true })
  }
}

/** One job a file; then one that merges for each kind, and one for all. Gives the table's rows. */
async function countAll(client: Client, kinds: readonly FileKind[]): Promise<string[][]> {
  const inputs = kinds.flatMap(({ name, files }) => files.map((file) => ({ kind: name, file })))
  const progress = new Progress('files counted', inputs.length)
  const jobs = await client.deferMany(
    countFile,
    inputs.map(({ file }) => ({ file })),
  )
  const counts = await Promise.all(
    jobs.map(async (job, i) => {
      const count = await job.result()
      progress.advance()
      return { ...count, kind: inputs[i]?.kind }
    }),
  )
  console.log(`by ${new Set(counts.map((count) => count.process)).size} processes`)
  const merge = async (name: string, chosen: typeof counts): Promise<string[]> => {
    const job = await client.defer(mergeCounts, { counts: chosen })
    const { lines, words, distinct } = await job.result()
    return [name, ...[chosen.length, lines, words, distinct].map(String)]
  }
  return Promise.all([
    ...kinds.map(({ name }) =>
      merge(
        name,
        counts.filter(({ kind }) => kind === name),
      ),
    ),
    merge('total', counts),
  ])
}

/** Waits until the schedule has fired often enough; gives the times at which its job ran. */
async function timesOf(file: string, over: AbortSignal): Promise<string[]> {
  for (;;) {
    const times = readLines(file)
    if (times.length >= wantedTicks) return times
    await pause(50, undefined, { signal: over })
  }
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1)
  } catch {
    // No run of the job has made it yet.
    return []
  }
}
