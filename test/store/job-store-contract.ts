// What every store of jobs must do, as one suite: each implementation runs it.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MessageId, QueueName } from '@eventmq-ts/emqp'
import type { FinishJob, JobRecord, JobStore, RoutingId, ScheduleRecord, StoreWrite } from '@eventmq-ts/store'
import { at, sampleJob } from './sample-job.ts'

const id = (text: string) => text as MessageId
const defaultQueue = 'default' as QueueName
const worker = 'w1' as RoutingId

const claim = (job: string, fence: number): StoreWrite => ({
  type: 'claim',
  id: id(job),
  fence,
  lease: { worker, until: at(9000) },
  at: at(2000),
})

const finish = (job: string, fence: number, changes: Partial<FinishJob> = {}): StoreWrite => ({
  type: 'finish',
  id: id(job),
  fence,
  state: 'done',
  reason: 'completed',
  result: new Uint8Array([7]),
  at: at(3000),
  forgetAt: at(5000),
  ...changes,
})

const requeue = (job: string, fence: number, state: 'waiting' | 'delayed'): StoreWrite => ({
  type: 'requeue',
  id: id(job),
  fence,
  state,
  dueAt: at(7000),
  failures: 1,
  losses: 0,
  at: at(3000),
})

const add = (job: JobRecord): StoreWrite => ({ type: 'add', job })

const schedule = (identity: string, order: string, seq: number): ScheduleRecord => ({
  id: id(order),
  type: 'SCHEDULE',
  identity,
  queue: defaultQueue,
  headers: '',
  intervalSeconds: 60,
  cron: undefined,
  payload: new Uint8Array([9]),
  asker: 'c1' as RoutingId,
  guarantee: true,
  seq,
  acceptedAt: at(1000),
})

