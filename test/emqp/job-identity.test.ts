import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { jobIdentity } from '@eventmq-ts/emqp'

function identity(body: string): string {
  const read = jobIdentity(new TextEncoder().encode(`["run", ${body}]`))
  assert.ok(read.ok, read.ok ? '' : read.error.message)
  return read.value
}

/** A call whose only interesting part is its arguments. */
function identityOfArguments(args: string): string {
  return identity(`{"path": "m", "callable": "f", "args": ${args}}`)
    .slice('{"args": '.length)
    .replace(/, "callable".*/, '')
}

describe('the identity of a job', () => {
  test('is what EventMQ 0.3 hashes: its SHA-1 is the key that a live scheduler kept the schedule under', () => {
    // The payloads and keys of the recorded exchanges scheduler-restart, scheduler-interval and scheduler-reschedule.
    const recorded = [
      ['[9, 9]', '27253e5921ff15fda95ec7727b218d3dafc523b4'],
      ['[1, 1]', '6e1f81206cb628f005f9d826fdcd128cb30b875c'],
      ['[5, 5]', '339758787a91bc9f5800418b62dae35c994c3782'],
      ['[6, 6]', '4615546f431c38125bcca6185bd63c57b019e823'],
    ]
    for (const [args, sha1] of recorded) {
      const text = identity(
        `{"callable": "add", "path": "my_jobs", "args": ${args}, "kwargs": {}, "class_args": [], "class_kwargs": {}}`,
      )
      assert.equal(createHash('sha1').update(text).digest('hex'), sha1)
    }
  })

  test('does not depend on the order of keys, on blanks, or on parts that are left out', () => {
    const whole = identity(
      '{"path":"m","callable":"f","args":[],"kwargs":{"b":1,"a":2},"class_args":[],"class_kwargs":{}}',
    )
    assert.equal(whole, identity('{ "kwargs": {"a": 2, "b": 1}, "callable": "f", "path": "m", "note": "ignored" }'))
    assert.equal(
      whole,
      '{"args": [], "callable": "f", "class_args": [], "class_kwargs": {}, "kwargs": {"a": 2, "b": 1}, "path": "m"}',
    )
  })

  // Each right side is what Python 3.11 prints for json.dumps(json.loads(left), sort_keys=True).
  const notation = [
    ['[1, 1.0, 1e2, 1E-7, -0, -0.0]', '[1, 1.0, 100.0, 1e-07, 0, -0.0]'],
    ['[12345678901234567890, 1e16, 123456789012345680.0]', '[12345678901234567890, 1e+16, 1.2345678901234568e+17]'],
    ['[1e999, -1e999]', '[Infinity, -Infinity]'],
    ['[true, false, null, "", [], {}]', '[true, false, null, "", [], {}]'],
    ['["\u00e9 \u2713", "a\\u0000\\/\\ud800", "\u007f"]', '["\\u00e9 \\u2713", "a\\u0000/\\ud800", "\\u007f"]'],
    ['[{"b": 1, "a": 2, "10": 3, "9": 4}]', '[{"10": 3, "9": 4, "a": 2, "b": 1}]'],
    ['[{"\ud83d\ude00": 1, "\uffff": 2}]', '[{"\\uffff": 2, "\\ud83d\\ude00": 1}]'],
    ['[{"a": 1, "a": 2, "__proto__": 3}]', '[{"__proto__": 3, "a": 2}]'],
  ] as const
  for (const [args, printed] of notation) {
    test(`prints ${JSON.stringify(args)} as Python does`, () => assert.equal(identityOfArguments(args), printed))
  }

  test('is refused where the payload is not a call', () => {
    const read = jobIdentity(new TextEncoder().encode('not json'))
    assert.ok(!read.ok)
    assert.equal(read.error.code, 'EMQP_JOB')
  })
})
