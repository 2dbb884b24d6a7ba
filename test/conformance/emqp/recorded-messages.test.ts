// Every eMQP message ever recorded of EventMQ 0.3.13: read as what it says, and printed as the same bytes. What must be
// refused and what is odd but well formed stands in recorded-verdicts.ts, what comes out in other bytes below, each with
// its reason; a message in no table must be understood and come back byte for byte.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type DecodeContext,
  decode,
  encode,
  parseJobCall,
  parseJobResult,
  parseShowSchedulers,
  parseShowWorkers,
  parseStatus,
} from '@eventmq-ts/emqp'
import { type RecordedMessage, readAllExchanges } from './recorded-exchange.ts'
import { oddButWellFormed, refusedMessages } from './recorded-verdicts.ts'

/** Messages in 2016's layout, and in which bytes they leave: the same in that dialect, or why not. */
const dialect2016: ReadonlyMap<string, string> = new Map([
  ['malformed-backend-known-kbai#2', 'same'],
  ['malformed-backend-known-reply-short#2', 'same'],
  [
    'malformed-scheduler-schedule-8-frames#2',
    'of the two layouts of 2016 we print the one of 7 frames: it can hold cron',
  ],
  ['pubsub-publish#9', 'same'],
])

/** Jobs that are none, by recording and step. */
const notJobs: ReadonlySet<string> = new Set([
  'jobmanager-jobs#54',
  'malformed-frontend-request-bad-json#3',
  'malformed-frontend-request-bad-json#5',
  'malformed-frontend-request-nonutf8-message#3',
  'malformed-jobmanager-nonutf8#4',
  'malformed-jobmanager-request-bad-json#4',
  'malformed-jobmanager-request-empty-params#4',
  'malformed-jobmanager-request-json-not-list#4',
  'malformed-scheduler-nonutf8#2',
  'malformed-scheduler-schedule-bad-json#2',
])

/** Every header text that was recorded, and the known headers in it. */
const headerMeanings: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map<string, Record<string, unknown>>(
  [
    ['', {}],
    ['reply-requested', { replyRequested: true }],
    ['guarantee', { guarantee: true }],
    ['retry-count:3', { retryCount: 3 }],
    ['timeout:10', { timeoutSeconds: 10 }],
    ['reply-requested,timeout:1', { replyRequested: true, timeoutSeconds: 1 }],
    ['reply-requested,retry-count:3', { replyRequested: true, retryCount: 3 }],
    [
      'reply-requested,guarantee,retry-count:2,timeout:5',
      { replyRequested: true, guarantee: true, retryCount: 2, timeoutSeconds: 5 },
    ],
    ['nohaste', { nohaste: true }],
    ['nohaste,run_count:3', { nohaste: true, runCount: 3 }],
    ['run_count:1', { runCount: 1 }],
    ['run_count:2', { runCount: 2 }],
    ['run_count:3', { runCount: 3 }],
    ['run_count:2,nohaste', { runCount: 2, nohaste: true }],
    ['run_count:3,nohaste', { runCount: 3, nohaste: true }],
    // EventMQ's worker searches substrings and would send a reply here; names match exactly.
    ['xreply-requestedx', {}],
    ['x-unknown:1, spaced', {}],
    ['header-1', {}],
  ],
)

interface Recorded {
  /** Recording and step. */
  readonly key: string
  readonly message: RecordedMessage
}

// What subscribers get is no eMQP: two frames, topic and payload. Silences and events have no frames at all.
const recorded: readonly Recorded[] = readAllExchanges().flatMap(({ name, exchange }) =>
  exchange
    .map((message, step) => ({ key: `${name}#${step}`, message }))
    .filter(({ message }) => message.frames.length > 0 && !message.to?.startsWith('sub-')),
)

function contextOf({ from, to }: RecordedMessage): DecodeContext {
  if (from === 'router(admin)') return { receiver: 'administrator' }
  return { receiver: to === 'router' || to === 'router(admin)' || to === 'pubsub' ? 'broker' : 'peer' }
}

