import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, type ClientOptions, DeferManyError, JobFailedError, RefusedError } from '@eventmq-ts/client'
import { type Command, type JobResult, type MessageId, parseJobCall, printJobResult } from '@eventmq-ts/emqp'
import { defineJob, jobAt } from '@eventmq-ts/job'
import { z } from 'zod'
import { RecordedLog } from '../device/recorded-log.ts'
import { type Heard, ScriptedRouter } from '../device/scripted-router.ts'

const add = defineJob(
  { name: 'sums.add', queue: 'sums', input: z.object({ a: z.number(), b: z.number() }) },
  ({ a, b }) => a + b,
)

type HeardRequest = Heard & { readonly command: Extract<Command, { type: 'REQUEST' }> }

/** A broker of one test: its client, and what a broker says to it. */
class Scene {
  readonly router: ScriptedRouter
  readonly client: Client
  readonly log = new RecordedLog()

  constructor(router: ScriptedRouter, options: Partial<ClientOptions> = {}) {
    this.router = router
    this.client = new Client({ broker: router.address, log: this.log, ...options })
  }

  hear(): Promise<HeardRequest> {
    return this.router.hearA('REQUEST')
  }

  ack({ from, command }: Heard): Promise<void> {
    return this.router.say(from, { type: 'ACK', id: this.router.newId(), acknowledges: command.id })
  }

  answer({ from, command }: Heard, result: JobResult): Promise<void> {
    const payload = printJobResult(result)
    return this.router.say(from, {
      type: 'REPLY',
      kind: 'result',
      id: this.router.newId(),
      request: command.id,
      payload,
    })
  }

  dispatch({ from, command }: Heard): Promise<void> {
    return this.router.say(from, { type: 'REPLY', kind: 'dispatched', id: this.router.newId(), request: command.id })
  }
}

function scene(run: (scene: Scene) => Promise<void>, options: Partial<ClientOptions> = {}): () => Promise<void> {
  return async () => {
    const router = await ScriptedRouter.bind()
    const one = new Scene(router, options)
    try {
      await run(one)
    } finally {
      await one.client.stop()
      router.close()
    }
  }
}

const value = (of: unknown): JobResult => ({ kind: 'value', value: of })

const decoder = new TextDecoder()

test(
  'defer resolves on the ACK, result gives the value, as often as it is asked for',
  scene(async (scene) => {
    const deferring = scene.client.defer(add, { a: 2, b: 3 })
    const heard = await scene.hear()
    assert.equal(heard.command.queue, 'sums')
    assert.equal(heard.command.headers.text, 'reply-requested,guarantee')
    await scene.ack(heard)
    const job = await deferring
    assert.equal(job.id, heard.command.id)
    await scene.answer(heard, value(5))
    const sum: number = await job.result()
    assert.equal(sum, 5)
    assert.equal(await job.result(), 5)
  }),
)

test(
  'what a job returns comes back as what it is: nothing as true, falsy values as themselves, bytes as bytes',
  scene(async (scene) => {
    const bytes = new Uint8Array([0xff, 0xfe, 0, 0x80])
    const results: [JobResult, unknown][] = [
      [value(undefined), true],
      [value(0), 0],
      [value(false), false],
      [value(''), ''],
      [value(null), null],
      [{ kind: 'bytes', bytes }, bytes],
    ]
    for (const [result, expected] of results) {
      const deferring = scene.client.defer(add, { a: 1, b: 1 })
      const heard = await scene.hear()
      await scene.ack(heard)
      await scene.answer(heard, result)
      const got: unknown = await (await deferring).result()
      assert.deepEqual(got instanceof Uint8Array ? new Uint8Array(got) : got, expected)
    }
  }),
)

