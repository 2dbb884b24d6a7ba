// What holds for every message, not only for those in the tables: what is printed is read as the same, whatever comes is
// read or refused and never thrown, and headers keep their order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Command,
  type DecodeContext,
  type Dialect,
  decode,
  EmqpError,
  encode,
  type HeaderChanges,
  type MessageHeaders,
  makeHeaders,
  messageId,
  parseHeaders,
  queueName,
  withHeaders,
} from '@eventmq-ts/emqp'
import fc from 'fast-check'
import { goldenMessages } from './golden-messages.ts'

const utf8 = new TextEncoder()

/** Plain objects, as the codec makes them. */
function record<T>(model: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }) {
  return fc.record<T>(model, { noNullPrototype: true })
}

const anyText = fc.string({ unit: 'binary', maxLength: 40 })
const payload = fc.uint8Array({ maxLength: 200 })
const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).map(messageId)
const queue = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).map(queueName)
const seconds = fc.integer({ min: 0, max: 1e6 }).map((milliseconds) => milliseconds / 1000)

const knownHeaders: fc.Arbitrary<HeaderChanges> = fc.record(
  {
    replyRequested: fc.boolean(),
    guarantee: fc.boolean(),
    nohaste: fc.boolean(),
    progress: fc.boolean(),
    retryCount: fc.nat(),
    timeoutSeconds: fc.nat(),
    runCount: fc.integer({ min: 1, max: 1000 }),
    delaySeconds: seconds,
    expiresSeconds: seconds,
    priority: fc.integer({ min: 0, max: 9 }),
    backoff: record({ baseSeconds: seconds, maxSeconds: seconds }),
    unique: fc.stringMatching(/^[^,\s\p{C}]+$/u),
    keepSeconds: seconds,
    attempt: fc.integer({ min: 2, max: 1000 }),
    timeZone: fc.constantFrom('UTC', 'Europe/Prague'),
    missed: fc.constantFrom('skip', 'once', 'all'),
  },
  { requiredKeys: [], noNullPrototype: true },
)

/** Unknown headers, as someone else may write them. `x-` keeps them apart from every known name. */
const unknownToken = fc.stringMatching(/^[ \t]?x-[^,:\s\p{C}]{0,8}(:[^,\p{C}]{0,8})?$/u)

const headers: fc.Arbitrary<MessageHeaders> = fc
  .tuple(knownHeaders, fc.array(unknownToken, { maxLength: 5 }))
  .map(([values, tokens]) => {
    const read = parseHeaders(tokens.join(','))
    assert.ok(read.ok)
    return withHeaders(read.value, values)
  })

const timing = fc.oneof(
  record({ kind: fc.constant('interval' as const), seconds: fc.integer({ min: 1, max: 1e9 }) }),
  record({
    kind: fc.constant('cron' as const),
    expression: fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  }),
)

/** Weights and names that both dialects can tell. */
function queues(dialect: Dialect) {
  const name =
    dialect === '0.3' ? queue : fc.stringMatching(/^[a-z][a-z0-9_.-]{0,20}$/).map((text) => queueName(`q${text}`))
  const weight = dialect === '0.3' ? fc.integer({ min: 0, max: 2 ** 31 - 1 }) : fc.constant(10)
  return fc.uniqueArray(record({ weight, name }), { selector: (one) => one.name, maxLength: 5 })
}

function commands(dialect: Dialect): fc.Arbitrary<Command> {
  const type = <T extends string>(name: T) => fc.constant(name)
  const schedule = { id, queue, headers, payload }
  const both = [
    record({
      type: type('INFORM'),
      id,
      role: fc.constantFrom('worker', 'scheduler'),
      queues: queues(dialect),
    }),
    record({ type: type('ACK'), id, acknowledges: id }),
    record({ type: type('REQUEST'), id, queue, headers, payload }),
    record({
      type: type('HEARTBEAT'),
      id,
      sentAtSeconds: fc.double({ noNaN: true, noDefaultInfinity: true }),
    }),
    record({ ...schedule, type: type('SCHEDULE'), timing }),
    record({ ...schedule, type: type('UNSCHEDULE'), timing: fc.option(timing, { nil: undefined }) }),
    record({ type: type('PROGRESS'), id, request: id, payload }),
    record({
      type: type('PUBLISH'),
      id,
      topic: anyText,
      headers: dialect === '2016' ? headers : fc.constant(makeHeaders({})),
      payload,
    }),
    record({
      type: fc.constantFrom(
        'READY',
        'DISCONNECT',
        'KBYE',
        'STATUS',
        'ROUTER_SHOW_WORKERS',
        'ROUTER_SHOW_SCHEDULERS',
        'HELLO',
      ),
      id,
    }),
  ] as const
  const replies =
    dialect === '2016'
      ? [record({ type: type('REPLY'), kind: type('payload'), id, payload })]
      : [
          record({ type: type('REPLY'), kind: type('result'), id, request: id, payload }),
          record({ type: type('REPLY'), kind: type('dispatched'), id, request: id }),
        ]
  return fc.oneof<fc.Arbitrary<Command>[]>(...both, ...replies)
}

