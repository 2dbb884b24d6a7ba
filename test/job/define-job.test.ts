import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MessageId, makeHeaders, silentLog } from '@eventmq-ts/emqp'
import { defineJob, isJob, type JobContext, JobError, type WireValue } from '@eventmq-ts/job'
import { z } from 'zod'

const context: JobContext = {
  id: 'job-1' as MessageId,
  attempt: 1,
  headers: makeHeaders({}),
  signal: new AbortController().signal,
  log: silentLog,
  progress: () => undefined,
}

const add = defineJob(
  { name: 'sums.more.add', queue: 'sums', input: z.object({ a: z.number(), b: z.number().default(1) }), retryCount: 2 },
  ({ a, b }) => a + b,
)

function call(args: unknown[], kwargs: Record<string, unknown> = {}) {
  return { path: 'sums.more', callable: 'add', args, kwargs, classArgs: [], classKwargs: {} }
}

test('a name is split at its last dot into the path and the callable that a Python peer knows', () => {
  assert.equal(add.path, 'sums.more')
  assert.equal(add.callable, 'add')
  assert.equal(add.queue, 'sums')
  assert.deepEqual(add.defaults, { retryCount: 2 })
})

test('a call carries the input as its one positional argument, as the caller gave it', async () => {
  assert.deepEqual(await add.prepareCall({ a: 2 }), call([{ a: 2 }]))
})

test('a run checks the input, fills its defaults and hands it to the handler', async () => {
  assert.equal(await add.perform(call([{ a: 2 }]), context), 3)
})

test('keyword arguments alone are the properties of the input', async () => {
  assert.equal(await add.perform(call([], { a: 2, b: 5 }), context), 7)
})

test('input that the schema refuses is refused on both sides, with the place and the reason', async () => {
  const refused = (error: unknown) => {
    assert.ok(error instanceof JobError)
    assert.equal(error.code, 'JOB_INPUT')
    assert.equal(error.job, 'sums.more.add')
    assert.deepEqual(
      error.issues.map((issue) => issue.at),
      ['a'],
    )
    assert.match(error.message, /job sums\.more\.add: .*a: /)
    return true
  }
  await assert.rejects(add.prepareCall({ a: 'two' as unknown as number }), refused)
  await assert.rejects(add.perform(call([{ a: 'two' }]), context), refused)
})

test('what is checked before sending is what JSON makes of the input, since that is what the worker gets', async () => {
  const remind = defineJob({ name: 'mail.remind', input: z.object({ at: z.date() }) }, () => undefined)
  await assert.rejects(remind.prepareCall({ at: new Date(0) }), { code: 'JOB_INPUT' })
  const remindText = defineJob({ name: 'mail.remind', input: z.object({ at: z.coerce.date() }) }, ({ at }) =>
    at.getTime(),
  )
  const prepared = await remindText.prepareCall({ at: new Date(5) })
  assert.deepEqual(prepared.args, [{ at: '1970-01-01T00:00:00.005Z' }])
  assert.equal(await remindText.perform(prepared, context), 5)
})

test('input that JSON cannot hold is refused before it is sent', async () => {
  const any = defineJob({ name: 'a.b', input: z.unknown() }, () => undefined)
  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  for (const input of [cycle, 1n, () => 1, Symbol('s')]) {
    await assert.rejects(any.prepareCall(input), { code: 'JOB_INPUT' }, String(input))
  }
})

test('a job without an input schema takes none', async () => {
  const tick = defineJob({ name: 'clock.tick' }, () => 'tick')
  assert.deepEqual((await tick.prepareCall(undefined)).args, [])
  assert.equal(tick.queue, 'default')
  assert.equal(await tick.perform(call([]), context), 'tick')
  await assert.rejects(tick.perform(call([1]), context), { code: 'JOB_INPUT' })
})

test('calls in a form that one input cannot take say which form can', async () => {
  const odd = [
    call([1, 2]),
    call([{ a: 1 }], { b: 2 }),
    { ...call([{ a: 1 }]), classArgs: ['Ada'] },
    { ...call([{ a: 1 }]), classKwargs: { x: 1 } },
  ]
  for (const each of odd) await assert.rejects(add.perform(each, context), { code: 'JOB_CALL', message: /send/ })
})

test('definitions that cannot work are refused when they are made', () => {
  const bad = [
    { name: 'noDots' },
    { name: '' },
    { name: 'a.' },
    { name: 'my_jobs:Greeter.greet' },
    { name: 'a.b c' },
    { name: 'a.b', queue: '' },
    { name: 'a.b', queue: 7 },
    { name: 'a.b', input: { parse: () => 1 } },
    { name: 'a.b', retryCount: -1 },
    { name: 'a.b', timeoutSeconds: 0.5 },
    { name: 'a.b', priority: 10 },
    { name: 'a.b', retries: 3 },
    {},
  ]
  for (const options of bad) {
    assert.throws(
      () => defineJob(options as { name: string }, () => 1),
      { code: 'JOB_OPTIONS' },
      JSON.stringify(options),
    )
  }
})

test('jobs are told from other exports of a module, also across copies of the package', () => {
  assert.equal(isJob(add), true)
  for (const other of [undefined, null, 'a.b', { name: 'a.b' }, () => 1]) assert.equal(isJob(other), false)
})

test('the type of a result is that of its JSON', () => {
  type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
  const checks: [
    Equal<WireValue<{ at: Date; n: number; f: () => void }>, { at: string; n: number }>,
    Equal<WireValue<undefined>, true>,
    Equal<WireValue<string | undefined>, string | true>,
    Equal<WireValue<Uint8Array>, Uint8Array>,
    Equal<WireValue<(Date | null)[]>, (string | null)[]>,
    Equal<WireValue<unknown>, unknown>,
  ] = [true, true, true, true, true, true]
  assert.equal(checks.length, 6)
})
