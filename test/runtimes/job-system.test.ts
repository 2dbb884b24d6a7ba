// The whole system in one process: a client defers and schedules jobs through a broker, a worker runs them, a scheduler
// repeats one, results come back, and everything stops.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Broker, Client, defineJob, JobFailedError, jobsOf, Scheduler, Worker } from 'eventmq-ts'
import { z } from 'zod'

const queue = 'smoke'
const soon = { timeoutMs: 20_000 }
const ticked = Promise.withResolvers<void>()
let ticks = 0

const jobs = {
  add: defineJob({ name: 'smoke.add', queue, input: z.array(z.number()) }, (terms) =>
    terms.reduce((sum, term) => sum + term, 0),
  ),
  flaky: defineJob(
    { name: 'smoke.flaky', queue, retryCount: 1, backoff: { baseSeconds: 0, maxSeconds: 0 } },
    (_, { attempt }) => {
      if (attempt === 1) throw new Error('the first time it fails')
      return attempt
    },
  ),
  failing: defineJob({ name: 'smoke.failing', queue }, () => {
    throw new RangeError('always')
  }),
  tick: defineJob({ name: 'smoke.tick', queue }, () => {
    if (++ticks === 2) ticked.resolve()
  }),
}

const anyPort = 'tcp://127.0.0.1:*'
const broker = new Broker({ frontendAddress: anyPort, backendAddress: anyPort, administrationAddress: anyPort })
const running: { stop(): Promise<void> }[] = [broker]
let client: Client

describe('the job system', () => {
  before(async () => {
    await broker.start()
    const { frontend, backend } = broker.addresses
    const queues = [{ weight: 10, name: queue }]
    const worker = new Worker({ broker: backend, jobs: jobsOf(Object.values(jobs)), queues })
    const scheduler = new Scheduler({ broker: frontend })
    client = new Client({ broker: frontend })
    running.unshift(client, worker, scheduler)
    await Promise.all([worker.start(), scheduler.start()])
  })

  after(async () => {
    for (const role of running) await role.stop()
  })

  test('runs many jobs at once and gives each its own result', async () => {
    const deferred = await Promise.all(Array.from({ length: 200 }, (_, i) => client.defer(jobs.add, [i, 1])))
    const sums = await Promise.all(deferred.map((job) => job.result(soon)))
    assert.deepEqual(
      sums,
      Array.from({ length: 200 }, (_, i) => i + 1),
    )
  })

  test('runs a job again that failed, and tells the error of one that goes on failing', async () => {
    const flaky = await client.defer(jobs.flaky)
    assert.equal(await flaky.result(soon), 2)
    const failing = await client.defer(jobs.failing)
    await assert.rejects(failing.result(soon), (error) => {
      assert.ok(error instanceof JobFailedError)
      assert.deepEqual([error.failure.name, error.failure.message], ['RangeError', 'always'])
      return true
    })
  })

  test('repeats a scheduled job', async () => {
    await client.schedule(jobs.tick, undefined, { everySeconds: 1 })
    await ticked.promise
    await client.unschedule(jobs.tick, undefined)
  })
})
