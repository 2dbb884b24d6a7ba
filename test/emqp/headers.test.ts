// The headers frame: exact names, typed values, order and unknown headers kept, bytes untouched where nothing changed.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  DEFAULT_BACKOFF,
  formatHeaders,
  type HeaderChanges,
  type KnownHeaders,
  LIMITS,
  type MessageHeaders,
  makeHeaders,
  NO_HEADERS,
  parseHeaders,
  withHeaders,
} from '@eventmq-ts/emqp'

function read(text: string): MessageHeaders {
  const result = parseHeaders(text)
  assert.ok(result.ok, result.ok ? '' : result.error.message)
  return result.value
}

function known(headers: MessageHeaders): Partial<KnownHeaders> {
  const { text: _text, entries: _entries, ...rest } = headers
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined && value !== false))
}

/** Text that is read, and what the known headers in it say. */
const readable: readonly (readonly [string, Partial<KnownHeaders>])[] = [
  ['', {}],
  ['reply-requested', { replyRequested: true }],
  ['x-reply-requested-by:me', {}],
  ['xreply-requestedx', {}],
  ['Reply-Requested', {}],
  ['timeout:2,x-timeout:9', { timeoutSeconds: 2 }],
  ['x-timeout:9,timeout:2', { timeoutSeconds: 2 }],
  [' retry-count:1 ,\tguarantee ', { retryCount: 1, guarantee: true }],
  ['retry-count : 1', { retryCount: 1 }],
  ['retry-count:0', { retryCount: 0 }],
  ['retry-count:007', { retryCount: 7 }],
  ['retry-count:2147483647', { retryCount: 2147483647 }],
  ['timeout:0', { timeoutSeconds: 0 }],
  ['run_count:1,nohaste', { runCount: 1, nohaste: true }],
  ['delay:0.25', { delaySeconds: 0.25 }],
  ['delay:3', { delaySeconds: 3 }],
  ['expires:60', { expiresSeconds: 60 }],
  ['priority:0', { priority: 0 }],
  ['priority:9', { priority: 9 }],
  ['backoff:2', { backoff: { baseSeconds: 2, maxSeconds: 3600 } }],
  ['backoff:0', { backoff: { baseSeconds: 0, maxSeconds: 3600 } }],
  ['backoff:0.5:10', { backoff: { baseSeconds: 0.5, maxSeconds: 10 } }],
  ['unique:user:7', { unique: 'user:7' }],
  ['unique:Größe ✓,debounce:1.5', { unique: 'Größe ✓', debounceSeconds: 1.5 }],
  ['keep:3600', { keepSeconds: 3600 }],
  ['progress', { progress: true }],
  [
    'traceparent:00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
  ],
  ['attempt:2', { attempt: 2 }],
  ['tz:Europe/Prague', { timeZone: 'Europe/Prague' }],
  ['tz:Etc/GMT+5', { timeZone: 'Etc/GMT+5' }],
  ['missed:skip', { missed: 'skip' }],
  ['constructor,__proto__:1,toString:x', {}],
  [',,guarantee,', { guarantee: true }],
]

describe('headers are read', () => {
  for (const [text, meaning] of readable) {
    test(`"${text}"`, () => {
      const headers = read(text)
      assert.deepEqual(known(headers), meaning)
      assert.equal(formatHeaders(headers), text)
    })
  }
})

/** Text that is refused, and the header that the error must name. */
const refused: readonly (readonly [string, string])[] = [
  ['retry-count:abc', 'retry-count'],
  ['retry-count:-1', 'retry-count'],
  ['retry-count:', 'retry-count'],
  ['retry-count', 'retry-count'],
  ['retry-count:1.5', 'retry-count'],
  ['retry-count:1e3', 'retry-count'],
  ['retry-count:0x10', 'retry-count'],
  ['retry-count:٣', 'retry-count'],
  ['retry-count:2147483648', 'retry-count'],
  [`retry-count:${'9'.repeat(400)}`, 'retry-count'],
  ['timeout:soon', 'timeout'],
  ['timeout:NaN', 'timeout'],
  ['timeout:Infinity', 'timeout'],
  ['timeout:1.5', 'timeout'],
  ['timeout:9999999999', 'timeout'],
  ['run_count:0', 'run_count'],
  ['run_count:-1', 'run_count'],
  ['delay:-1', 'delay'],
  ['delay:.5', 'delay'],
  ['priority:10', 'priority'],
  ['backoff:1:', 'backoff'],
  ['backoff:1:2:3', 'backoff'],
  ['backoff:fast', 'backoff'],
  ['unique:', 'unique'],
  ['unique', 'unique'],
  ['debounce:1', 'debounce'],
  ['traceparent:00-0-0-0', 'traceparent'],
  ['traceparent:00-00000000000000000000000000000000-00f067aa0ba902b7-01', 'traceparent'],
  ['attempt:0', 'attempt'],
  ['tz:', 'tz'],
  ['tz:Europe Prague', 'tz'],
  ['missed:never', 'missed'],
  ['guarantee:1', 'guarantee'],
  ['guarantee:', 'guarantee'],
  ['reply-requested:true', 'reply-requested'],
  ['guarantee,guarantee', 'guarantee'],
  ['timeout:2,timeout:2', 'timeout'],
  ['retry-count:0,retry-count:0', 'retry-count'],
  [':5', ':5'],
]

