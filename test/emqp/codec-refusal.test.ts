// Every message that decode must refuse: by which code, at which frame, in which words, and with which id to answer to.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DecodeContext, decode, EmqpError, type EmqpErrorCode } from '@eventmq-ts/emqp'

const utf8 = new TextEncoder()
const broker: DecodeContext = { receiver: 'broker' }

function frame(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? utf8.encode(content) : content
}

function message(...frames: readonly (string | Uint8Array)[]): Uint8Array[] {
  return ['', 'eMQP/1.0', ...frames].map(frame)
}

interface Refusal {
  readonly why: string
  readonly frames: readonly Uint8Array[]
  readonly code: EmqpErrorCode
  readonly frame?: number
  /** What the message must hold, beside what stood there. */
  readonly says: string
  /** The id by which a broker can answer; `m1` where left out. */
  readonly id?: string | undefined
  readonly context?: DecodeContext
}

const notUtf8 = Uint8Array.of(0xff, 0xfe, 0x00, 0x80)
const surrogate = Uint8Array.of(0xed, 0xa0, 0x80)
const overlong = Uint8Array.of(0xc0, 0xaf)
const cutOff = Uint8Array.of(0x61, 0xe2, 0x9c)
const long = (bytes: number): string => 'x'.repeat(bytes)
const requestWith = (headers: string | Uint8Array) => message('REQUEST', 'm1', 'default', headers, 'x')
const inform = (queues: string | Uint8Array, role = 'worker') => message('INFORM', 'm1', queues, role)
const schedule = (interval: string, cron: string) =>
  message('SCHEDULE', 'm1', 'default', '', interval, '["run", {}]', cron)
const schedule7 = (headers: string) => message('SCHEDULE', 'm1', 'default', headers, '["run", {}]')

