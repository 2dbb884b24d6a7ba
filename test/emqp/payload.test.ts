// What stands in payloads: a job's call, a job's result, an administrator's view.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  EmqpError,
  type JobCall,
  type JobResult,
  parseJobCall,
  parseJobResult,
  parseShowSchedulers,
  parseShowWorkers,
  parseStatus,
  printAdministrationReply,
  printJobCall,
  printJobResult,
} from '@eventmq-ts/emqp'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (payload: Uint8Array): string => new TextDecoder().decode(payload)
const notUtf8 = Uint8Array.of(0xff, 0xfe, 0x00, 0x80)

const add: JobCall = { path: 'my_jobs', callable: 'add', args: [2, 3], kwargs: {}, classArgs: [], classKwargs: {} }

test("a call is printed with EventMQ's keys, in EventMQ's order", () => {
  assert.equal(
    text(printJobCall(add)),
    '["run",{"callable":"add","path":"my_jobs","args":[2,3],"kwargs":{},"class_args":[],"class_kwargs":{}}]',
  )
})

test('a call of a class comes back as it went', () => {
  const greet: JobCall = {
    path: 'my_jobs:Greeter',
    callable: 'greet',
    args: ['é中', null, true, 1.5, { x: [2] }],
    kwargs: { k: null },
    classArgs: ['Ada'],
    classKwargs: { punctuation: '?' },
  }
  assert.deepEqual(parseJobCall(printJobCall(greet)), { ok: true, value: greet })
})

test('absent arguments are empty, keys of another version are passed over', () => {
  const call = parseJobCall(bytes('["run", {"path": "m", "callable": "f", "later": 1}]'))
  assert.deepEqual(call, {
    ok: true,
    value: { path: 'm', callable: 'f', args: [], kwargs: {}, classArgs: [], classKwargs: {} },
  })
})

test('text with U+0000, a lone surrogate and a joined emoji comes through a call unharmed', () => {
  const args = ['\u0000', '\ud83d', '👩‍👩‍👧']
  const call = parseJobCall(printJobCall({ ...add, args }))
  assert.ok(call.ok)
  assert.deepEqual(call.value.args, args)
})

describe('what is no call says what is wrong with it', () => {
  for (const [payload, says] of [
    [notUtf8, 'not UTF-8'],
    [bytes(''), 'expected JSON'],
    [bytes('not json'), 'expected JSON'],
    [bytes('{"a": 1}'), '["run", {"path", "callable", ...}]'],
    [bytes('["walk", {"path": "m", "callable": "f"}]'), 'at 0'],
    [bytes('["run"]'), '["run"'],
    [bytes('["run", {}]'), 'at 1.path'],
    [bytes('["run", {"path": "m", "callable": 5}]'), 'at 1.callable'],
    [bytes('["run", {"path": "m", "callable": "f", "args": {}}]'), 'at 1.args'],
    [bytes('["run", {"path": "m", "callable": "f", "kwargs": []}]'), 'at 1.kwargs'],
    [bytes('['.repeat(1_000_000)), 'expected JSON'],
    [bytes(`${'['.repeat(200_000)}${']'.repeat(200_000)}`), '["run"'],
  ] as const) {
    test(JSON.stringify(text(payload).slice(0, 50)), () => {
      const call = parseJobCall(payload)
      assert.ok(!call.ok)
      assert.equal(call.error.code, 'EMQP_JOB')
      assert.ok(call.error.message.includes(says), call.error.message)
    })
  }
})

test('an argument that is no JSON is thrown back', () => {
  const cycle: unknown[] = []
  cycle.push(cycle)
  for (const args of [[1n], cycle]) {
    assert.throws(() => printJobCall({ ...add, args }), { name: 'EmqpError', code: 'EMQP_NOT_EXPRESSIBLE' })
  }
})

