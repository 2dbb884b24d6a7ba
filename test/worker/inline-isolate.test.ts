import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { messageId, NO_HEADERS, silentLog } from '@eventmq-ts/emqp'
import type { JobContext } from '@eventmq-ts/job'
import { InlineIsolate, type Performed, type Task } from '@eventmq-ts/worker'

/** A timer that the test turns. */
class TurnedDeadlines {
  #now = 0
  #pending: { readonly at: number; readonly callback: () => void }[] = []

  get pending(): number {
    return this.#pending.length
  }

  readonly set = (delayMs: number, callback: () => void): (() => void) => {
    const entry = { at: this.#now + delayMs, callback }
    this.#pending.push(entry)
    return () => {
      this.#pending = this.#pending.filter((other) => other !== entry)
    }
  }

  turn(ms: number): void {
    this.#now += ms
    const due = this.#pending.filter(({ at }) => at <= this.#now)
    this.#pending = this.#pending.filter(({ at }) => at > this.#now)
    for (const { callback } of due) callback()
  }
}

function task(perform: (signal: AbortSignal) => unknown, timeoutMs?: number, cancelled?: AbortSignal): Task {
  return {
    job: {
      path: 'm',
      callable: 'f',
      source: 'test',
      perform: async (_call, context: JobContext) => perform(context.signal),
    },
    call: { path: 'm', callable: 'f', args: [], kwargs: {}, classArgs: [], classKwargs: {} },
    limits: { timeoutMs },
    surroundings: { id: messageId('1'), attempt: 1, headers: NO_HEADERS, log: silentLog, progress: () => undefined },
    cancelled: cancelled ?? new AbortController().signal,
  }
}

/** A job that ends when its signal aborts, with the reason as its error. */
function minding(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

/** Whether a promise is settled by the time that everything that is ready to run has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  await new Promise((resolve) => setImmediate(resolve))
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending
}

describe('the inline isolate', () => {
  test('gives what a job returns and what it throws as values', async () => {
    const isolate = new InlineIsolate()
    assert.deepEqual(await isolate.run(task(() => 0)), { kind: 'returned', value: 0 })
    const error = new Error('deliberate')
    const run = isolate.run(
      task(() => {
        throw error
      }),
    )
    assert.deepEqual(await run, { kind: 'threw', error })
  })

  test('a job that minds its signal ends at its timeout', async () => {
    const deadlines = new TurnedDeadlines()
    const isolate = new InlineIsolate({ setDeadline: deadlines.set })
    const run = isolate.run(task(minding, 1000))
    deadlines.turn(999)
    assert.equal(await isSettled(run), false)
    deadlines.turn(1)
    const right: Performed = { kind: 'timed-out', timeoutMs: 1000, abandoned: false }
    assert.deepEqual(await run, right)
    assert.equal(deadlines.pending, 0)
  })

  test('a job that returns after its time is timed out all the same', async () => {
    const deadlines = new TurnedDeadlines()
    const finish = Promise.withResolvers<string>()
    const run = new InlineIsolate({ setDeadline: deadlines.set }).run(task(() => finish.promise, 1000))
    deadlines.turn(1000)
    finish.resolve('too late')
    assert.deepEqual(await run, { kind: 'timed-out', timeoutMs: 1000, abandoned: false })
  })

  test('a job that does not end holds its slot until it is abandoned', async () => {
    const deadlines = new TurnedDeadlines()
    const isolate = new InlineIsolate({ setDeadline: deadlines.set, abandonAfterMs: 500 })
    const run = isolate.run(task(() => new Promise(() => undefined), 1000))
    deadlines.turn(1000)
    deadlines.turn(499)
    assert.equal(await isSettled(run), false)
    deadlines.turn(1)
    assert.deepEqual(await run, { kind: 'timed-out', timeoutMs: 1000, abandoned: true })
  })

  test('a job that ends in time leaves no timer behind', async () => {
    const deadlines = new TurnedDeadlines()
    const isolate = new InlineIsolate({ setDeadline: deadlines.set })
    assert.deepEqual(await isolate.run(task(() => 'done', 1000)), { kind: 'returned', value: 'done' })
    assert.equal(deadlines.pending, 0)
  })

  test('the signal also aborts when the worker has to leave', async () => {
    for (const timeoutMs of [undefined, 1000]) {
      const leave = new AbortController()
      const deadlines = new TurnedDeadlines()
      const isolate = new InlineIsolate({ setDeadline: deadlines.set })
      const run = isolate.run(task(minding, timeoutMs, leave.signal))
      leave.abort(new Error('leaving'))
      const performed = await run
      assert.ok(performed.kind === 'threw')
      assert.equal(deadlines.pending, 0)
    }
  })
})
