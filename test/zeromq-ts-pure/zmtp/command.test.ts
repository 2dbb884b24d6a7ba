import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  decodeCommand,
  decodeErrorReason,
  decodePing,
  encodeCommand,
  encodePing,
  PING_CONTEXT_LIMIT,
  TTL_LIMIT_MS,
  Violation,
} from 'zeromq-ts-pure/zmtp'
import { bytes, hexOf } from './wire.ts'

const MALFORMED = 'ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED'

/** Bodies by ZMTP 3.1, "Formal Grammar". */
const COMMANDS = [
  { name: 'READY', data: bytes(), body: bytes('05', '"READY"') },
  { name: 'ERROR', data: bytes('04', '"nope"'), body: bytes('05', '"ERROR"', '04', '"nope"') },
  { name: 'PING', data: bytes('000f', '"ctx!"'), body: bytes('04', '"PING"', '000f', '"ctx!"') },
  { name: 'PONG', data: bytes('"ctx!"'), body: bytes('04', '"PONG"', '"ctx!"') },
  { name: 'SUBSCRIBE', data: bytes('"topic"'), body: bytes('09', '"SUBSCRIBE"', '"topic"') },
  { name: 'CANCEL', data: bytes('"topic"'), body: bytes('06', '"CANCEL"', '"topic"') },
  { name: 'SUBSCRIBE', data: bytes(), body: bytes('09', '"SUBSCRIBE"') },
]

describe('a command', () => {
  for (const { name, data, body } of COMMANDS) {
    test(`${name} with ${data.length} bytes of data is ${hexOf(body)}, both ways`, () => {
      assert.equal(hexOf(encodeCommand(name, data)), hexOf(body))
      assert.deepEqual(decodeCommand(body), { name, data })
    })
  }

  const malformed = {
    'without a body': bytes(),
    'with an empty name': bytes('00'),
    'with an empty name and data': bytes('00', '"READY"'),
    'whose name is announced longer than its body': bytes('09', '"RE"'),
    'whose name is announced one byte longer than its body': bytes('03', '"RE"'),
    'that is only the announcement of a name': bytes('ff'),
  }
  for (const [what, body] of Object.entries(malformed)) {
    test(`${what} is malformed`, () => {
      const decoded = decodeCommand(body)
      assert.ok(decoded instanceof Violation)
      assert.equal(decoded.code, MALFORMED)
    })
  }
})

describe('PING', () => {
  const ttls = [
    { ttlMs: 0, wire: '0000', decodedMs: 0 },
    { ttlMs: 99, wire: '0000', decodedMs: 0 },
    { ttlMs: 100, wire: '0001', decodedMs: 100 },
    { ttlMs: 1_500, wire: '000f', decodedMs: 1_500 },
    { ttlMs: 1_599, wire: '000f', decodedMs: 1_500 },
    // 656 tenths, which as milliseconds would not fit 16 bits.
    { ttlMs: 65_600, wire: '0290', decodedMs: 65_600 },
    { ttlMs: 6_553_500, wire: 'ffff', decodedMs: 6_553_500 },
  ]
  for (const { ttlMs, wire, decodedMs } of ttls) {
    test(`carries a time to live of ${ttlMs} ms as ${wire} tenths of a second`, () => {
      const body = encodePing(ttlMs, bytes('"ctx!"'))
      assert.equal(hexOf(body), hexOf(bytes('04', '"PING"', wire, '"ctx!"')))
      assert.deepEqual(decodePing(body.subarray(5)), { ttlMs: decodedMs, context: bytes('"ctx!"') })
    })
  }

  test('carries at most 6,553,500 ms', () => assert.equal(TTL_LIMIT_MS, 6_553_500))

  for (const length of [0, 1, 15, 16, 17, 200]) {
    test(`with a context of ${length} bytes gives back ${Math.min(length, 16)} of them`, () => {
      const context = new Uint8Array(length).map((_, i) => i)
      const ping = decodePing(bytes('0001', hexOf(context)))
      assert.ok(!(ping instanceof Violation))
      assert.deepEqual(ping.context, context.subarray(0, PING_CONTEXT_LIMIT))
    })
  }

  for (const data of [bytes(), bytes('00')]) {
    test(`with ${data.length} bytes of data is malformed: the time to live takes 2`, () => {
      const ping = decodePing(data)
      assert.ok(ping instanceof Violation)
      assert.equal(ping.code, MALFORMED)
    })
  }
})

describe('ERROR', () => {
  const reasons = [
    { data: bytes('00'), reason: '' },
    { data: bytes('04', '"nope"'), reason: 'nope' },
    { data: bytes('04', '"nope and more"'), reason: 'nope' },
    // A reason is text of a stranger that ends in a log.
    { data: bytes('05', '1b', '"a"', '0a 7f ff'), reason: '?a???' },
    { data: bytes('ff', '61'.repeat(255)), reason: 'a'.repeat(255) },
  ]
  for (const { data, reason } of reasons) {
    test(`gives the reason ${JSON.stringify(reason.slice(0, 10))}`, () => assert.equal(decodeErrorReason(data), reason))
  }

  for (const data of [bytes(), bytes('01'), bytes('05', '"nope"'), bytes('ff')]) {
    test(`with the data ${hexOf(data) || '(none)'} is malformed`, () => {
      const reason = decodeErrorReason(data)
      assert.ok(reason instanceof Violation)
      assert.equal(reason.code, 'ERR_ZMTP_MALFORMED_COMMAND_ERROR')
    })
  }
})