test(
  'a job that failed throws its error with name, message, remote stack, code and attempts',
  scene(async (scene) => {
    const deferring = scene.client.defer(add, { a: 1, b: 1 })
    const heard = await scene.hear()
    await scene.ack(heard)
    const error = {
      name: 'TypeError',
      message: 'x is not a number',
      code: 'E_X',
      stack: 'at far/away.ts:1',
      attempts: 3,
    }
    await scene.answer(heard, { kind: 'error', error })
    const job = await deferring
    await assert.rejects(job.result(), (thrown) => {
      assert.ok(thrown instanceof JobFailedError)
      assert.equal(thrown.code, 'CLIENT_JOB_FAILED')
      assert.deepEqual(thrown.failure, error)
      assert.equal(thrown.attempts, 3)
      assert.match(thrown.message, /job sums\.add \(.*\) failed after 3 runs: TypeError: x is not a number/)
      return true
    })
  }),
)

test(
  "a refusal rejects the call, with the broker's reason",
  scene(async (scene) => {
    const deferring = assert.rejects(scene.client.defer(add, { a: 1, b: 1 }), (thrown) => {
      assert.ok(thrown instanceof RefusedError)
      assert.equal(thrown.code, 'CLIENT_REFUSED')
      assert.equal(thrown.reason, 'queue-full')
      assert.equal(thrown.passes, true)
      assert.match(thrown.message, /refused job sums\.add .*queue sums is full; defer it again later/)
      return true
    })
    const heard = await scene.hear()
    const error = { name: 'QueueFull', message: 'queue sums is full', code: 'queue-full' }
    await scene.answer(heard, { kind: 'error', error })
    await deferring
  }),
)

test(
  'a REQUEST that is not acknowledged is sent again under its id until it is',
  scene(
    async (scene) => {
      const deferring = scene.client.defer(add, { a: 1, b: 1 }, { id: 'my-id' })
      for (let i = 0; i < 3; i++) assert.equal((await scene.hear()).command.id, 'my-id')
      await scene.ack(await scene.hear())
      assert.equal((await deferring).id, 'my-id')
    },
    { resendMinMs: 5, resendMaxMs: 10 },
  ),
)

test('a broker that is away: the call waits, and is made when the broker is there', async () => {
  const first = await ScriptedRouter.bind()
  const { address } = first
  first.close()
  const client = new Client({ broker: address })
  try {
    const deferring = client.defer(add, { a: 1, b: 1 })
    const second = await ScriptedRouter.bind(address)
    const scene = new Scene(second)
    try {
      await scene.ack(await scene.hear())
      await deferring
    } finally {
      second.close()
    }
  } finally {
    await client.stop()
  }
})

test('a broker that restarts: what it had not acknowledged is sent again at once, under the same routing id', async () => {
  const first = await ScriptedRouter.bind()
  const client = new Client({ broker: first.address, routingId: 'client-1' })
  try {
    const deferring = client.defer(add, { a: 1, b: 1 })
    const lost = await first.hearA('REQUEST')
    first.close()
    const second = await ScriptedRouter.bind(first.address)
    try {
      const again = await second.hearA('REQUEST')
      assert.equal(again.command.id, lost.command.id)
      assert.equal(again.from, 'client-1')
      await second.say(again.from, { type: 'ACK', id: second.newId(), acknowledges: again.command.id })
      await deferring
    } finally {
      second.close()
    }
  } finally {
    await client.stop()
  }
})

test(
  'input that the schema refuses never leaves the client',
  scene(async (scene) => {
    await assert.rejects(scene.client.defer(add, { a: 'two' as unknown as number, b: 1 }), { code: 'JOB_INPUT' })
    await assert.rejects(scene.client.schedule(add, { a: 1 } as never, { everySeconds: 1 }), { code: 'JOB_INPUT' })
    await assert.rejects(scene.client.deferMany(add, [{ a: 1, b: 1 }, {} as never]), (thrown) => {
      assert.ok(thrown instanceof DeferManyError)
      assert.deepEqual([...thrown.failures.keys()], [1])
      assert.equal(thrown.accepted.size, 0)
      return true
    })
    const deferring = scene.client.defer(add, { a: 7, b: 7 })
    const heard = await scene.router.hear()
    assert.ok(heard.command.type === 'REQUEST')
    const call = parseJobCall(heard.command.payload)
    assert.deepEqual(call.ok && call.value.args, [{ a: 7, b: 7 }])
    await scene.ack(heard)
    await deferring
  }),
)