function understood({ key, message }: Recorded) {
  const decoded = decode(message.frames, contextOf(message))
  assert.ok(decoded.ok, decoded.ok ? '' : `${key}: ${decoded.error.message}`)
  return decoded
}

const understandable = recorded.filter(({ key }) => !refusedMessages.has(key))
const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

test('the recordings are all here', () => {
  assert.equal(recorded.length, 1072)
  assert.equal(understandable.length, 1072 - refusedMessages.size)
  const keys = new Set(recorded.map(({ key }) => key))
  for (const table of [refusedMessages, oddButWellFormed, dialect2016, notJobs]) {
    for (const key of table.keys()) assert.ok(keys.has(key), `no message ${key}`)
  }
})

describe('a recorded message that cannot be read gives the error that says why', () => {
  for (const { key, message } of recorded.filter(({ key }) => refusedMessages.has(key))) {
    test(`${key} ${message.note}`, () => {
      const decoded = decode(message.frames, contextOf(message))
      assert.ok(!decoded.ok, 'it was taken')
      assert.deepEqual([decoded.error.code, decoded.error.frame], refusedMessages.get(key))
      const id = message.frames.length > 3 ? text(message.frames[3]) : undefined
      const readable =
        id !== '' && id !== undefined && !id.includes('\ufffd') && decoded.error.code !== 'EMQP_DELIMITER'
      assert.equal(decoded.error.messageId, readable ? id : undefined)
    })
  }
})

test('every message that the recorder marked as malformed is refused, or stands in the table of who judges it', () => {
  const marked = recorded.filter(({ message }) => message.note.startsWith('MALFORMED')).map(({ key }) => key)
  assert.ok(marked.length > 80)
  assert.deepEqual(
    marked.filter((key) => !refusedMessages.has(key)),
    [...oddButWellFormed.keys()],
  )
})

test('every other recorded message says what its frames say', () => {
  for (const one of understandable) {
    const { command } = understood(one)
    const frames = one.message.frames
    const name = text(frames[2])
    assert.equal(command.type, name === 'KBAI' ? 'KBYE' : name, one.key)
    assert.equal(command.id, text(frames[3]), one.key)
    switch (command.type) {
      case 'INFORM': {
        assert.equal(command.role, text(frames[5]))
        const pairs = command.queues.map(({ weight, name }) => [weight, name])
        assert.deepEqual(pairs, frames[4]?.length === 0 ? [] : JSON.parse(text(frames[4])))
        break
      }
      case 'ACK':
        assert.equal(command.acknowledges, text(frames[4]))
        break
      case 'REQUEST':
        assert.deepEqual([command.queue, command.headers.text], [text(frames[4]), text(frames[5])])
        assert.equal(command.payload, frames[6])
        break
      case 'REPLY':
        assert.deepEqual(replyParts(command), expectedReplyParts(one.message), one.key)
        break
      case 'HEARTBEAT':
        assert.equal(command.sentAtSeconds, Number(text(frames[4])))
        break
      case 'SCHEDULE':
      case 'UNSCHEDULE': {
        assert.deepEqual([command.queue, command.headers.text], [text(frames[4]), text(frames[5])])
        assert.equal(command.payload, frames[7])
        const interval = { kind: 'interval', seconds: Number(text(frames[6])) }
        const cron = frames[8]?.length ? { kind: 'cron', expression: text(frames[8]) } : undefined
        assert.deepEqual(command.timing, text(frames[6]) === '-1' ? cron : interval, one.key)
        break
      }
      case 'PUBLISH':
        assert.deepEqual([command.topic, command.payload], [text(frames[4]), frames.at(-1)])
        break
    }
  }
})

function replyParts(command: ReturnType<typeof understood>['command']): readonly unknown[] {
  assert.ok(command.type === 'REPLY')
  if (command.kind === 'result') return [command.kind, command.payload, command.request]
  return command.kind === 'dispatched' ? [command.kind, command.request] : [command.kind, command.payload]
}

