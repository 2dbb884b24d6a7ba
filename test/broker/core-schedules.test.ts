// SCHEDULE and UNSCHEDULE on their way from clients to schedulers.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type HeaderChanges, makeHeaders, printJobCall } from '@eventmq-ts/emqp'
import { MemoryStore } from '@eventmq-ts/store'
import { bytes, CoreDriver, id, peer, queue, refusalCode, told } from './core-driver.ts'

const call = (n: number) =>
  printJobCall({ path: 'my_jobs', callable: 'add', args: [n, 1], kwargs: {}, classArgs: [], classKwargs: {} })

function order(type: 'SCHEDULE' | 'UNSCHEDULE', name: string, n: number, headers: HeaderChanges = {}) {
  const timing = { kind: 'interval', seconds: 60 } as const
  return { type, id: id(name), queue: queue('default'), headers: makeHeaders(headers), timing, payload: call(n) }
}

const ack = (broker: CoreDriver, scheduler: string, name: string) =>
  broker.say('frontend', scheduler, { type: 'ACK', id: id('a'), acknowledges: id(name) })

describe('a SCHEDULE', () => {
  test('goes to the least loaded scheduler, and again to the one that holds it', async () => {
    const broker = await CoreDriver.open()
    await broker.scheduler('s1')
    await broker.scheduler('s2')
    const to = async (name: string, n: number) => told(await broker.say('frontend', 'c1', order('SCHEDULE', name, n)))
    assert.deepEqual(await to('one', 1), ['SCHEDULE one -> s1'])
    assert.deepEqual(await to('two', 2), ['SCHEDULE two -> s2'])
    assert.deepEqual(await to('two-again', 2), ['SCHEDULE two-again -> s2'])
    assert.deepEqual(await to('three', 3), ['SCHEDULE three -> s1'])
  })

  test('arrives frame for frame as it came', async () => {
    const broker = await CoreDriver.open()
    await broker.scheduler('s1')
    const cron = {
      ...order('SCHEDULE', 'cron', 9, { runCount: 3, nohaste: true }),
      timing: { kind: 'cron', expression: '*/5 * * * *' },
    } as const
    const [send] = await broker.say('frontend', 'c1', cron)
    assert.deepEqual([send?.endpoint, send?.to], ['frontend', 's1'])
    assert.deepEqual(send?.command, cron)
  })

  test('with guarantee is acknowledged to its client when the scheduler has it, and not before', async () => {
    const broker = await CoreDriver.open()
    await broker.scheduler('s1')
    const guaranteed = order('SCHEDULE', 'one', 1, { guarantee: true })
    assert.deepEqual(told(await broker.say('frontend', 'c1', guaranteed)), ['SCHEDULE one -> s1'])
    assert.deepEqual(told(await broker.say('frontend', 'c1', guaranteed)), [])
    assert.deepEqual(told(await ack(broker, 's1', 'one')), ['ACK one -> c1'])
    assert.deepEqual(told(await broker.say('frontend', 'c1', guaranteed)), ['ACK one -> c1'])
    assert.equal((await broker.store.schedules({ limit: 9 })).items.length, 0)
  })

  test('is refused where as many orders wait as may, but replaces one of them', async () => {
    const broker = await CoreDriver.open({ maxQueueDepth: 2 })
    const take = (name: string, n: number) =>
      broker.say('frontend', 'c1', order('SCHEDULE', name, n, { guarantee: true }))
    assert.deepEqual(told([...(await take('one', 1)), ...(await take('two', 2))]), [])
    const refused = await take('three', 3)
    assert.deepEqual(told(refused), ['REPLY three -> c1'])
    assert.equal(refusalCode(refused), 'queue-full')
    assert.deepEqual(told(await take('two-again', 2)), ['ACK two -> c1'])
    assert.equal(broker.core.stats().scheduleOrders, 2)
    await broker.scheduler('s1')
    assert.deepEqual(told(await ack(broker, 's1', 'one')), ['ACK one -> c1'])
    assert.deepEqual(told(await take('three', 3)), ['SCHEDULE three -> s1'])
  })

  test('is kept while no scheduler is there, over a restart too, and goes out when one registers', async () => {
    for (const headers of [{}, { guarantee: true }]) {
      const store = new MemoryStore()
      const before = await CoreDriver.open({}, store)
      assert.deepEqual(told(await before.say('frontend', 'c1', order('SCHEDULE', 'one', 1, headers))), [])
      await store.close()
      const after = await CoreDriver.open({}, store, 2000)
      assert.equal(after.core.stats().scheduleOrders, 1)
      assert.deepEqual(told(await after.scheduler('s1')).slice(1), ['SCHEDULE one -> s1'])
      const acked = told(await ack(after, 's1', 'one'))
      assert.deepEqual(acked, headers.guarantee ? ['ACK one -> c1'] : [])
      assert.equal(after.core.stats().scheduleOrders, 0)
      assert.equal((await store.schedules({ limit: 9 })).items.length, 0)
    }
  })

  test('that a vanished scheduler had not acknowledged goes to another one', async () => {
    const broker = await CoreDriver.open()
    await broker.scheduler('s1')
    await broker.say('frontend', 'c1', order('SCHEDULE', 'one', 1, { guarantee: true }))
    const gone = (name: string) => broker.feed({ type: 'disconnected', endpoint: 'frontend', peer: peer(name) })
    assert.deepEqual(told(await gone('s1')), [])
    assert.deepEqual(told(await broker.scheduler('s2')).slice(1), ['SCHEDULE one -> s2'])
    await broker.scheduler('s3')
    assert.deepEqual(told(await gone('s2')), ['SCHEDULE one -> s3'])
    assert.deepEqual(told(await ack(broker, 's2', 'one')), [])
    assert.deepEqual(told(await ack(broker, 's3', 'one')), ['ACK one -> c1'])
  })

  test('whose scheduler never acknowledges anything, as one of 0.3, counts as taken after a while', async () => {
    const broker = await CoreDriver.open({ peerTimeoutMs: 100_000 })
    await broker.scheduler('s1')
    const first = order('SCHEDULE', 'one', 1, { guarantee: true })
    await broker.say('frontend', 'c1', first)
    assert.deepEqual(told(await broker.advance(27_000)), [])
    assert.deepEqual(told(await broker.advance(6_000)), ['ACK one -> c1'])
    assert.equal(broker.core.stats().scheduleOrders, 0)
    assert.equal((await broker.store.schedules({ limit: 9 })).items.length, 0)
    // Its client may not have heard: what it sends again must not start the schedule anew.
    assert.deepEqual(told(await broker.say('frontend', 'c1', first)), ['ACK one -> c1'])
    const next = await broker.say('frontend', 'c1', order('UNSCHEDULE', 'end', 1, { guarantee: true }))
    assert.deepEqual(told(next), ['UNSCHEDULE end -> s1', 'ACK end -> c1'])
    assert.deepEqual(told(await broker.scheduler('s2')).slice(1), [])
  })

  test('is waited for as long as it takes, where the scheduler has acknowledged before', async () => {
    const broker = await CoreDriver.open({ peerTimeoutMs: 1_000_000 })
    await broker.scheduler('s1')
    await broker.say('frontend', 'c1', order('SCHEDULE', 'one', 1, { guarantee: true }))
    await ack(broker, 's1', 'one')
    await broker.say('frontend', 'c1', order('SCHEDULE', 'two', 2, { guarantee: true }))
    assert.deepEqual(told(await broker.advance(100_000)), [])
    assert.deepEqual(told(await ack(broker, 's1', 'two')), ['ACK two -> c1'])
  })

  test('that the scheduler refuses is refused to its client, for the same reason', async () => {
    const broker = await CoreDriver.open()
    await broker.scheduler('s1')
    await broker.say('frontend', 'c1', order('SCHEDULE', 'one', 1, { guarantee: true }))
    const payload = bytes('{"error":{"name":"Refusal","message":"that never fires"}}')
    const refusal = { type: 'REPLY', kind: 'result', id: id('r'), request: id('one'), payload } as const
    const [reply, ...more] = await broker.say('frontend', 's1', refusal)
    assert.deepEqual([reply?.to, reply?.command], [peer('c1'), { ...refusal, id: reply?.command.id }])
    assert.deepEqual(more, [])
    assert.equal(broker.core.stats().scheduleOrders, 0)
    assert.equal((await broker.store.schedules({ limit: 9 })).items.length, 0)
    // Said twice, or by somebody else, it is about nothing.
    assert.deepEqual(told(await broker.say('frontend', 's1', refusal)), [])
    assert.equal(broker.core.stats().offences['refused-REPLY'], 1)
  })

  test('does not go to a scheduler that has said KBYE', async () => {
    const broker = await CoreDriver.open()
    await broker.scheduler('s1')
    await broker.say('frontend', 's1', { type: 'KBYE', id: id('bye') })
    assert.deepEqual(told(await broker.say('frontend', 'c1', order('SCHEDULE', 'one', 1))), [])
    assert.deepEqual(told(await broker.scheduler('s2')).slice(1), ['SCHEDULE one -> s2'])
  })

  test('whose payload is no job goes to a scheduler all the same: that is its to refuse', async () => {
    const broker = await CoreDriver.open()
    await broker.scheduler('s1')
    const odd = { ...order('SCHEDULE', 'one', 1), payload: bytes('not json') }
    assert.deepEqual(told(await broker.say('frontend', 'c1', odd)), ['SCHEDULE one -> s1'])
  })
})