test(
  "headers: a call's own go before the job's, the job's before the client's; out of range they are refused",
  scene(async (scene) => {
    const job = defineJob({ name: 'a.b', queue: 'q', retryCount: 3, timeoutSeconds: 30, guarantee: false }, () => 1)
    const cases: [Parameters<typeof scene.client.defer<undefined, number>>[2], string, string][] = [
      [{}, 'q', 'reply-requested,retry-count:3,timeout:30'],
      [{ retryCount: 0, guarantee: undefined }, 'q', 'reply-requested,retry-count:0,timeout:30'],
      [{ queue: 'other', replyRequested: false, priority: 9 }, 'other', 'retry-count:3,timeout:30,priority:9'],
      [
        { unique: 'k', debounceSeconds: 2, delaySeconds: 0.5, backoff: { baseSeconds: 1, maxSeconds: 60 } },
        'q',
        'reply-requested,retry-count:3,timeout:30,delay:0.5,backoff:1:60,unique:k,debounce:2',
      ],
    ]
    for (const [options, queue, headers] of cases) {
      await scene.client.defer(job, undefined, options)
      const { command } = await scene.hear()
      assert.equal(command.queue, queue)
      assert.equal(command.headers.text, headers)
    }
    for (const options of [{ retries: 3 }, { acceptTimeoutMs: 0 }, { signal: 'stop' }, { id: 5 }, { nohaste: true }]) {
      const call = scene.client.defer(job, undefined, options as object)
      await assert.rejects(call, { code: 'CLIENT_OPTIONS' }, JSON.stringify(options))
    }
    await assert.rejects(scene.client.unschedule(job, undefined, { cron: '* * * * *' } as object), {
      code: 'CLIENT_OPTIONS',
    })
    await assert.rejects(scene.client.defer(job, undefined, { priority: 10 }), { code: 'EMQP_HEADER' })
    await assert.rejects(scene.client.defer(job, undefined, { queue: '' }), { code: 'EMQP_QUEUE_NAME' })
  }),
)

test(
  'without guarantee the call resolves once it is sent; without replyRequested there is no result, and it says so',
  scene(async (scene) => {
    const job = await scene.client.defer(add, { a: 1, b: 1 }, { guarantee: false, replyRequested: false })
    assert.equal((await scene.hear()).command.headers.text, '')
    await assert.rejects(job.result(), { code: 'CLIENT_NO_RESULT', message: /replyRequested: false/ })
    await assert.rejects(job.dispatched(), { code: 'CLIENT_NO_DISPATCH' })
  }),
)

test(
  'dialect 0.3: sent once, dispatched on the five-frame REPLY, and a clear word that there is no result',
  scene(
    async (scene) => {
      const job = await scene.client.defer(add, { a: 1, b: 1 })
      const heard = await scene.hear()
      await assert.rejects(job.result(), { code: 'CLIENT_NO_RESULT', message: /EventMQ 0\.3/ })
      await assert.rejects(job.dispatched({ timeoutMs: 5 }), { code: 'CLIENT_WAIT_TIMEOUT' })
      await scene.dispatch(heard)
      await job.dispatched()
      const second = await scene.client.defer(add, { a: 2, b: 2 })
      assert.equal((await scene.hear()).command.id, second.id)
      await scene.client.schedule(add, { a: 1, b: 1 }, { everySeconds: 60 })
      await scene.router.hearA('SCHEDULE')
    },
    { dialect: '0.3', resendMinMs: 1, resendMaxMs: 1 },
  ),
)