const refusals: readonly Refusal[] = [
  { why: 'no frame at all', frames: [], code: 'EMQP_FRAME_COUNT', says: '0 frames', id: undefined },
  { why: 'only the delimiter', frames: [frame('')], code: 'EMQP_FRAME_COUNT', says: '1 frame"', id: undefined },
  {
    why: 'no command',
    frames: message(),
    code: 'EMQP_FRAME_COUNT',
    says: '2 frames',
    id: undefined,
  },
  {
    why: 'no message id',
    frames: message('READY'),
    code: 'EMQP_FRAME_COUNT',
    says: 'expected 4 frames',
    id: undefined,
  },
  {
    why: 'no delimiter',
    frames: message('READY', 'm1').slice(1),
    code: 'EMQP_DELIMITER',
    frame: 0,
    says: '"eMQP/1.0"; expected an empty frame',
    id: undefined,
  },
  {
    why: 'another version',
    frames: ['', 'eMQP/9.9', 'READY', 'm1'].map(frame),
    code: 'EMQP_VERSION',
    frame: 1,
    says: '"eMQP/9.9"; expected eMQP/1.0',
  },
  { why: 'no version', frames: ['', '', 'READY', 'm1'].map(frame), code: 'EMQP_VERSION', frame: 1, says: '""' },
  {
    why: 'an unknown command',
    frames: message('FROBNICATE', 'm1', 'x'),
    code: 'EMQP_UNKNOWN_COMMAND',
    frame: 2,
    says: '"FROBNICATE"',
  },
  {
    why: 'a command in lower case',
    frames: message('request', 'm1', 'default', '', 'x'),
    code: 'EMQP_UNKNOWN_COMMAND',
    frame: 2,
    says: 'REQUEST: commands are upper case',
  },
  {
    why: 'a command named like a property of every object',
    frames: message('constructor', 'm1'),
    code: 'EMQP_UNKNOWN_COMMAND',
    frame: 2,
    says: '"constructor"',
  },
  {
    why: 'a command that is not text',
    frames: message(notUtf8, 'm1'),
    code: 'EMQP_UNKNOWN_COMMAND',
    frame: 2,
    says: '0xfffe0080',
  },
  {
    why: 'a message id that is not text',
    frames: message('READY', notUtf8),
    code: 'EMQP_NOT_UTF8',
    frame: 3,
    says: 'frame 3 (message id) is "0xfffe0080"; expected UTF-8',
    id: undefined,
  },
  {
    why: 'an empty message id',
    frames: message('READY', ''),
    code: 'EMQP_MESSAGE_ID',
    frame: 3,
    says: 'message id',
    id: undefined,
  },
  {
    why: 'a message id beyond its limit',
    frames: message('READY', long(256)),
    code: 'EMQP_LIMIT',
    frame: 3,
    says: 'at most 255 bytes (messageIdBytes)',
    id: undefined,
  },
  {
    why: 'an empty acknowledged id',
    frames: message('ACK', 'm1', ''),
    code: 'EMQP_MESSAGE_ID',
    frame: 4,
    says: 'acknowledged message id',
  },
  {
    why: 'an empty queue name',
    frames: message('REQUEST', 'm1', '', '', 'x'),
    code: 'EMQP_QUEUE_NAME',
    frame: 4,
    says: 'queue name',
  },
  {
    why: 'a queue name beyond its limit',
    frames: message('REQUEST', 'm1', long(256), '', 'x'),
    code: 'EMQP_LIMIT',
    frame: 4,
    says: 'queueNameBytes',
  },
  ...[notUtf8, surrogate, overlong, cutOff].map((bytes, i) => ({
    why: `a queue name that is not UTF-8 (${i})`,
    frames: message('REQUEST', 'm1', bytes, '', 'x'),
    code: 'EMQP_NOT_UTF8' as const,
    frame: 4,
    says: 'eMQP REQUEST: frame 4 (queue name)',
  })),
  { why: 'headers that are not UTF-8', frames: requestWith(notUtf8), code: 'EMQP_NOT_UTF8', frame: 5, says: 'headers' },
  {
    why: 'headers beyond their bytes',
    frames: requestWith(long(8193)),
    code: 'EMQP_LIMIT',
    frame: 5,
    says: 'headersBytes',
  },
  {
    why: 'too many headers',
    frames: requestWith('a,'.repeat(64)),
    code: 'EMQP_LIMIT',
    frame: 5,
    says: 'at most 64 headers',
  },
  {
    why: 'a known header with a bad value',
    frames: requestWith('guarantee,retry-count:abc'),
    code: 'EMQP_HEADER',
    frame: 5,
    says: '"retry-count:abc"',
  },
  ...(
    [
      ['REQUEST', 4],
      ['REQUEST', 5],
      ['REQUEST', 6],
      ['REQUEST', 8],
      ['INFORM', 4],
      ['INFORM', 5],
      ['SCHEDULE', 6],
      ['SCHEDULE', 10],
      ['PUBLISH', 5],
      ['REPLY', 4],
      ['REPLY', 7],
    ] as const
  ).map(([name, count]) => ({
    why: `${name} with ${count} frames`,
    frames: message(name, 'm1', ...Array.from({ length: count - 4 }, () => 'x')),
    code: 'EMQP_FRAME_COUNT' as const,
    says: `eMQP ${name}: message is "${count} frames"`,
  })),
  {
    why: 'a million frames',
    frames: [...message('REQUEST', 'm1'), ...new Array<Uint8Array>(1_000_000).fill(frame(''))],
    code: 'EMQP_FRAME_COUNT',
    says: '1000004 frames',
  },
  ...(
    [
      ['invalid JSON', '[[10, default]]'],
      ["Python's quotes", "[40, 'email']"],
      ['a flat pair', '[40, "email"]'],
      ['a short pair', '[[10]]'],
      ['a long pair', '[[10, "a", 1]]'],
      ['a swapped pair', '[["default", 10]]'],
      ['a weight that is text', '[[10, "a"], ["5", "b"]]'],
      ['a weight with a fraction', '[[1.5, "a"]]'],
      ['a negative weight', '[[-1, "a"]]'],
      ['names in JSON', '["default"]'],
      ['a number', '5'],
      ['an object', '{"default": 10}'],
      ['a string in JSON', '"default"'],
      ['an empty list', '[]'],
      ['a queue twice', '[[10, "a"], [20, "a"]]'],
      ['an empty name', '[[10, ""]]'],
      ['a lone surrogate in a name', '[[10, "\\ud800"]]'],
      ['a name beyond its limit', `[[10, "${long(256)}"]]`],
      ['too many queues', `[${Array.from({ length: 1025 }, (_, i) => `[10, "q${i}"]`).join(', ')}]`],
      ['a 2016 list with an empty name', 'a,,b'],
      ['a 2016 list with a name twice', 'a,b,a'],
    ] as const
  ).map(([what, queues]) => ({
    why: `INFORM with ${what}`,
    frames: inform(queues),
    code: 'EMQP_QUEUES' as const,
    frame: 4,
    says: 'a JSON list of [weight, "name"]',
  })),
  {
    why: 'INFORM with queues beyond their bytes',
    frames: inform(long(65_537)),
    code: 'EMQP_LIMIT',
    frame: 4,
    says: 'informQueuesBytes',
  },
  { why: 'INFORM of a gardener', frames: inform('', 'gardener'), code: 'EMQP_ROLE', frame: 5, says: '"gardener"' },
  ...['soon', '', 'NaN', 'inf', '1.', ' 1.0', '0x10', '1e999', '--1'].map((time) => ({
    why: `HEARTBEAT at "${time}"`,
    frames: message('HEARTBEAT', 'm1', time),
    code: 'EMQP_TIME' as const,
    frame: 4,
    says: 'Unix time in seconds',
  })),
  {
    why: 'HEARTBEAT with a time beyond its limit',
    frames: message('HEARTBEAT', 'm1', '1'.repeat(33)),
    code: 'EMQP_LIMIT',
    frame: 4,
    says: 'numberBytes',
  },
  ...(
    [
      ['neither interval nor cron', '-1', ''],
      ['both', '60', '* * * * *'],
      ['an empty interval', '', ''],
      ['an interval of 0', '0', ''],
      ['a negative interval', '-2', ''],
      ['an interval with a fraction', '1.5', ''],
      ['an interval in words', 'soon', ''],
      ['an interval of 200 years', '6311520000', ''],
    ] as const
  ).map(([what, interval, cron]) => ({
    why: `SCHEDULE with ${what}`,
    frames: schedule(interval, cron),
    code: 'EMQP_TIMING' as const,
    frame: 6,
    says: 'interval and cron',
  })),
  {
    why: 'SCHEDULE with a cron expression beyond its limit',
    frames: schedule('-1', long(256)),
    code: 'EMQP_LIMIT',
    frame: 8,
    says: 'cronBytes',
  },
  {
    why: 'SCHEDULE with 8 frames and no interval',
    frames: schedule('-1', '').slice(0, 8),
    code: 'EMQP_TIMING',
    frame: 6,
    says: 'interval and cron',
  },
  ...['', 'guarantee', 'interval:0', 'interval', 'cron:', 'interval:5,cron:* * * * *', 'interval:5,interval:6'].map(
    (headers) => ({
      why: `SCHEDULE with 7 frames and headers "${headers}"`,
      frames: schedule7(headers),
      code: 'EMQP_TIMING' as const,
      frame: 5,
      says: 'interval and cron',
    }),
  ),
  {
    why: 'SCHEDULE with 7 frames and a cron expression beyond its limit',
    frames: schedule7(`cron:${long(256)}`),
    code: 'EMQP_LIMIT',
    frame: 5,
    says: 'cronBytes',
  },
  {
    why: 'PUBLISH with a topic beyond its limit',
    frames: message('PUBLISH', 'm1', long(1025), 'x'),
    code: 'EMQP_LIMIT',
    frame: 4,
    says: 'topicBytes',
  },
  {
    why: '"dispatched" without an id',
    frames: message('REPLY', 'm1', ''),
    context: { receiver: 'peer' },
    code: 'EMQP_MESSAGE_ID',
    frame: 4,
    says: 'id of the REQUEST',
  },
  {
    why: 'a result for a REQUEST whose id is not text',
    frames: message('REPLY', 'm1', '{"value": 1}', notUtf8),
    code: 'EMQP_NOT_UTF8',
    frame: 5,
    says: 'id of the REQUEST',
  },
]

