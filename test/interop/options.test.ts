// Option by option: its default, and what becomes of values at and beyond the edges of its range, side by side with npm
// `zeromq`.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AnySocket, LIBZMQ, OURS, type SocketClass } from './libraries.ts'

const NUMBERS = {
  Dealer: [
    'linger',
    'reconnectInterval',
    'reconnectMaxInterval',
    'backlog',
    'maxMessageSize',
    'handshakeInterval',
    'connectTimeout',
    'heartbeatInterval',
    'heartbeatTimeToLive',
    'heartbeatTimeout',
    'tcpKeepalive',
    'tcpKeepaliveIdle',
    'sendHighWaterMark',
    'sendTimeout',
    'receiveHighWaterMark',
    'receiveTimeout',
  ],
  Subscriber: ['linger', 'receiveHighWaterMark', 'receiveTimeout'],
  Publisher: ['sendHighWaterMark', 'sendTimeout'],
} as const satisfies Partial<Record<SocketClass, readonly string[]>>

const BOOLEANS = {
  Dealer: ['immediate', 'ipv6', 'probeRouter'],
  Router: ['mandatory', 'handover', 'probeRouter'],
  Request: ['correlate', 'relaxed', 'probeRouter'],
  Publisher: ['noDrop'],
} as const satisfies Partial<Record<SocketClass, readonly string[]>>

const NUMBER_VALUES = [
  -2,
  -1,
  0,
  1,
  2,
  99,
  150,
  65_600,
  6_553_500,
  6_553_600,
  2 ** 31 - 1,
  2 ** 31,
  10.7,
  '5',
  null,
  true,
]

/** `<class>.<option> = <value>` where ours differs, and why. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  'Dealer.maxMessageSize = -2': 'a size of less than -1 means nothing',
  'Dealer.heartbeatTimeToLive = -2': 'a negative time means nothing; libzmq takes it for 0',
  'Dealer.heartbeatTimeToLive = -1': 'a negative time means nothing; libzmq takes it for 0',
  'Dealer.heartbeatTimeout = -1': 'the default can be set again',
}

/** What setting a value comes to: the value that is there then, or the error. */
function set(socket: AnySocket, option: string, value: unknown): string {
  try {
    Reflect.set(socket, option, value)
    return `is ${Reflect.get(socket, option)}`
  } catch (error) {
    if (error instanceof TypeError) return `TypeError: ${error.message}`
    assert.ok(error instanceof Error && 'code' in error && 'errno' in error)
    return `${error.code} ${error.errno}: ${error.message}`
  }
}

/** With a socket of each library, which are closed afterwards. */
function withBoth(type: SocketClass, use: (native: AnySocket, ours: AnySocket) => void): void {
  const [native, ours] = [LIBZMQ.open(type), OURS.open(type)]
  try {
    use(native, ours)
  } finally {
    native.close()
    ours.close()
  }
}

const seenDifferences = new Set<string>()

for (const [type, options] of Object.entries(NUMBERS) as [keyof typeof NUMBERS, readonly string[]][]) {
  describe(`numbers of ${type}`, () => {
    for (const option of options) {
      test(`${option} has the same default and takes the same values`, () => {
        withBoth(type, (native, ours) => assert.equal(Reflect.get(ours, option), Reflect.get(native, option)))
        for (const value of NUMBER_VALUES) {
          withBoth(type, (native, ours) => {
            const [expected, actual] = [set(native, option, value), set(ours, option, value)]
            const what = `${type}.${option} = ${value}`
            if (DIFFERENCES[what] === undefined) assert.equal(actual, expected, what)
            else assert.notEqual(actual, expected, what)
            if (actual !== expected) seenDifferences.add(what)
          })
        }
      })
    }

    test('are refused when they are no numbers at all, which npm zeromq takes for 0', () => {
      for (const option of options) {
        for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 2 ** 32]) {
          // Of a size in bytes 2^32 is one.
          if (option === 'maxMessageSize' && value === 2 ** 32) continue
          withBoth(type, (_native, ours) => assert.equal(set(ours, option, value), 'EINVAL 22: Invalid argument'))
        }
      }
    })
  })
}

test('every difference in the table is one', () => {
  assert.deepEqual([...seenDifferences].sort(), Object.keys(DIFFERENCES).sort())
})

for (const [type, options] of Object.entries(BOOLEANS) as [keyof typeof BOOLEANS, readonly string[]][]) {
  for (const option of options) {
    test(`${type}.${option} takes true and false and nothing else, as npm zeromq; ours can always be read`, () => {
      withBoth(type, (native, ours) => {
        assert.equal(Reflect.get(ours, option), false)
        for (const value of [0, 1, 'true', null, undefined, {}]) {
          assert.equal(set(ours, option, value), 'TypeError: Option value must be a boolean')
          assert.equal(set(native, option, value), 'TypeError: Option value must be a boolean')
        }
        for (const value of [true, false]) assert.equal(set(ours, option, value), `is ${value}`)
      })
    })
  }
}

for (const type of ['Dealer', 'Router', 'Request', 'Reply'] as const) {
  test(`${type}.routingId takes text of 1 to 255 bytes, and null, as npm zeromq`, () => {
    for (const value of ['x', 'é', 'a'.repeat(255), 'a'.repeat(256), 'é'.repeat(128), '', null]) {
      withBoth(type, (native, ours) => assert.equal(set(ours, 'routingId', value), set(native, 'routingId', value)))
    }
    withBoth(type, (native, ours) => {
      assert.equal(Reflect.get(ours, 'routingId'), Reflect.get(native, 'routingId'))
      for (const value of [5, true, undefined, {}]) assert.match(set(ours, 'routingId', value), /^TypeError/)
    })
  })
}