for (const dialect of ['0.3', '2016'] as const) {
  test(`every command of ${dialect} that is printed is read as the same command`, () => {
    fc.assert(
      fc.property(commands(dialect), (command) => {
        const decoded = decode(encode(command, dialect), { receiver: 'peer', dialect })
        assert.ok(decoded.ok, decoded.ok ? '' : decoded.error.message)
        assert.deepEqual(decoded.command, command)
      }),
      { numRuns: 1000 },
    )
  })
}

const context: fc.Arbitrary<DecodeContext> = record({
  receiver: fc.constantFrom('broker', 'peer', 'administrator'),
  dialect: fc.constantFrom('0.3', '2016'),
})

/** Decodes; what is taken must survive being printed and read again, what is refused must be an error that can be told. */
function survives(frames: readonly Uint8Array[], from: DecodeContext): void {
  const decoded = decode(frames, from)
  if (!decoded.ok) {
    assert.ok(decoded.error instanceof EmqpError)
    assert.ok(decoded.error.message.isWellFormed() && !/\p{Cc}/u.test(decoded.error.message))
    return
  }
  const again = decode(encode(decoded.command, decoded.dialect), from)
  assert.ok(again.ok)
  assert.deepEqual(again.command, decoded.command)
}

test('whatever bytes come, decode reads or refuses them and does not throw', () => {
  const anyFrame = fc.uint8Array({ maxLength: 60 })
  fc.assert(
    fc.property(fc.array(anyFrame, { maxLength: 12 }), context, (frames, from) => survives(frames, from)),
    { numRuns: 1000 },
  )
})

test('whatever follows a good beginning, decode reads or refuses it and does not throw', () => {
  const name = fc.constantFrom(...goldenMessages.map(({ frames }) => frames[0] as string))
  const odd = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    anyText.map((text) => utf8.encode(text)),
    fc
      .constantFrom('', '-1', '60', '*', 'worker', 'guarantee', 'interval:1', '[[1, "a"]]')
      .map((text) => utf8.encode(text)),
    fc.json({ maxDepth: 3 }).map((text) => utf8.encode(text)),
  )
  fc.assert(
    fc.property(name, fc.array(odd, { maxLength: 8 }), context, (command, rest, from) =>
      survives([utf8.encode(''), utf8.encode('eMQP/1.0'), utf8.encode(command), ...rest], from),
    ),
    { numRuns: 2000 },
  )
})

test('a good message with one byte changed is read or refused, and what is read is printed as it was understood', () => {
  fc.assert(
    fc.property(fc.constantFrom(...goldenMessages), fc.nat(), fc.nat({ max: 255 }), (golden, place, byte) => {
      const frames = encode(golden.command, golden.dialect).map((frame) => Uint8Array.from(frame))
      const target = frames[place % frames.length]
      assert.ok(target !== undefined)
      if (target.length > 0) target[place % target.length] = byte
      survives(frames, golden.context)
    }),
    { numRuns: 2000 },
  )
})

test('a queue name is taken exactly where its bytes are UTF-8, and means those bytes', () => {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), (bytes) => {
      const frames = ['', 'eMQP/1.0', 'REQUEST', 'm1', 'q', '', ''].map((text) => utf8.encode(text))
      frames[4] = bytes
      const decoded = decode(frames, { receiver: 'broker' })
      let expected: string | undefined
      try {
        expected = strict.decode(bytes)
      } catch {
        assert.ok(!decoded.ok && decoded.error.code === 'EMQP_NOT_UTF8')
        return
      }
      assert.ok(decoded.ok && decoded.command.type === 'REQUEST')
      assert.equal(decoded.command.queue, expected)
    }),
    { numRuns: 1000 },
  )
})

test('changing headers moves and touches no other', () => {
  fc.assert(
    fc.property(headers, knownHeaders, (before, changes) => {
      const after = withHeaders(before, changes)
      const unknown = (from: MessageHeaders) => from.text.split(',').filter((token) => token.trim().startsWith('x-'))
      assert.deepEqual(unknown(after), unknown(before))
      for (const key of Object.keys(changes) as (keyof HeaderChanges)[]) {
        const expected = changes[key]
        assert.deepEqual(after[key], expected === undefined ? makeHeaders({})[key] : expected)
      }
      const places = before.entries.map(({ name }) => after.entries.findIndex((entry) => entry.name === name))
      const kept = places.filter((place) => place >= 0)
      const names = before.entries.map(({ name }) => name)
      if (new Set(names).size === names.length)
        assert.deepEqual(
          kept,
          [...kept].sort((a, b) => a - b),
        )
    }),
    { numRuns: 500 },
  )
})
