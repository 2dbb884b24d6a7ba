import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Broker } from '@eventmq-ts/broker'
import { Client, JobFailedError, RefusedError } from '@eventmq-ts/client'
import { defineJob, jobAt } from '@eventmq-ts/job'
import { jobsOf, Worker } from '@eventmq-ts/worker'
import { z } from 'zod'

const queue = 'reports'
const wordCount = defineJob(
  { name: 'reports.wordCount', queue, input: z.object({ text: z.string() }) },
  ({ text }) => ({
    words: text.split(/\s+/).length,
  }),
)
const reports = {
  wordCount,
  nothing: defineJob({ name: 'reports.nothing', queue }, () => undefined),
  bytes: defineJob({ name: 'reports.bytes', queue, input: z.number() }, (count) => new Uint8Array(count).fill(0xfe)),
  attempts: defineJob(
    { name: 'reports.attempts', queue, retryCount: 2, backoff: { baseSeconds: 0, maxSeconds: 0 } },
    (_, { attempt }) => {
      throw new RangeError(`attempt ${attempt} went wrong`)
    },
  ),
  echo: defineJob({ name: 'reports.echo', queue, input: z.unknown() }, (input) => input),
}

/** A broker, a worker for the jobs above, and a client, all real, on ports of their own. */
async function everything(run: (client: Client, worker: Worker) => Promise<void>): Promise<void> {
  await using things = new AsyncDisposableStack()
  const broker = things.adopt(new Broker({ ...anyPorts }), (one) => one.stop())
  await broker.start()
  const worker = things.adopt(newWorker(broker), (one) => one.stop())
  await worker.start()
  const client = things.use(new Client({ broker: broker.addresses.frontend }))
  await run(client, worker)
}

const anyPorts = {
  frontendAddress: 'tcp://127.0.0.1:*',
  backendAddress: 'tcp://127.0.0.1:*',
  administrationAddress: 'tcp://127.0.0.1:*',
}

function newWorker({ addresses }: Broker): Worker {
  const queues = [{ weight: 10, name: queue }]
  return new Worker({ broker: addresses.backend, jobs: jobsOf(Object.values(reports)), queues })
}

const soon = { timeoutMs: 20_000 }

test('a job goes from the client through the broker to a worker, and its result comes back', () =>
  everything(async (client) => {
    const job = await client.bind(wordCount).delay({ text: 'to be or not to be' })
    const { words } = await job.result(soon)
    assert.equal(words, 6)
  }))

test('nothing comes back as true, bytes as bytes, JSON of any kind as it was', () =>
  everything(async (client) => {
    const nothing = await client.defer(reports.nothing)
    assert.equal(await nothing.result(soon), true)
    const bytes = await client.defer(reports.bytes, 70_000)
    assert.deepEqual(new Uint8Array(await bytes.result(soon)), new Uint8Array(70_000).fill(0xfe))
    for (const input of [0, false, '', null, [1, { deep: ['é中', '\u0000', '👩‍👩‍👧'] }]]) {
      const echo = await client.defer(reports.echo, input)
      assert.deepEqual(await echo.result(soon), input)
    }
  }))

test('a job that keeps failing is run again as often as its definition says, and its last error comes back', () =>
  everything(async (client) => {
    const job = await client.defer(reports.attempts)
    await assert.rejects(job.result(soon), (error) => {
      assert.ok(error instanceof JobFailedError)
      assert.equal(error.failure.name, 'RangeError')
      assert.equal(error.failure.message, 'attempt 3 went wrong')
      assert.equal(error.attempts, 3)
      assert.match(error.failure.stack ?? '', /round-trip\.test\.ts/)
      return true
    })
  }))

test('a worker refuses again what a client that knows no schema lets through', () =>
  everything(async (client) => {
    const untyped = jobAt({ path: 'reports', callable: 'wordCount', queue })
    const bad = await client.defer(untyped, { args: [{ text: 5 }] })
    await assert.rejects(bad.result(soon), { name: 'JobFailedError', message: /JobError: .*text/ })
    const named = await client.defer(untyped, { kwargs: { text: 'as Python writes it' } })
    assert.deepEqual(await named.result(soon), { words: 4 })
    const unknown = await client.defer(jobAt({ path: 'os', callable: 'system', queue }), { args: ['true'] })
    await assert.rejects(unknown.result(soon), { name: 'JobFailedError' })
  }))

test('many jobs at once: every result comes back to the job it belongs to', () =>
  everything(async (client) => {
    const inputs = Array.from({ length: 500 }, (_, i) => i)
    const jobs = await client.deferMany(reports.echo, inputs)
    assert.deepEqual(await Promise.all(jobs.map((job) => job.result(soon))), inputs)
  }))

test('what the real broker refuses is a typed error that says what to do', async () => {
  await using things = new AsyncDisposableStack()
  const limits = { maxPayloadBytes: 1_000, maxQueueDepth: 1 }
  const broker = things.adopt(new Broker({ ...anyPorts, ...limits }), (one) => one.stop())
  await broker.start()
  const client = things.use(new Client({ broker: broker.addresses.frontend }))
  const refused = (reason: string, passes: boolean) => (error: unknown) => {
    assert.ok(error instanceof RefusedError)
    assert.equal(error.reason, reason)
    assert.equal(error.passes, passes)
    return true
  }
  await assert.rejects(client.defer(wordCount, { text: 'x'.repeat(1_000) }), refused('too-large', false))
  await client.defer(wordCount, { text: 'takes the only place' })
  await assert.rejects(client.defer(wordCount, { text: 'one too many' }), refused('queue-full', true))
})

test('a job that is not started in its time fails, and says so', () =>
  everything(async (client) => {
    const expired = await client.defer(wordCount, { text: 'x' }, { queue: 'nobody', expiresSeconds: 0 })
    await assert.rejects(expired.result(soon), (error) => {
      assert.ok(error instanceof JobFailedError)
      assert.equal(error.failure.code, 'expired')
      return true
    })
  }))

test('a job that is deferred before its worker exists waits for it', async () => {
  await using things = new AsyncDisposableStack()
  const broker = things.adopt(new Broker({ ...anyPorts }), (one) => one.stop())
  await broker.start()
  const client = things.use(new Client({ broker: broker.addresses.frontend }))
  const job = await client.defer(wordCount, { text: 'soon enough' })
  const worker = things.adopt(newWorker(broker), (one) => one.stop())
  await worker.start()
  assert.deepEqual(await job.result(soon), { words: 2 })
})