describe('an UNSCHEDULE', () => {
  test('goes to all schedulers, and is acknowledged when all have answered or are gone', async () => {
    const broker = await CoreDriver.open()
    for (const name of ['s1', 's2', 's3']) await broker.scheduler(name)
    const sent = await broker.say('frontend', 'c1', order('UNSCHEDULE', 'end', 1, { guarantee: true }))
    assert.deepEqual(
      told(sent),
      ['s1', 's2', 's3'].map((name) => `UNSCHEDULE end -> ${name}`),
    )
    assert.deepEqual(told(await ack(broker, 's1', 'end')), [])
    assert.deepEqual(told(await broker.feed({ type: 'disconnected', endpoint: 'frontend', peer: peer('s2') })), [])
    assert.deepEqual(told(await ack(broker, 's3', 'end')), ['ACK end -> c1'])
  })

  test('replaces a SCHEDULE of the same job that no scheduler has got yet, whose client is told', async () => {
    const broker = await CoreDriver.open()
    await broker.say('frontend', 'c1', order('SCHEDULE', 'one', 1, { guarantee: true }))
    const sent = await broker.say('frontend', 'c2', order('UNSCHEDULE', 'end', 1))
    assert.deepEqual(told(sent), ['ACK one -> c1'])
    assert.deepEqual(told(await broker.scheduler('s1')).slice(1), ['UNSCHEDULE end -> s1'])
  })
})

test('a job that a scheduler fires is a job like any other', async () => {
  const broker = await CoreDriver.open()
  await broker.scheduler('s1')
  await broker.worker('w1', undefined, 1)
  assert.deepEqual(told(await broker.request('s1', 'fired', { replyRequested: true })), ['REQUEST fired -> w1'])
  assert.deepEqual(told(await broker.reply('w1', 'fired', '{"value": 1}')), ['REPLY fired -> s1'])
})
