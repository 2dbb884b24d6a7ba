import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encode, messageId, parseJobResult } from '@eventmq-ts/emqp'
import { defineJob } from '@eventmq-ts/job'
import { InlineIsolate, Worker } from '@eventmq-ts/worker'
import { z } from 'zod'
import { ScriptedRouter } from '../device/scripted-router.ts'
import { hearWord, WorkerAtRouter } from './worker-at-router.ts'

/** Jobs that end when the test says so, in the order in which they began. */
function gatedJob(): { readonly job: unknown; readonly begun: () => Promise<PromiseWithResolvers<unknown>> } {
  const gates: PromiseWithResolvers<unknown>[] = []
  let tell: (() => void) | undefined
  const job = defineJob({ name: 'tests.gated' }, () => {
    const gate = Promise.withResolvers<unknown>()
    gates.push(gate)
    tell?.()
    return gate.promise
  })
  return {
    job,
    async begun() {
      if (gates.length === 0) {
        await new Promise<void>((resolve) => {
          tell = resolve
        })
      }
      const gate = gates.shift()
      if (gate === undefined) throw new Error('no job has begun')
      return gate
    },
  }
}

const gatedCall = { path: 'tests', callable: 'gated' }

describe('a worker', () => {
  test('informs of its queues and offers one READY a slot once it is acknowledged', async () => {
    await using router = disposable(await ScriptedRouter.bind())
    await using worker = new Worker({
      broker: router.address,
      jobs: [],
      concurrency: 3,
      queues: [
        { weight: 40, name: 'high' },
        { weight: 10, name: 'low' },
      ],
    })
    await worker.start()
    const { command } = await router.admit()
    assert.ok(command.type === 'INFORM')
    assert.equal(command.role, 'worker')
    assert.deepEqual(command.queues, [
      { weight: 40, name: 'high' },
      { weight: 10, name: 'low' },
    ])
    for (let i = 0; i < 3; i++) assert.equal((await hearWord(router)).command.type, 'READY')
    const stopping = worker.stop()
    // Not a fourth one: what follows is the farewell.
    assert.equal((await hearWord(router)).command.type, 'KBYE')
    await stopping
  })

  test('runs a job, sends its REPLY because it was asked for, and then READY', async () => {
    await using at = await WorkerAtRouter.start()
    assert.equal((await at.hear()).type, 'READY')
    await at.request('1', { callable: 'add', args: [2, 3] })
    assert.deepEqual(await at.result(), { request: '1', result: { kind: 'value', value: 5 } })
    assert.equal((await at.hear()).type, 'READY')
  })

  test('sends only READY where no REPLY was asked for, whatever comes of the job', async () => {
    await using at = await WorkerAtRouter.start()
    await at.hear()
    for (const callable of ['add', 'fail']) {
      await at.request('1', { callable }, {})
      assert.equal((await at.hear()).type, 'READY')
    }
  })

  const bytes = Uint8Array.of(0xff, 0xfe, 0x00, 0x80)
  const results: readonly (readonly [string, () => unknown, ReturnType<typeof parseJobResult>])[] = [
    ['nothing as true', () => undefined, { kind: 'value', value: true }],
    ['0 as itself', () => 0, { kind: 'value', value: 0 }],
    ['false as itself', () => false, { kind: 'value', value: false }],
    ['the empty string as itself', () => '', { kind: 'value', value: '' }],
    ['null as itself', () => null, { kind: 'value', value: null }],
    ['bytes as bytes', () => bytes, { kind: 'bytes', bytes: Buffer.from(bytes) }],
    ['odd characters as they are', () => 'a\u0000\u{1f469}\u200d\u{1f467}', { kind: 'value', value: 'a\u0000👩‍👧' }],
  ]
  for (const [what, handler, right] of results) {
    test(`replies with ${what}`, async () => {
      await using at = await WorkerAtRouter.start({}, [defineJob({ name: 'tests.give' }, handler)])
      await at.hear()
      await at.request('1', { path: 'tests', callable: 'give' })
      assert.deepEqual((await at.result()).result, right)
    })
  }

  const cycle: unknown[] = []
  cycle.push(cycle)
  const failures: readonly (readonly [string, () => unknown, RegExp, string | undefined])[] = [
    ['a bigint', () => 1n, /result cannot be sent.*BigInt/i, 'WORKER_RESULT'],
    ['a cycle', () => cycle, /result cannot be sent/, 'WORKER_RESULT'],
    ['a function', () => () => 1, /result cannot be sent/, 'WORKER_RESULT'],
    ['a Map, which JSON would empty', () => new Map([[1, 2]]), /type Map/, 'WORKER_RESULT'],
    [
      'an ArrayBuffer, which JSON would empty too',
      () => new ArrayBuffer(8),
      /type ArrayBuffer.*Uint8Array/,
      'WORKER_RESULT',
    ],
    [
      'an error with a code',
      () => {
        throw Object.assign(new RangeError('too far'), { code: 'E_FAR' })
      },
      /^too far$/,
      'E_FAR',
    ],
    [
      'text that was thrown',
      () => {
        throw 'only text'
      },
      /^only text$/,
      undefined,
    ],
    [
      'something that throws when it is looked at',
      () => {
        throw Object.create(null, { toString: { value: () => assert.fail('looked at') } })
      },
      /cannot be printed/,
      undefined,
    ],
  ]
  for (const [what, handler, message, code] of failures) {
    test(`reports ${what} as a failure and serves on`, async () => {
      await using at = await WorkerAtRouter.start({}, [defineJob({ name: 'tests.give' }, handler)])
      await at.hear()
      await at.request('1', { path: 'tests', callable: 'give' }, { replyRequested: true, attempt: 3 })
      const { result } = await at.result()
      assert.ok(result.kind === 'error')
      assert.match(result.error.message, message)
      assert.equal(result.error.code, code)
      assert.equal(result.error.attempts, 3)
      assert.equal((await at.hear()).type, 'READY')
      assert.equal(at.log.at('warn').length, 1)
    })
  }

  test('checks the input once more and tells which part of it is wrong', async () => {
    const job = defineJob({ name: 'tests.strict', input: z.object({ count: z.int() }) }, ({ count }) => count)
    await using at = await WorkerAtRouter.start({}, [job])
    await at.hear()
    await at.request('1', { path: 'tests', callable: 'strict', args: [{ count: 'many' }] })
    const { result } = await at.result()
    assert.ok(result.kind === 'error')
    assert.equal(result.error.code, 'JOB_INPUT')
    assert.match(result.error.message, /count/)
  })

  test('answers for a job whose result throws when it is looked at, and serves on', async () => {
    const job = defineJob({ name: 'tests.trap' }, () => {
      const refuse = () => {
        throw new Error('not to be looked at')
      }
      return new Proxy({}, { getPrototypeOf: refuse })
    })
    await using at = await WorkerAtRouter.start({}, [job])
    await at.hear()
    await at.request('7', { path: 'tests', callable: 'trap' })
    const { result } = await at.result()
    assert.ok(result.kind === 'error')
    assert.equal(result.error.code, 'WORKER_RESULT')
    assert.equal((await at.hear()).type, 'READY')
  })

  test('that a job floods with progress still sends its REPLY and its READY', async () => {
    const job = defineJob({ name: 'tests.flood' }, (_input, { progress }) => {
      for (let i = 0; i < 15_000; i++) progress(i)
      return 'done'
    })
    await using at = await WorkerAtRouter.start({}, [job])
    await at.hear()
    await at.request('7', { path: 'tests', callable: 'flood' }, { replyRequested: true, progress: true })
    let heard = await at.hear()
    while (heard.type === 'PROGRESS') heard = await at.hear()
    assert.ok(heard.type === 'REPLY' && heard.kind === 'result')
    assert.deepEqual(parseJobResult(heard.payload), { kind: 'value', value: 'done' })
    assert.equal((await at.hear()).type, 'READY')
    assert.equal(at.log.at('error').length, 0)
    assert.equal(at.log.at('warn').length, 1)
  })

  test('gives a job its context, and passes its progress on to a client that asked for it', async () => {
    const job = defineJob({ name: 'tests.context' }, (_input, { id, attempt, headers, progress }) => {
      progress({ half: true })
      return { id, attempt, traced: headers.traceparent !== undefined }
    })
    await using at = await WorkerAtRouter.start({}, [job])
    await at.hear()
    await at.request('7', { path: 'tests', callable: 'context' }, { replyRequested: true, progress: true, attempt: 2 })
    const progress = await at.hear()
    assert.ok(progress.type === 'PROGRESS')
    assert.equal(progress.request, '7')
    assert.deepEqual(parseJobResult(progress.payload), { kind: 'value', value: { half: true } })
    assert.deepEqual((await at.result()).result, { kind: 'value', value: { id: '7', attempt: 2, traced: false } })
    await at.hear()
    await at.request('8', { path: 'tests', callable: 'context' })
    assert.equal((await at.result()).request, '8')
  })

  test('ends a job at its timeout with code timeout, and the slot comes back', async () => {
    let reason: unknown
    const job = defineJob({ name: 'tests.slow' }, (_input, { signal }) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason
          reject(signal.reason)
        })
      })
    })
    // A second of the header is a millisecond of this test.
    const isolate = new InlineIsolate({
      setDeadline: (delayMs, callback) => {
        const timer = setTimeout(callback, delayMs / 1000)
        return () => clearTimeout(timer)
      },
    })
    await using at = await WorkerAtRouter.start({ isolate }, [job])
    await at.hear()
    await at.request('1', { path: 'tests', callable: 'slow' }, { replyRequested: true, timeoutSeconds: 2 })
    const { result } = await at.result()
    assert.ok(result.kind === 'error')
    assert.equal(result.error.code, 'timeout')
    assert.match(result.error.message, /did not end within 2 s/)
    assert.ok(reason instanceof DOMException && reason.name === 'TimeoutError')
    assert.equal((await at.hear()).type, 'READY')
  })

  test('runs as many jobs at once as it has slots, and gives back what it did not offer a slot for', async () => {
    const { job, begun } = gatedJob()
    await using at = await WorkerAtRouter.start({ concurrency: 2 }, [job])
    await at.hear()
    await at.hear()
    for (const id of ['1', '2', '3']) await at.request(id, gatedCall)
    const released = await at.result()
    assert.equal(released.request, '3')
    assert.ok(released.result.kind === 'error')
    assert.equal(released.result.error.code, 'released')
    const first = await begun()
    const second = await begun()
    assert.equal(at.worker.running, 2)
    second.resolve('second')
    assert.deepEqual(await at.result(), { request: '2', result: { kind: 'value', value: 'second' } })
    first.resolve('first')
    assert.equal((await at.hear()).type, 'READY')
    assert.deepEqual(await at.result(), { request: '1', result: { kind: 'value', value: 'first' } })
  })

  test('says KBYE first when it stops, then finishes what runs, and offers no slot', async () => {
    const { job, begun } = gatedJob()
    await using at = await WorkerAtRouter.start({}, [job])
    await at.hear()
    await at.request('1', gatedCall)
    const gate = await begun()
    const stopping = at.worker.stop()
    assert.equal((await at.hear()).type, 'KBYE')
    await at.request('late', gatedCall)
    const late = await at.result()
    assert.equal(late.request, 'late')
    assert.ok(late.result.kind === 'error' && late.result.error.code === 'released')
    gate.resolve('finished')
    assert.deepEqual(await at.result(), { request: '1', result: { kind: 'value', value: 'finished' } })
    await stopping
    assert.equal(at.worker.running, 0)
  })

  test('gives back what has not finished within its grace period', async () => {
    const { job, begun } = gatedJob()
    await using at = await WorkerAtRouter.start({ killGraceMs: 1 }, [job])
    await at.hear()
    await at.request('1', gatedCall, { guarantee: true })
    await begun()
    const stopping = at.worker.stop()
    assert.equal((await at.hear()).type, 'KBYE')
    const { request, result } = await at.result()
    assert.equal(request, '1')
    assert.ok(result.kind === 'error')
    assert.equal(result.error.code, 'released')
    await stopping
  })

  test('stops in good order when the broker says DISCONNECT', async () => {
    await using at = await WorkerAtRouter.start()
    await at.hear()
    await at.router.say(at.peer, { type: 'DISCONNECT', id: at.router.newId() })
    assert.equal((await at.hear()).type, 'KBYE')
    await at.worker.closed
  })

  test('stops also where its isolate does not close, and says so', async () => {
    const isolate = new InlineIsolate()
    isolate.close = () => Promise.reject(new Error('a thread hangs'))
    await using at = await WorkerAtRouter.start({ isolate })
    await at.router.say(at.peer, { type: 'DISCONNECT', id: at.router.newId() })
    await at.worker.closed
    assert.match(String(at.log.at('error')[0]?.fields['err']), /a thread hangs/)
  })

  test('keeps a job running over a lost connection, answers it afterwards, and offers only the free slots', async () => {
    const { job, begun } = gatedJob()
    await using at = await WorkerAtRouter.start({ concurrency: 2 }, [job])
    await at.hear()
    await at.hear()
    await at.request('1', gatedCall)
    const gate = await begun()
    const { address } = at.router
    at.router.close()
    await using again = disposable(await ScriptedRouter.bind(address))
    const { from } = await again.admit()
    assert.equal(from, at.peer)
    assert.equal((await hearWord(again)).command.type, 'READY')
    gate.resolve('kept')
    // Had both slots been offered, a second READY would come before the REPLY.
    const next = await hearWord(again)
    assert.ok(next.command.type === 'REPLY' && next.command.kind === 'result')
    assert.equal(next.command.request, '1')
    assert.equal((await hearWord(again)).command.type, 'READY')
  })

  test('says once what it was sent that is not for a worker', async () => {
    await using at = await WorkerAtRouter.start()
    await at.hear()
    await at.router.sayFrames(at.peer, encode({ type: 'READY', id: messageId('odd') }))
    await at.request('1', { callable: 'add', args: [1] })
    await at.result()
    assert.deepEqual(
      at.log.at('warn').map(({ message }) => message),
      ['READY is not for a worker; ignored'],
    )
  })

  test('refuses options that are out of range and names them', () => {
    const options = { broker: 'tcp://127.0.0.1:1', jobs: [] }
    assert.throws(() => new Worker({ ...options, concurrency: 0 }), { code: 'WORKER_OPTION', message: /concurrency/ })
    assert.throws(() => new Worker({ ...options, queues: [{ weight: 1, name: '' }] }), { code: 'WORKER_OPTION' })
  })

  test('cannot be started after it was stopped', async () => {
    const worker = new Worker({ broker: 'tcp://127.0.0.1:1', jobs: [] })
    await worker.stop()
    await assert.rejects(worker.start(), { code: 'WORKER_STATE' })
  })
})

function disposable(router: ScriptedRouter): ScriptedRouter & AsyncDisposable {
  return Object.assign(router, { [Symbol.asyncDispose]: async () => router.close() })
}
