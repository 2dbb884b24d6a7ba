// `npm run bench -- zmtp [--json]`: messages a second from PUSH to PULL, this library against npm `zeromq` (libzmq), in
// turn, three rounds, sender and receiver in two processes on loopback, default options; medians and their ratio.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type LibraryName, loadLibrary } from './zmtp/library.ts'

interface Case {
  readonly bytes: number
  readonly messages: Readonly<Record<LibraryName, number>>
}

interface Row {
  readonly bytes: number
  readonly ours: number
  readonly native: number
  readonly ratio: number
}

const ROUNDS = 3

/** Each run takes one to a few seconds. */
const CASES: readonly Case[] = [
  { bytes: 10, messages: { 'zeromq-ts-pure': 2_000_000, zeromq: 200_000 } },
  { bytes: 100, messages: { 'zeromq-ts-pure': 1_500_000, zeromq: 200_000 } },
  { bytes: 1_000, messages: { 'zeromq-ts-pure': 500_000, zeromq: 150_000 } },
  { bytes: 65_536, messages: { 'zeromq-ts-pure': 15_000, zeromq: 15_000 } },
]

export async function bench(args: readonly string[]): Promise<void> {
  const rows: Row[] = []
  for (const { bytes, messages } of CASES) {
    const ours: number[] = []
    const native: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await messagesPerSecond('zeromq-ts-pure', bytes, messages['zeromq-ts-pure']))
      native.push(await messagesPerSecond('zeromq', bytes, messages.zeromq))
    }
    rows.push({ bytes, ours: median(ours), native: median(native), ratio: median(ours) / median(native) })
  }
  if (args.includes('--json')) {
    console.log(JSON.stringify({ bench: 'zmtp', pattern: 'push/pull', rounds: ROUNDS, rows }))
    return
  }
  console.log(`push/pull over tcp, messages/s, medians of ${ROUNDS} rounds`)
  console.log('  bytes   zeromq-ts-pure   npm zeromq   ratio')
  for (const { bytes, ours, native, ratio } of rows) {
    const columns = [String(bytes).padStart(7), ours.toFixed(0).padStart(16), native.toFixed(0).padStart(12)]
    console.log(`${columns.join(' ')} ${`${ratio.toFixed(1)} x`.padStart(7)}`)
  }
}

/** Timed from the first message received to the last, so that neither start-up nor connecting counts. */
async function messagesPerSecond(library: LibraryName, bytes: number, count: number): Promise<number> {
  const { Pull } = await loadLibrary(library)
  const pull = new Pull()
  await pull.bind('tcp://127.0.0.1:*')
  const script = fileURLToPath(new URL('zmtp/sender.ts', import.meta.url))
  const parameters = [library, String(pull.lastEndpoint), String(bytes), String(count)]
  const sender = spawn(process.execPath, ['--conditions=source', script, ...parameters], { stdio: 'inherit' })
  const exited = once(sender, 'exit')
  await pull.receive()
  const start = performance.now()
  for (let received = 1; received < count; received++) await pull.receive()
  const seconds = (performance.now() - start) / 1_000
  pull.close()
  await exited
  return (count - 1) / seconds
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
}