test(
  'a 0.3 router taken for ours: its job is not sent twice, the log says what to set, result says why there is none',
  scene(
    async (scene) => {
      const deferring = scene.client.defer(add, { a: 1, b: 1 })
      await scene.dispatch(await scene.hear())
      await assert.rejects((await deferring).result(), { code: 'CLIENT_NO_RESULT', message: /dialect "0\.3"/ })
      assert.match(scene.log.at('warn')[0]?.message ?? '', /set dialect: "0\.3"/)
    },
    { resendMinMs: 10_000, resendMaxMs: 10_000 },
  ),
)

test(
  'waiting for a result can time out or be aborted, and be taken up again',
  scene(async (scene) => {
    const deferring = scene.client.defer(add, { a: 1, b: 1 })
    const heard = await scene.hear()
    await scene.ack(heard)
    const job = await deferring
    await assert.rejects(job.result({ timeoutMs: 1 }), { code: 'CLIENT_WAIT_TIMEOUT' })
    const abort = new AbortController()
    const waiting = assert.rejects(job.result({ signal: abort.signal }), /enough/)
    abort.abort(new Error('enough'))
    await waiting
    await assert.rejects(job.result({ signal: abort.signal }), /enough/)
    await scene.answer(heard, value(2))
    assert.equal(await job.result({ timeoutMs: 10_000 }), 2)
  }),
)

test(
  'a call that is not acknowledged in time says whether there is a connection, and under which id to try again',
  scene(async (scene) => {
    const silent = scene.client.defer(add, { a: 1, b: 1 }, { id: 'once', acceptTimeoutMs: 20 })
    await assert.rejects(silent, { code: 'CLIENT_NOT_ACCEPTED', message: /connection stands.*same id \(once\)/s })
    const nobody = new Client({ broker: 'tcp://127.0.0.1:1' })
    const unheard = nobody.defer(add, { a: 1, b: 1 }, { acceptTimeoutMs: 20 })
    await assert.rejects(unheard, { code: 'CLIENT_NOT_ACCEPTED', message: /no connection; is the broker running/ })
    await nobody.stop()
  }),
)

test(
  "an aborted call rejects with the signal's reason, and frees its place",
  scene(
    async (scene) => {
      const abort = new AbortController()
      const first = assert.rejects(scene.client.defer(add, { a: 1, b: 1 }, { signal: abort.signal }), /changed my mind/)
      const heard = await scene.hear()
      const second = scene.client.defer(add, { a: 2, b: 2 })
      abort.abort(new Error('changed my mind'))
      await first
      const next = await scene.hear()
      assert.notEqual(next.command.id, heard.command.id)
      await scene.ack(next)
      await second
    },
    { maxInFlight: 1 },
  ),
)

test(
  'more calls than may wait are refused at once, and an id that is under way is not used twice',
  scene(
    async (scene) => {
      const calls = ['1', '2', '3', '4'].map((id) => scene.client.defer(add, { a: 1, b: 1 }, { id }))
      const outcomes = Promise.allSettled(calls)
      const heard = await scene.hear()
      await assert.rejects(scene.client.defer(add, { a: 1, b: 1 }, { id: '1' }), { code: 'CLIENT_DUPLICATE_ID' })
      await scene.ack(heard)
      await scene.ack(await scene.hear())
      const codes = (await outcomes).map((outcome) =>
        outcome.status === 'rejected' ? outcome.reason.code : 'accepted',
      )
      assert.deepEqual(codes.sort(), ['CLIENT_FULL', 'CLIENT_FULL', 'accepted', 'accepted'])
    },
    { maxInFlight: 1, maxQueued: 1 },
  ),
)

