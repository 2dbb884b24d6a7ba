// `npm run bench -- codec [--json]`: eMQP messages a second through decode and encode on one core, medians of five
// rounds. Every case turns over a thousand different messages, so that no id is a string already known.

import { type Command, type DecodeContext, decode, encode } from '@eventmq-ts/emqp'

interface Case {
  readonly name: string
  /** Runs over all messages once; whether each came out as it should. */
  readonly run: () => boolean
}

interface Row {
  readonly name: string
  readonly perSecond: number
}

const ROUNDS = 5
const ROUND_MS = 200
const MESSAGES = 1000

const utf8 = new TextEncoder()
const fromPeer: DecodeContext = { receiver: 'broker' }
const job =
  '["run", {"callable": "add", "path": "my_jobs", "args": [2, 3], "kwargs": {}, "class_args": [], "class_kwargs": {}}]'

function randomHex(digits: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(digits / 2))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function traceContext(): string {
  return `traceparent:00-${randomHex(32)}-${randomHex(16)}-01`
}

function manyHeaders(): string {
  return `reply-requested,guarantee,retry-count:5,timeout:30,priority:3,backoff:1:60,keep:3600,progress,x-team:billing,${traceContext()}`
}

const messages: Readonly<Record<string, () => readonly string[]>> = {


  'REQUEST, four headers': () => [
    'REQUEST',
    crypto.randomUUID(),
    'default',
    'reply-requested,guarantee,retry-count:2,timeout:5',
    job,
  ],
  'REQUEST, two headers and a new trace context': () => [
    'REQUEST',
    crypto.randomUUID(),
    'default',
    `reply-requested,guarantee,${traceContext()}`,
    job,
  ],
  'REQUEST, nine headers and a new trace context': () => [
    'REQUEST',
    crypto.randomUUID(),
    'default',
    manyHeaders(),
    job,
  ],
  READY: () => ['READY', crypto.randomUUID()],
  REPLY: () => ['REPLY', crypto.randomUUID(), '{"value": 5}', crypto.randomUUID()],
  HEARTBEAT: () => ['HEARTBEAT', crypto.randomUUID(), String(1796137801 + Math.random())],
}

export async function bench(args: readonly string[]): Promise<void> {
  const rows = [...cases()].map(measure)
  if (args.includes('--json')) {
    console.log(JSON.stringify({ bench: 'codec', rounds: ROUNDS, rows }))
    return
  }
  console.log(`eMQP messages/s on one core, medians of ${ROUNDS} rounds`)
  for (const { name, perSecond } of rows) {
    console.log(`${name.padEnd(48)} ${Math.round(perSecond).toLocaleString('en').padStart(12)}`)
  }
}

function* cases(): Generator<Case> {
  for (const [name, make] of Object.entries(messages)) {
    const wire = Array.from({ length: MESSAGES }, () => ['', 'eMQP/1.0', ...make()].map((text) => utf8.encode(text)))
    yield { name: `decode ${name}`, run: () => countTaken(wire) === MESSAGES }
    const commands = wire.map(commandOf)
    const frames = wire.reduce((sum, message) => sum + message.length, 0)
    yield { name: `encode ${name}`, run: () => countFrames(commands) === frames }
  }
  const bad = Array.from({ length: MESSAGES }, () =>
    ['', 'eMQP/1.0', 'REQUEST', crypto.randomUUID(), 'default', 'retry-count:x', job].map((text) => utf8.encode(text)),
  )
  yield { name: 'refuse REQUEST with a bad header', run: () => countTaken(bad) === 0 }
}

function countTaken(wire: readonly (readonly Uint8Array[])[]): number {
  let taken = 0
  for (const frames of wire) if (decode(frames, fromPeer).ok) taken += 1
  return taken
}

function countFrames(commands: readonly Command[]): number {
  let frames = 0
  for (const command of commands) frames += encode(command).length
  return frames
}

function commandOf(frames: readonly Uint8Array[]): Command {
  const decoded = decode(frames, fromPeer)
  if (!decoded.ok) throw decoded.error
  return decoded.command
}

function measure({ name, run }: Case): Row {
  round(run)
  const rounds = Array.from({ length: ROUNDS }, () => round(run)).sort((a, b) => a - b)
  return { name, perSecond: rounds[Math.floor(ROUNDS / 2)] ?? 0 }
}

/** Messages a second over one round. */
function round(run: () => boolean): number {
  const start = performance.now()
  let done = 0
  let elapsedMs = 0
  while (elapsedMs < ROUND_MS) {
    if (!run()) throw new Error('a message was not taken as it should be')
    done += MESSAGES
    elapsedMs = performance.now() - start
  }
  return (done / elapsedMs) * 1000
}
