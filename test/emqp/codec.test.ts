// decode and encode, driven by the golden table; and what encode throws back at its caller.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Command,
  decode,
  type EmqpErrorCode,
  encode,
  LIMITS,
  makeHeaders,
  messageId,
  NO_HEADERS,
  parseHeaders,
  queueName,
} from '@eventmq-ts/emqp'
import { goldenMessages } from './golden-messages.ts'

const utf8 = new TextEncoder()
const broker = { receiver: 'broker' } as const

function frame(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? utf8.encode(content) : content
}

function message(...frames: readonly (string | Uint8Array)[]): Uint8Array[] {
  return ['', 'eMQP/1.0', ...frames].map(frame)
}

/** Commands with more than one layout, and the numbers of frames that they may have. */
const commandsWithLayouts: ReadonlyMap<string, readonly number[]> = new Map([
  ['REPLY', [6, 5]],
  ['SCHEDULE', [9, 8, 7]],
  ['UNSCHEDULE', [9, 8, 7]],
  ['PUBLISH', [6, 7]],
])

describe('every golden message', () => {
  for (const { name, dialect, context, command, frames } of goldenMessages) {
    test(`${name} (${dialect}) is read`, () => {
      assert.deepEqual(decode(message(...frames), context), { ok: true, command, dialect })
    })
  }
  for (const { name, dialect, command, frames, canonical } of goldenMessages) {
    test(`${name} (${dialect}) is ${canonical === undefined ? '' : 'normalised and '}printed`, () => {
      assert.deepEqual(encode(command, dialect), message(...(canonical ?? frames)))
    })
  }
  for (const { name, dialect, context, frames } of goldenMessages) {
    test(`${name} (${dialect}) is refused where it is cut off or goes on`, () => {
      const whole = message(...frames)
      const [, , command] = whole
      const counts = commandsWithLayouts.get(new TextDecoder().decode(command)) ?? [whole.length]
      for (let count = 0; count <= whole.length + 4; count++) {
        if (counts.includes(count)) continue
        const odd = Array.from({ length: count }, (_, i) => whole[i] ?? utf8.encode('extra'))
        const decoded = decode(odd, context)
        assert.ok(!decoded.ok, `${count} frames were taken`)
        assert.equal(decoded.error.code, 'EMQP_FRAME_COUNT')
      }
    })
  }
})

test('a payload is handed on as the frame that came, not as a copy', () => {
  const payload = utf8.encode('x')
  const decoded = decode(message('REQUEST', 'm1', 'default', '', payload), broker)
  assert.ok(decoded.ok && decoded.command.type === 'REQUEST')
  assert.equal(decoded.command.payload, payload)
  assert.equal(encode(decoded.command)[6], payload)
})

test('a REQUEST with headers from EventMQ is printed in the order of its client', () => {
  const headers = makeHeaders({ timeoutSeconds: 5, retryCount: 2, guarantee: true, replyRequested: true })
  assert.equal(headers.text, 'reply-requested,guarantee,retry-count:2,timeout:5')
})

