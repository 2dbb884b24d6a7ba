// What the core remembers is bounded by what there is, and not by what there has been.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_HEADERS } from '@eventmq-ts/emqp'
import { Delays } from '../../packages/broker/src/core/delays.ts'
import { FreeWorkers } from '../../packages/broker/src/core/free-workers.ts'
import { HandedOver } from '../../packages/broker/src/core/handed-over.ts'
import { Job } from '../../packages/broker/src/core/job.ts'
import { Worker } from '../../packages/broker/src/core/worker.ts'
import { CoreDriver, id, peer, queue } from './core-driver.ts'

test('jobs that have run are not remembered until the time by which they would have expired', async () => {
  const broker = await CoreDriver.open()
  await broker.request('c1', 'sample', { expiresSeconds: 3_155_760_000, guarantee: true })
  const record = await broker.store.read(id('sample'))
  assert.ok(record !== undefined)
  const delays = new Delays(10, (job) => job.state === 'waiting')
  const waiting: Job[] = []
  for (let i = 0; i < 100_000; i++) {
    const job = new Job(record, NO_HEADERS)
    delays.watchExpiry(job)
    waiting.push(job)
    const oldest = waiting.length > 10 ? waiting.shift() : undefined
    if (oldest !== undefined) oldest.state = 'done'
  }
  assert.ok(delays.watched < 2000, `${delays.watched} are watched, of which 10 wait`)
  const found = new Set<Job>()
  for (let job = delays.takeExpired(record.expiresAt ?? assert.fail()); job !== undefined; ) {
    found.add(job)
    job = delays.takeExpired(record.expiresAt ?? assert.fail())
  }
  for (const job of waiting) assert.ok(found.has(job))
})

test('a worker that registers again and again is not remembered once for each time', () => {
  const name = queue('q')
  const joinAs = (worker: string, weight: number, joined: number) =>
    new Worker(peer(worker), [{ weight, name }], joined, 0 as Worker['lastSeen'], new HandedOver())
  const free = new FreeWorkers(name)
  const first = joinAs('first', 20, 0)
  first.slots = 1
  free.offer(first, 20)
  let last = first
  for (let i = 1; i < 10_000; i++) {
    last.slots = last === first ? 1 : 0
    last = joinAs('again', 10, i)
    last.slots = 1
    free.offer(last, 10)
  }
  assert.ok(free.size < 200, `${free.size} are remembered, of which 2 are there`)
  assert.equal(free.first(), first)
  first.slots = 0
  assert.equal(free.first(), last)
})