function expectedReplyParts({ from, to, frames }: RecordedMessage): readonly unknown[] {
  if (frames.length === 6) return ['result', frames[4], text(frames[5])]
  if (from === 'router(admin)') return ['administration', frames[4]]
  return to === 'router' ? ['payload', frames[4]] : ['dispatched', text(frames[4])]
}

test('every recorded header text means what the table says', () => {
  const seen = new Set<string>()
  for (const one of understandable) {
    const { command } = understood(one)
    if (!('headers' in command)) continue
    const { text, entries, ...known } = command.headers
    if (command.type === 'PUBLISH' && text === '') continue
    seen.add(text)
    const present = Object.fromEntries(
      Object.entries(known).filter(([, value]) => value !== undefined && value !== false),
    )
    assert.deepEqual(present, headerMeanings.get(text), one.key)
    assert.deepEqual(
      entries.map(({ name, value }) => (value === undefined ? name : `${name}:${value}`)),
      text === '' ? [] : text.split(',').map((token) => token.trim()),
    )
  }
  assert.deepEqual([...seen].sort(), [...headerMeanings.keys()].sort())
})

test('every understood message is printed as the bytes that were recorded, but for the table of dialects', () => {
  for (const one of understandable) {
    const { command, dialect } = understood(one)
    const reason = dialect2016.get(one.key)
    assert.equal(dialect, reason === undefined ? '0.3' : '2016', one.key)
    const printed = encode(command, dialect)
    if (reason === undefined || reason === 'same') assert.deepEqual(printed, one.message.frames, one.key)
    else assert.notDeepEqual(printed, one.message.frames, one.key)
  }
})

test('every recorded job is read with all its arguments, and what is no job says so', () => {
  for (const one of understandable) {
    const { command } = understood(one)
    if (command.type !== 'REQUEST' && command.type !== 'SCHEDULE' && command.type !== 'UNSCHEDULE') continue
    const call = parseJobCall(command.payload)
    if (notJobs.has(one.key)) {
      assert.ok(!call.ok, one.key)
      assert.equal(call.error.code, 'EMQP_JOB')
      continue
    }
    assert.ok(call.ok, one.key)
    const { classArgs, classKwargs, ...same } = call.value
    const [, expected] = JSON.parse(text(command.payload))
    const defaults = { args: [], kwargs: {}, class_args: [], class_kwargs: {} }
    assert.deepEqual({ ...same, class_args: classArgs, class_kwargs: classKwargs }, { ...defaults, ...expected })
  }
})

test('every recorded result is a value', () => {
  let results = 0
  for (const one of understandable) {
    const { command } = understood(one)
    if (command.type !== 'REPLY' || command.kind !== 'result') continue
    const expected = { kind: 'value', value: JSON.parse(text(command.payload)).value }
    assert.deepEqual(parseJobResult(command.payload), expected)
    results += 1
  }
  assert.ok(results > 20)
})

test("every recorded administrator's view is read whole, but for queues that a malformed INFORM has put there", () => {
  const views = { status: 0, workers: 0, schedulers: 0 }
  for (const one of understandable) {
    const { command } = understood(one)
    if (command.type !== 'REPLY' || command.kind !== 'administration') continue
    const json = JSON.parse(text(command.payload))
    if ('ok' in json) continue // Sent by a script to emq-cli, which prints whatever it gets.
    if ('connected_workers' in json) {
      const read = parseShowWorkers(command.payload)
      const broken = ['json-names', 'json-object', 'swapped-pair'].some((what) => one.key.includes(`inform-${what}#`))
      if (broken) assert.ok(!read.ok && read.error.code === 'EMQP_ADMINISTRATION', one.key)
      else assert.deepEqual(read, { ok: true, value: json }, one.key)
      views.workers += 1
    } else if ('connected_schedulers' in json) {
      assert.deepEqual(parseShowSchedulers(command.payload), { ok: true, value: json })
      views.schedulers += 1
    } else {
      assert.deepEqual(parseStatus(command.payload), { ok: true, value: json })
      views.status += 1
    }
  }
  assert.ok(views.status > 5 && views.workers > 20 && views.schedulers > 3, JSON.stringify(views))
})