describe('a result', () => {
  const results: readonly (readonly [string, JobResult])[] = [
    ['{"value": 5}', { kind: 'value', value: 5 }],
    ['{"value": 0}', { kind: 'value', value: 0 }],
    ['{"value": false}', { kind: 'value', value: false }],
    ['{"value": ""}', { kind: 'value', value: '' }],
    ['{"value": null}', { kind: 'value', value: null }],
    ['{"value": {"a":[1]}}', { kind: 'value', value: { a: [1] } }],
    [
      '{"error":{"name":"TypeError","message":"no","code":"X","stack":"at f","attempts":3}}',
      { kind: 'error', error: { name: 'TypeError', message: 'no', code: 'X', stack: 'at f', attempts: 3 } },
    ],
    ['{"error":{"name":"Full","message":"no"}}', { kind: 'error', error: { name: 'Full', message: 'no' } }],
  ]
  for (const [json, result] of results) {
    test(`${json} is read and printed`, () => {
      assert.deepEqual(parseJobResult(bytes(json)), result)
      assert.equal(text(printJobResult(result)), json)
    })
  }

  test('of a job that returns nothing is true', () => {
    assert.equal(text(printJobResult({ kind: 'value', value: undefined })), '{"value": true}')
  })

  for (const payload of [
    '',
    'x',
    '5',
    '[1]',
    '{}',
    '{"value": 1, "more": 2}',
    '{"error": "text"}',
    '{"value": 1',
    '{',
  ]) {
    test(`that is "${payload}" is the job's own bytes`, () => {
      const own = bytes(payload)
      const result = parseJobResult(own)
      assert.deepEqual(result, { kind: 'bytes', bytes: own })
      assert.equal(printJobResult(result), own)
    })
  }

  test("that is not UTF-8 is the job's own bytes", () => {
    assert.deepEqual(parseJobResult(notUtf8), { kind: 'bytes', bytes: notUtf8 })
    const brace = Uint8Array.of(0x7b, 0xff)
    assert.deepEqual(parseJobResult(brace), { kind: 'bytes', bytes: brace })
  })

  test('that JSON cannot hold is thrown back', () => {
    for (const value of [1n, () => 1, Symbol('x')]) {
      assert.throws(() => printJobResult({ kind: 'value', value }), { code: 'EMQP_NOT_EXPRESSIBLE' })
    }
  })
})

test("an administrator's views come back as they went, with keys of a later version", () => {
  const status = {
    inflight_messages_by_queue: { default: 1 },
    latency_messages_by_queue: {},
    max_latency_messages_by_queue: {},
    waiting_messages_by_queue: { default: 2 },
    processed_messages_by_queue: {},
    processed_messages_by_worker: {},
    dead_messages_by_queue: { default: 3 },
  }
  const workers = {
    connected_workers: {
      w1: { queues: [[10, 'default'] as [number, string]], hb: 848.26, available_slots: 2, pid: 7 },
    },
    connected_queues: { default: [[10, 'w1'] as [number, string]] },
  }
  const schedulers = { connected_schedulers: { s1: { hb: 1.5 } } }
  assert.deepEqual(parseStatus(printAdministrationReply(status)), { ok: true, value: status })
  assert.deepEqual(parseShowWorkers(printAdministrationReply(workers)), { ok: true, value: workers })
  assert.deepEqual(parseShowSchedulers(printAdministrationReply(schedulers)), { ok: true, value: schedulers })
})

test('a view without its keys says which is missing', () => {
  for (const payload of [bytes('{}'), bytes('nonsense'), bytes('null'), notUtf8]) {
    for (const parse of [parseStatus, parseShowWorkers, parseShowSchedulers]) {
      const view = parse(payload)
      assert.ok(!view.ok && view.error instanceof EmqpError)
      assert.equal(view.error.code, 'EMQP_ADMINISTRATION')
    }
  }
  const view = parseShowSchedulers(bytes('{}'))
  assert.ok(!view.ok && view.error.message.includes('connected_schedulers'))
})