test(
  'deferMany: all in order, no more than the limit at a time, and who was not accepted is told',
  scene(
    async (scene) => {
      const inputs = Array.from({ length: 20 }, (_, i) => ({ a: i, b: 0 }))
      const deferring = scene.client.deferMany(add, inputs)
      for (let i = 0; i < 20; i++) {
        const heard = await scene.hear()
        assert.match(decoder.decode(heard.command.payload), new RegExp(`"a":${i},`))
        await scene.ack(heard)
        await scene.answer(heard, value(i))
      }
      const jobs = await deferring
      assert.deepEqual(
        await Promise.all(jobs.map((job) => job.result())),
        inputs.map(({ a }) => a),
      )

      const some = assert.rejects(scene.client.deferMany(add, inputs.slice(0, 3)), (thrown) => {
        assert.ok(thrown instanceof DeferManyError)
        assert.deepEqual([...thrown.accepted.keys()].sort(), [0, 2])
        assert.ok(thrown.failures.get(1) instanceof RefusedError)
        return true
      })
      for (let i = 0; i < 3; i++) {
        const heard = await scene.hear()
        if (i === 1) await scene.answer(heard, { kind: 'error', error: { name: 'Refused', message: 'no' } })
        else await scene.ack(heard)
      }
      await some
    },
    { maxInFlight: 4 },
  ),
)

test(
  'stop settles whatever waits with a clear error, and a stopped client says so',
  scene(async (scene) => {
    const accepting = scene.client.defer(add, { a: 1, b: 1 })
    const heard = await scene.hear()
    await scene.ack(heard)
    const job = await accepting
    const waits = [
      assert.rejects(scene.client.defer(add, { a: 2, b: 2 }), { code: 'CLIENT_STOPPED' }),
      assert.rejects(job.result(), { code: 'CLIENT_STOPPED' }),
    ]
    await scene.hear()
    assert.equal(scene.client.stop(), scene.client.stop())
    await Promise.all(waits)
    await assert.rejects(scene.client.defer(add, { a: 3, b: 3 }), { code: 'CLIENT_STOPPED' })
    await assert.rejects(job.result(), { code: 'CLIENT_STOPPED' })
  }),
)

test('a call that stop overtakes, at whatever moment, does not wait until its time is over', async () => {
  for (let turns = 0; turns < 30; turns++) {
    const client = new Client({ broker: 'tcp://127.0.0.1:1', acceptTimeoutMs: 1_000 })
    const call = assert.rejects(client.defer(add, { a: 1, b: 1 }), { code: 'CLIENT_STOPPED' }, `after ${turns} turns`)
    for (let turn = 0; turn < turns; turn++) await undefined
    await client.stop()
    await call
  }
})

test(
  'schedules: interval and cron with their headers, replaced and ended by what they call, acknowledged like jobs',
  scene(async (scene) => {
    const tick = defineJob({ name: 'clock.tick', retryCount: 1, delaySeconds: 5 }, () => 1)
    const ticks = scene.client.bind(tick)
    const expectAck = async (call: Promise<void>, type: 'SCHEDULE' | 'UNSCHEDULE') => {
      const heard = await scene.router.hearA(type)
      await scene.ack(heard)
      await call
      return heard.command
    }
    const first = await expectAck(
      ticks.schedule(undefined, { everySeconds: 60, nohaste: true, runCount: 3 }),
      'SCHEDULE',
    )
    assert.deepEqual(first.timing, { kind: 'interval', seconds: 60 })
    assert.equal(first.headers.text, 'guarantee,retry-count:1,nohaste,run_count:3')
    const cron = '0 4 * * *'
    const second = await expectAck(
      ticks.schedule(undefined, { cron, timeZone: 'Europe/Berlin', missed: 'skip', guarantee: false, queue: 'night' }),
      'SCHEDULE',
    )
    assert.deepEqual(second.timing, { kind: 'cron', expression: cron })
    assert.equal(second.headers.text, 'retry-count:1,tz:Europe/Berlin,missed:skip')
    assert.equal(second.queue, 'night')
    const end = await expectAck(ticks.unschedule(), 'UNSCHEDULE')
    assert.equal(end.timing, undefined)
    assert.deepEqual(new Uint8Array(end.payload), new Uint8Array(first.payload))
    for (const when of [{}, { everySeconds: 1, cron }]) {
      await assert.rejects(ticks.schedule(undefined, when as { cron: string }), { code: 'CLIENT_OPTIONS' })
    }
    await assert.rejects(ticks.schedule(undefined, { everySeconds: 0.5 }), { name: 'EmqpError' })
  }),
)