describe('a message is refused with a typed error', () => {
  for (const refusal of refusals) {
    test(refusal.why, () => {
      const decoded = decode(refusal.frames, refusal.context ?? broker)
      assert.ok(!decoded.ok, 'it was taken')
      const { error } = decoded
      assert.ok(error instanceof EmqpError)
      assert.equal(error.code, refusal.code)
      assert.equal(error.frame, refusal.frame)
      assert.ok(error.message.includes(refusal.says), error.message)
      assert.equal(error.messageId, 'id' in refusal ? refusal.id : 'm1')
      assert.ok(error.message.length < 700, `${error.message.length} characters`)
    })
  }
})

test('an error shows what came without control characters and cut short', () => {
  const decoded = decode(message('\u001b[31mRED\r\nfake log line"\u202e', 'm1'), broker)
  assert.ok(!decoded.ok)
  assert.equal(decoded.error.found, '\\u{1b}[31mRED\\u{d}\\u{a}fake log line"\\u{202e}')
  const flood = decode(message('READY', 'ü'.repeat(25_000_000)), broker)
  assert.ok(!flood.ok)
  assert.match(flood.error.found, /^ü{32}\.\.\.\(50000000 bytes\)$/)
})

test('bytes that are no text are shown in hex, cut short', () => {
  const decoded = decode(message('READY', new Uint8Array(200).fill(0xff)), broker)
  assert.ok(!decoded.ok)
  assert.equal(decoded.error.found, `0x${'ff'.repeat(32)}...(200 bytes)`)
})

test('an error that learns where it stands says the rest as before', () => {
  for (const found of ['short', 'x'.repeat(200), 'y'.repeat(5000), '\u0007'.repeat(150), '😀'.repeat(150)]) {
    const error = new EmqpError('EMQP_JOB', { part: 'payload', found, expected: 'a job' }, { cause: 'why' })
    const placed = error.at({ frame: 6, command: 'REQUEST' })
    assert.equal(placed.found, error.found)
    assert.ok(placed.found.length <= 200 && placed.found.isWellFormed())
    assert.equal(placed.message, `eMQP REQUEST: frame 6 (payload) is "${error.found}"; expected a job`)
    assert.deepEqual([placed.code, placed.cause], ['EMQP_JOB', 'why'])
  }
})