describe('a command that the layout cannot carry is thrown back at its author', () => {
  const id = messageId('m1')
  const queue = queueName('default')
  const payload = new Uint8Array(0)
  const withHeader = (text: string) => {
    const read = parseHeaders(text)
    assert.ok(read.ok)
    return read.value
  }
  const cases: readonly (readonly [string, Command, '0.3' | '2016', EmqpErrorCode])[] = [
    [
      'weights in 2016',
      { type: 'INFORM', id, role: 'worker', queues: [{ weight: 40, name: queue }] },
      '2016',
      'EMQP_NOT_EXPRESSIBLE',
    ],
    [
      'a queue name with a comma in 2016',
      { type: 'INFORM', id, role: 'worker', queues: [{ weight: 10, name: queueName('a,b') }] },
      '2016',
      'EMQP_NOT_EXPRESSIBLE',
    ],
    [
      'a queue name that looks like JSON in 2016',
      { type: 'INFORM', id, role: 'worker', queues: [{ weight: 10, name: queueName('5') }] },
      '2016',
      'EMQP_NOT_EXPRESSIBLE',
    ],
    [
      'a weight with a fraction',
      { type: 'INFORM', id, role: 'worker', queues: [{ weight: 1.5, name: queue }] },
      '0.3',
      'EMQP_NOT_EXPRESSIBLE',
    ],
    ['"dispatched" in 2016', { type: 'REPLY', kind: 'dispatched', id, request: id }, '2016', 'EMQP_NOT_EXPRESSIBLE'],
    ['a reply to nothing in 0.3', { type: 'REPLY', kind: 'payload', id, payload }, '0.3', 'EMQP_NOT_EXPRESSIBLE'],
    ['no time', { type: 'HEARTBEAT', id, sentAtSeconds: Number.NaN }, '0.3', 'EMQP_NOT_EXPRESSIBLE'],
    [
      'an interval with a fraction',
      { type: 'SCHEDULE', id, queue, headers: NO_HEADERS, timing: { kind: 'interval', seconds: 0.5 }, payload },
      '0.3',
      'EMQP_NOT_EXPRESSIBLE',
    ],
    [
      'an empty cron expression',
      { type: 'SCHEDULE', id, queue, headers: NO_HEADERS, timing: { kind: 'cron', expression: '' }, payload },
      '0.3',
      'EMQP_NOT_EXPRESSIBLE',
    ],
    [
      'a header that 2016 reads as timing',
      { type: 'SCHEDULE', id, queue, headers: withHeader('cron:x'), timing: { kind: 'interval', seconds: 1 }, payload },
      '2016',
      'EMQP_NOT_EXPRESSIBLE',
    ],
    [
      'a topic with a lone surrogate',
      { type: 'PUBLISH', id, topic: '\ud800', headers: NO_HEADERS, payload },
      '0.3',
      'EMQP_NOT_EXPRESSIBLE',
    ],
    [
      'a topic beyond its limit',
      { type: 'PUBLISH', id, topic: 'x'.repeat(LIMITS.topicBytes + 1), headers: NO_HEADERS, payload },
      '0.3',
      'EMQP_LIMIT',
    ],
  ]
  for (const [what, command, dialect, code] of cases) {
    test(what, () => {
      assert.throws(() => encode(command, dialect), { name: 'EmqpError', code })
    })
  }
})

test('a 2016 REPLY of a result carries the id of its REQUEST, the one place where its broker can see it', () => {
  const reply = { type: 'REPLY', kind: 'result', id: messageId('m1'), request: messageId('job-7') } as const
  const frames = encode({ ...reply, payload: utf8.encode('x') }, '2016')
  assert.deepEqual(frames, message('REPLY', 'job-7', 'x'))
})

test('PUBLISH leaves headers out of the 0.3 layout, which has no place for them', () => {
  const publish = { type: 'PUBLISH', id: messageId('m1'), topic: 't', payload: utf8.encode('x') } as const
  assert.deepEqual(
    encode({ ...publish, headers: makeHeaders({ guarantee: true }) }),
    message('PUBLISH', 'm1', 't', 'x'),
  )
})

test('ids and queue names are checked where a program makes them', () => {
  assert.equal(messageId('m1'), 'm1')
  assert.equal(queueName('ü'.repeat(127)).length, 127)
  assert.throws(() => messageId(''), { code: 'EMQP_MESSAGE_ID' })
  assert.throws(() => messageId('\udc00'), { code: 'EMQP_MESSAGE_ID' })
  assert.throws(() => messageId('x'.repeat(256)), { code: 'EMQP_LIMIT' })
  assert.throws(() => queueName(''), { code: 'EMQP_QUEUE_NAME' })
  assert.throws(() => queueName('ü'.repeat(128)), { code: 'EMQP_LIMIT' })
})