test(
  'whatever the broker sends that makes no sense, the client goes on',
  scene(async (scene) => {
    const deferring = scene.client.defer(add, { a: 1, b: 1 })
    const heard = await scene.hear()
    const odd: (string | Uint8Array)[][] = [
      [],
      ['', 'eMQP/1.0', 'REPLY', 'x', new Uint8Array([0xff])],
      ['', 'eMQP/1.0', 'REPLY', 'x', 'not json', 'unknown-request'],
      ['', 'eMQP/1.0', 'ACK', 'x', 'unknown-request'],
      ['', 'eMQP/1.0', 'REQUEST', 'x', 'default', '', '["run", {}]'],
      ['', 'eMQP/1.0', 'KBYE', 'x'],
      ['', 'eMQP/1.0', 'DISCONNECT', 'x'],
    ]
    for (const frames of odd) await scene.router.sayFrames(heard.from, frames)
    await scene.ack(heard)
    const job = await deferring
    await scene.answer(heard, value(2))
    assert.equal(await job.result(), 2)
  }),
)

test('options that cannot work are refused, and an address that cannot be dialed by the first call', async () => {
  const bad: Partial<Record<keyof ClientOptions | 'brokers', unknown>>[] = [
    { broker: undefined },
    { maxInFlight: 0 },
    { resendMinMs: 10, resendMaxMs: 5 },
    { dialect: '2016' },
    { acceptTimeoutMs: 0.5 },
    { brokers: [] },
  ]
  for (const options of bad) {
    const given = { broker: 'tcp://127.0.0.1:1', ...options } as ClientOptions
    assert.throws(() => new Client(given), { code: 'CLIENT_OPTIONS' }, JSON.stringify(options))
  }
  const client = new Client({ broker: 'localhost' })
  await assert.rejects(client.defer(add, { a: 1, b: 1 }), { code: 'DEVICE_ADDRESS', message: /tcp:\/\/host:port/ })
  await client.stop()
})

test(
  'a job known by path and callable alone is deferred like any other',
  scene(async (scene) => {
    const greet = jobAt({ path: 'my_jobs:Greeter', callable: 'greet' })
    await scene.client.defer(greet, { args: ['Hi'], classArgs: ['Ada'] }, { guarantee: false })
    const call = parseJobCall((await scene.hear()).command.payload)
    assert.deepEqual(call.ok && call.value, {
      path: 'my_jobs:Greeter',
      callable: 'greet',
      args: ['Hi'],
      kwargs: {},
      classArgs: ['Ada'],
      classKwargs: {},
    })
  }),
)

test(
  'a client is disposed of by await using',
  scene(async (scene) => {
    let kept: Client | undefined
    {
      await using client = new Client({ broker: scene.router.address })
      kept = client
      await client.defer(add, { a: 1, b: 1 }, { guarantee: false, replyRequested: false, id: 'x' as MessageId })
      await scene.hear()
    }
    await assert.rejects(kept.defer(add, { a: 1, b: 1 }), { code: 'CLIENT_STOPPED' })
  }),
)

test(
  'a wait that no timer can measure is refused, and not over at once',
  scene(async (scene) => {
    const deferring = scene.client.defer(add, { a: 1, b: 1 })
    const heard = await scene.hear()
    await scene.ack(heard)
    const job = await deferring
    for (const timeoutMs of [2_147_483_648, Number.POSITIVE_INFINITY, Number.NaN, -1]) {
      await assert.rejects(job.result({ timeoutMs }), { code: 'CLIENT_OPTIONS' })
    }
    const waiting = job.result({ timeoutMs: 2_147_483_647 })
    await scene.answer(heard, { kind: 'value', value: 2 })
    assert.equal(await waiting, 2)
  }),
)