/** `create` gives a new, empty store that is not open. */
export function jobStoreContract(name: string, create: () => JobStore): void {
  describe(`${name} keeps the JobStore contract`, () => {
    async function opened(...jobs: JobRecord[]): Promise<JobStore> {
      const store = create()
      await store.open()
      await store.commit(jobs.map(add))
      return store
    }

    const waitingIds = async (store: JobStore, queue: QueueName = defaultQueue) =>
      (await store.waiting({ queue, limit: 100 })).items.map((job) => job.id)

    test('a new store is empty', async () => {
      const store = create()
      assert.deepEqual(await store.open(), {
        nextSeq: 1,
        waiting: new Map(),
        jobs: { waiting: 0, delayed: 0, active: 0, done: 0, dead: 0 },
        schedules: 0,
      })
      await store.close()
    })

    test('an added job is read back as it was, byte for byte', async () => {
      const job = sampleJob('a', 1, {
        payload: new Uint8Array([0xff, 0xfe, 0, 0x80]),
        queue: 'Größe/✓' as QueueName,
        asker: '\x00\xff\x01\x02\x03' as RoutingId,
        expiresAt: at(99),
      })
      const store = await opened(job)
      assert.deepEqual(await store.read(job.id), job)
      assert.equal(await store.read(id('b')), undefined)
      await store.close()
    })

    test('a known id is refused and the job under it stays as it is, also when it has ended', async () => {
      const store = await opened(sampleJob('a', 1))
      const again = add(sampleJob('a', 2, { payload: new Uint8Array(0) }))
      assert.deepEqual((await store.commit([add(sampleJob('b', 3)), again])).refused, [1])
      assert.equal((await store.read(id('a')))?.payload.length, 3)
      await store.commit([claim('a', 1), finish('a', 1)])
      assert.deepEqual((await store.commit([again])).refused, [0])
      await store.close()
    })

    test('lookup gives the known ones of many ids', async () => {
      const store = await opened(sampleJob('a', 1), sampleJob('b', 2))
      await store.commit([claim('b', 1), finish('b', 1)])
      const known = await store.lookup([id('a'), id('b'), id('c')])
      assert.deepEqual([...known].map(([key, job]) => [key, job.state]).sort(), [
        ['a', 'waiting'],
        ['b', 'done'],
      ])
      await store.close()
    })

    test('a queue is read by priority, then rank, then acceptance, in bounded pages', async () => {
      const store = await opened(
        sampleJob('late', 5, { rank: 1 }),
        sampleJob('first', 2, { rank: 1 }),
        sampleJob('ahead', 4, { rank: 9 }),
        sampleJob('urgent', 9, { rank: 9, priority: 9 }),
        sampleJob('elsewhere', 1, { queue: 'other' as QueueName }),
      )
      assert.deepEqual(await waitingIds(store), ['urgent', 'first', 'late', 'ahead'])
      const one = await store.waiting({ queue: defaultQueue, limit: 3 })
      assert.equal(one.more, true)
      const two = await store.waiting({ queue: defaultQueue, after: one.items[2], limit: 3 })
      assert.deepEqual([two.items.map((job) => job.id), two.more], [['ahead'], false])
      assert.deepEqual(await store.waiting({ queue: 'none' as QueueName, limit: 3 }), { items: [], more: false })
      await store.close()
    })

    test('a page starts after a place, whether or not a job is still there', async () => {
      const store = await opened(sampleJob('a', 1), sampleJob('b', 2), sampleJob('c', 3))
      await store.commit([claim('b', 1)])
      const page = await store.waiting({ queue: defaultQueue, after: { priority: 0, rank: 2, seq: 2 }, limit: 9 })
      assert.deepEqual(
        page.items.map((job) => job.id),
        ['c'],
      )
      await store.close()
    })

    test('one of two claims of a job wins, and a claim needs the next fence', async () => {
      const store = await opened(sampleJob('a', 1))
      assert.deepEqual((await store.commit([claim('a', 2), claim('a', 1), claim('a', 1)])).refused, [0, 2])
      const job = await store.read(id('a'))
      assert.deepEqual([job?.state, job?.fence, job?.lease], ['active', 1, { worker, until: 9000 }])
      assert.deepEqual(await waitingIds(store), [])
      await store.close()
    })

    test('who lost the lease changes nothing', async () => {
      const store = await opened(sampleJob('a', 1))
      await store.commit([claim('a', 1), requeue('a', 1, 'waiting'), claim('a', 2)])
      const stale: StoreWrite[] = [
        finish('a', 1),
        requeue('a', 1, 'delayed'),
        { type: 'renew', id: id('a'), fence: 1, until: at(1) },
      ]
      assert.deepEqual((await store.commit(stale)).refused, [0, 1, 2])
      const job = await store.read(id('a'))
      assert.deepEqual([job?.state, job?.fence, job?.lease?.until], ['active', 2, 9000])
      assert.deepEqual((await store.commit([finish('a', 2)])).refused, [])
      await store.close()
    })

    test('a lease is prolonged', async () => {
      const store = await opened(sampleJob('a', 1))
      await store.commit([claim('a', 1), { type: 'renew', id: id('a'), fence: 1, until: at(12_000) }])
      assert.equal((await store.read(id('a')))?.lease?.until, 12_000)
      await store.close()
    })

    test('a requeued job keeps its place in the queue and its counts', async () => {
      const store = await opened(sampleJob('a', 1), sampleJob('b', 2))
      await store.commit([claim('a', 1), requeue('a', 1, 'waiting')])
      assert.deepEqual(await waitingIds(store), ['a', 'b'])
      const job = await store.read(id('a'))
      assert.deepEqual([job?.failures, job?.losses, job?.lease, job?.fence], [1, 0, undefined, 1])
      await store.close()
    })

    test('delayed jobs are read by due instant, and are promoted into their queue at the rank given', async () => {
      const store = await opened(
        sampleJob('soon', 2, { state: 'delayed', dueAt: at(10) }),
        sampleJob('later', 1, { state: 'delayed', dueAt: at(20) }),
        sampleJob('here', 3, { rank: 5 }),
      )
      const page = await store.delayed({ limit: 1 })
      assert.deepEqual([page.items.map((job) => job.id), page.more], [['soon'], true])
      const rest = await store.delayed({ after: page.items[0], limit: 1 })
      assert.deepEqual([rest.items.map((job) => job.id), rest.more], [['later'], false])
      const promote: StoreWrite = { type: 'promote', id: id('soon'), rank: 6, at: at(10) }
      assert.deepEqual((await store.commit([promote, promote])).refused, [1])
      assert.deepEqual(await waitingIds(store), ['here', 'soon'])
      await store.close()
    })

    test('active jobs are read in pages that neither repeat nor skip one', async () => {
      const jobs = Array.from({ length: 7 }, (_, i) => sampleJob(`job-${i}`, i + 1))
      const store = await opened(...jobs)
      await store.commit(jobs.map((job) => claim(job.id, 1)))
      const seen: string[] = []
      for (let after: MessageId | undefined, more = true; more; ) {
        const page = await store.active({ after, limit: 3 })
        seen.push(...page.items.map((job) => job.id))
        after = page.items.at(-1)?.id
        more = page.more
      }
      assert.deepEqual(
        seen.sort(),
        jobs.map((job) => job.id),
      )
      await store.close()
    })

    test('a job may end from waiting, delayed and active, and an end is final', async () => {
      const store = await opened(sampleJob('w', 1), sampleJob('d', 2, { state: 'delayed' }), sampleJob('a', 3))
      await store.commit([claim('a', 1)])
      const expired = { state: 'dead', reason: 'expired' } as const
      assert.deepEqual(
        (await store.commit([finish('w', 0, expired), finish('d', 0, expired), finish('a', 1)])).refused,
        [],
      )
      assert.deepEqual((await store.read(id('a')))?.outcome, {
        at: 3000,
        reason: 'completed',
        result: new Uint8Array([7]),
        forgetAt: 5000,
      })
      const after = [finish('a', 1, { state: 'dead' }), claim('a', 2), requeue('a', 1, 'waiting'), claim('w', 1)]
      assert.deepEqual((await store.commit(after)).refused, [0, 1, 2, 3])
      assert.equal((await store.read(id('a')))?.state, 'done')
      await store.close()
    })

    test('a dead job keeps its payload, a done one lets it go', async () => {
      const store = await opened(sampleJob('a', 1), sampleJob('b', 2))
      await store.commit([finish('a', 0), finish('b', 0, { state: 'dead', reason: 'expired' })])
      assert.equal((await store.read(id('a')))?.payload.length, 0)
      assert.equal((await store.read(id('b')))?.payload.length, 3)
      await store.close()
    })

    test('the asker of a job can change at any time of its life', async () => {
      const store = await opened(sampleJob('a', 1))
      const ask = (job: string): StoreWrite => ({
        type: 'ask',
        id: id(job),
        asker: 'c2' as RoutingId,
        wantsReply: true,
      })
      assert.deepEqual((await store.commit([ask('a'), ask('none')])).refused, [1])
      await store.commit([claim('a', 1), finish('a', 1), ask('a')])
      const job = await store.read(id('a'))
      assert.deepEqual([job?.asker, job?.wantsReply], ['c2', true])
      await store.close()
    })

    test('finished jobs are forgotten from their forgetAt on, so many at a time', async () => {
      const store = await opened(...['a', 'b', 'c'].map((name, i) => sampleJob(name, i + 1)))
      const ends = ['a', 'b', 'c'].flatMap((name, i) => [
        claim(name, 1),
        finish(name, 1, { forgetAt: at(5000 + i * 1000) }),
      ])
      await store.commit(ends)
      assert.equal(await store.forget(at(4999), 10), 0)
      assert.equal(await store.forget(at(6000), 1), 1)
      assert.equal(await store.read(id('a')), undefined)
      assert.equal(await store.forget(at(6000), 10), 1)
      assert.equal(await store.forget(at(6000), 10), 0)
      assert.equal((await store.lookup([id('b'), id('c')])).size, 1)
      assert.deepEqual((await store.commit([add(sampleJob('a', 9))])).refused, [])
      await store.close()
    })

    test('an end whose forgetAt is now is forgotten at once', async () => {
      const store = await opened(sampleJob('a', 1))
      await store.commit([finish('a', 0, { reason: 'handed-over', forgetAt: at(3000) })])
      assert.equal(await store.read(id('a')), undefined)
      assert.deepEqual(await waitingIds(store), [])
      await store.close()
    })

    test('a schedule order replaces one of the same identity and is removed under its own id only', async () => {
      const store = await opened()
      await store.commit([
        { type: 'put-schedule', schedule: schedule('x', 'one', 1) },
        { type: 'put-schedule', schedule: schedule('y', 'two', 2) },
        { type: 'put-schedule', schedule: schedule('x', 'three', 3) },
      ])
      const page = await store.schedules({ limit: 1 })
      assert.deepEqual([page.items, page.more], [[schedule('y', 'two', 2)], true])
      const rest = await store.schedules({ after: 2, limit: 1 })
      assert.deepEqual([rest.items.map((order) => order.id), rest.more], [['three'], false])
      const remove = (order: string): StoreWrite => ({ type: 'remove-schedule', identity: 'x', id: id(order) })
      assert.deepEqual((await store.commit([remove('one'), remove('three')])).refused, [0])
      assert.equal((await store.schedules({ limit: 9 })).items.length, 1)
      await store.close()
    })

    test('commits that are not awaited take effect in their order', async () => {
      const store = await opened()
      const results = await Promise.all([
        store.commit([add(sampleJob('a', 1))]),
        store.commit([claim('a', 1)]),
        store.commit([requeue('a', 1, 'waiting')]),
        store.commit([claim('a', 2)]),
      ])
      assert.deepEqual(
        results.flatMap((result) => result.refused),
        [],
      )
      assert.equal((await store.read(id('a')))?.fence, 2)
      await store.close()
    })

    test('reads refuse a limit out of its range', async () => {
      const store = await opened()
      for (const limit of [0, -1, 1.5, 10_001, Number.NaN]) {
        await assert.rejects(store.waiting({ queue: defaultQueue, limit }), { code: 'STORE_OPTION' })
        await assert.rejects(store.delayed({ limit }), { code: 'STORE_OPTION' })
        await assert.rejects(store.active({ limit }), { code: 'STORE_OPTION' })
        await assert.rejects(store.schedules({ limit }), { code: 'STORE_OPTION' })
      }
      await store.close()
    })

    test('nothing works before open and after close, and closing again does nothing', async () => {
      const store = create()
      await assert.rejects(store.commit([]), { code: 'STORE_CLOSED' })
      await store.open()
      await assert.rejects(store.open(), { code: 'STORE_OPTION' })
      await store.close()
      await store.close()
      await assert.rejects(store.lookup([]), { code: 'STORE_CLOSED' })
      await assert.rejects(store.read(id('a')), { code: 'STORE_CLOSED' })
      await assert.rejects(store.forget(at(0), 1), { code: 'STORE_CLOSED' })
    })

    test('opened again it has what was committed', async () => {
      const store = await opened(
        sampleJob('a', 1),
        sampleJob('b', 2, { state: 'delayed' }),
        sampleJob('c', 3),
        sampleJob('d', 7),
      )
      await store.commit([
        claim('c', 1),
        claim('d', 1),
        finish('d', 1),
        { type: 'put-schedule', schedule: schedule('x', 'one', 8) },
      ])
      await store.close()
      assert.deepEqual(await store.open(), {
        nextSeq: 9,
        waiting: new Map([['default', 1]]),
        jobs: { waiting: 1, delayed: 1, active: 1, done: 1, dead: 0 },
        schedules: 1,
      })
      await store.close()
    })
  })
}