describe('headers are refused by an error that names the one that is wrong', () => {
  for (const [text, named] of refused) {
    test(`"${text.slice(0, 60)}"`, () => {
      // Twice: what was refused once must not have been remembered as good.
      for (let times = 0; times < 2; times++) {
        const result = parseHeaders(`x-before:1,${text},x-after`)
        assert.ok(!result.ok, 'they were taken')
        assert.equal(result.error.code, 'EMQP_HEADER')
        assert.ok(result.error.message.includes(named), result.error.message)
      }
    })
  }
})

test('entries keep the order, the unknown ones and their values', () => {
  assert.deepEqual(read('z:1, guarantee ,a,b:,c: x : y ').entries, [
    { name: 'z', value: '1' },
    { name: 'guarantee', value: undefined },
    { name: 'a', value: undefined },
    { name: 'b', value: '' },
    { name: 'c', value: 'x : y' },
  ])
})

test('limits are inclusive, and named where they are crossed', () => {
  assert.equal(read(`x:${'ü'.repeat(4095)}`).entries.length, 1)
  assert.equal(read(Array.from({ length: LIMITS.headers }, (_, i) => `x${i}`).join(',')).entries.length, 64)
  for (const [text, limit] of [
    [`x:${'ü'.repeat(4096)}`, 'headersBytes'],
    [Array.from({ length: 65 }, (_, i) => `x${i}`).join(','), '(headers)'],
  ] as const) {
    const result = parseHeaders(text)
    assert.ok(!result.ok && result.error.code === 'EMQP_LIMIT' && result.error.message.includes(limit))
  }
})

test('the same text gives the same headers, and nobody can change them', () => {
  const headers = read('guarantee,retry-count:1')
  assert.equal(read('guarantee,retry-count:1'), headers)
  assert.throws(() => Object.assign(headers, { guarantee: false }), TypeError)
  assert.throws(() => Object.assign(headers.entries, [{ name: 'x', value: undefined }]), TypeError)
  assert.throws(() => Object.assign(headers.entries[0] ?? {}, { name: 'x' }), TypeError)
})

test('thousands of different texts push nothing wrong into what is remembered', () => {
  for (let i = 0; i < 5000; i++) assert.equal(read(`retry-count:${i},x-${i}`).retryCount, i)
  assert.equal(read('retry-count:7,x-7').retryCount, 7)
})

describe('headers are made of values', () => {
  const makeable: readonly (readonly [HeaderChanges, string])[] = [
    [{}, ''],
    [{ guarantee: false, retryCount: undefined }, ''],
    [{ timeoutSeconds: 0, retryCount: 0 }, 'retry-count:0,timeout:0'],
    [{ runCount: 3, nohaste: true }, 'nohaste,run_count:3'],
    [{ delaySeconds: 0.1 + 0.2 }, 'delay:0.3'],
    [{ delaySeconds: 1e-7 }, 'delay:0'],
    [{ delaySeconds: 1e9 }, 'delay:1000000000'],
    [{ backoff: DEFAULT_BACKOFF }, 'backoff:1:3600'],
    [{ unique: 'user:7', debounceSeconds: 2 }, 'unique:user:7,debounce:2'],
    [{ missed: 'all', timeZone: 'Europe/Prague' }, 'tz:Europe/Prague,missed:all'],
  ]
  for (const [values, text] of makeable) {
    test(`"${text}"`, () => {
      assert.equal(makeHeaders(values).text, text)
    })
  }

  const unmakeable: readonly HeaderChanges[] = [
    { retryCount: -1 },
    { retryCount: 1.5 },
    { retryCount: Number.NaN },
    { timeoutSeconds: 0.5 },
    { delaySeconds: Number.POSITIVE_INFINITY },
    { priority: 10 },
    { unique: 'a,b' },
    { unique: ' a' },
    { unique: '\ud800' },
    { unique: '' },
    { debounceSeconds: 1 },
    { traceparent: 'x' },
    { timeZone: 'a,guarantee' },
  ]
  for (const values of unmakeable) {
    const [[key, value] = []] = Object.entries(values)
    test(`${key} of ${JSON.stringify(value)} is thrown back`, () => {
      assert.throws(() => makeHeaders(values), { name: 'EmqpError', code: 'EMQP_HEADER' })
    })
  }
})

describe('headers are changed', () => {
  const received = read('x-mine:1, guarantee ,retry-count:3')
  const changes: readonly (readonly [string, HeaderChanges, string])[] = [
    ['a new one goes to the end', { attempt: 2 }, 'x-mine:1, guarantee ,retry-count:3,attempt:2'],
    ['one that is there keeps its place', { retryCount: 1 }, 'x-mine:1, guarantee ,retry-count:1'],
    ['one is taken away', { guarantee: false }, 'x-mine:1,retry-count:3'],
    ['what is absent cannot be taken away', { timeoutSeconds: undefined }, 'x-mine:1, guarantee ,retry-count:3'],
    [
      'a flag that is there is left as it is',
      { guarantee: true, replyRequested: true },
      'x-mine:1, guarantee ,retry-count:3,reply-requested',
    ],
  ]
  for (const [what, change, text] of changes) {
    test(what, () => {
      assert.equal(withHeaders(received, change).text, text)
      assert.equal(received.text, 'x-mine:1, guarantee ,retry-count:3')
    })
  }

  test('the first one of none needs no comma', () => {
    assert.equal(withHeaders(NO_HEADERS, { replyRequested: true }).text, 'reply-requested')
  })

  test('more of them than the limit are thrown back', () => {
    const full = read(Array.from({ length: LIMITS.headers }, (_, i) => `x${i}`).join(','))
    assert.throws(() => withHeaders(full, { guarantee: true }), { code: 'EMQP_LIMIT' })
  })
})
