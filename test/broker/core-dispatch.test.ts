// Which worker a job goes to, which job a free slot gets, and queues longer than what is held in memory.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrokerInput, CoreSettings } from '@eventmq-ts/broker/core'
import { makeHeaders } from '@eventmq-ts/emqp'
import { MemoryStore } from '@eventmq-ts/store'
import fc from 'fast-check'
import { bytes, CoreDriver, id, peer, queue, told } from './core-driver.ts'

const weighted = (...pairs: [number, string][]) => pairs.map(([weight, name]) => ({ weight, name: queue(name) }))

/** To whom, in order, jobs went. */
const receivers = (sent: Awaited<ReturnType<CoreDriver['feed']>>) =>
  sent.filter(({ command }) => command.type === 'REQUEST').map(({ to }) => to as string)

/** Which jobs, in order, went out. */
const jobs = (sent: Awaited<ReturnType<CoreDriver['feed']>>) =>
  sent.flatMap(({ command }) => (command.type === 'REQUEST' ? [command.id as string] : []))

describe('a worker is chosen for a job', () => {
  test('highest weight first, least recently used among equals, never more than its slots', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w20', weighted([20, 'q']), 2)
    await broker.worker('w10', weighted([10, 'q']), 2)
    await broker.worker('eq1', weighted([10, 'e']), 2)
    await broker.worker('eq2', weighted([10, 'e']), 2)
    const order = async (name: string) => {
      const sent: string[] = []
      for (let i = 0; i < 5; i++)
        sent.push(...receivers(await broker.request('c1', `${name}${i}`, {}, { queue: name })))
      return sent
    }
    assert.deepEqual(await order('q'), ['w20', 'w20', 'w10', 'w10'])
    assert.deepEqual(await order('e'), ['eq1', 'eq2', 'eq1', 'eq2'])
  })

  test('least recently used counts over all queues of a worker', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', weighted([10, 'a'], [10, 'b']), 2)
    await broker.worker('w2', weighted([10, 'a'], [10, 'b']), 2)
    assert.deepEqual(receivers(await broker.request('c1', 'j1', {}, { queue: 'a' })), ['w1'])
    assert.deepEqual(receivers(await broker.request('c1', 'j2', {}, { queue: 'b' })), ['w2'])
    assert.deepEqual(receivers(await broker.request('c1', 'j3', {}, { queue: 'b' })), ['w1'])
  })

  test('a queue that nobody serves keeps its jobs', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    assert.deepEqual(told(await broker.request('c1', 'job', {}, { queue: 'email' })), [])
    assert.deepEqual(jobs(await broker.worker('w2', weighted([10, 'email']), 1)), ['job'])
  })

  test('as in EventMQ, by setting, a job for an unknown queue goes to the default one under its own name', async () => {
    const broker = await CoreDriver.open({ unknownQueue: 'default' })
    await broker.worker('w1', undefined, 1)
    const [send] = await broker.request('c1', 'job', {}, { queue: 'no-such-queue' })
    assert.ok(send?.command.type === 'REQUEST')
    assert.equal(send.command.queue, 'no-such-queue')
  })
})

describe('a job is chosen for a free slot', () => {
  async function slotsGoTo(
    queueOrder: CoreSettings['queueOrder'],
    slots: number,
    weights: [number, string][],
    waiting: number,
  ) {
    const broker = await CoreDriver.open({ queueOrder })
    for (const [, name] of weights) {
      for (let i = 0; i < waiting; i++) await broker.request('c1', `${name}${i}`, {}, { queue: name })
    }
    return jobs(await broker.worker('w1', weighted(...weights), slots))
  }

  test('strict: by weight, whatever the order of INFORM', async () => {
    const order = await slotsGoTo(
      'strict',
      4,
      [
        [10, 'low'],
        [90, 'high'],
      ],
      2,
    )
    assert.deepEqual(order, ['high0', 'high1', 'low0', 'low1'])
  })

  test('strict: queues of equal weight take turns', async () => {
    const order = await slotsGoTo(
      'strict',
      4,
      [
        [10, 'a'],
        [10, 'b'],
      ],
      3,
    )
    assert.deepEqual(order, ['a0', 'b0', 'a1', 'b1'])
  })

  test('weighted: in proportion to the weights, so that a low queue does not starve', async () => {
    const order = await slotsGoTo(
      'weighted',
      50,
      [
        [40, 'high'],
        [10, 'low'],
      ],
      100,
    )
    assert.equal(order.filter((job) => job.startsWith('low')).length, 10)
    assert.ok(order.slice(0, 5).some((job) => job.startsWith('low')))
  })

  test('weighted: a queue of weight 0 is served too', async () => {
    const order = await slotsGoTo(
      'weighted',
      3,
      [
        [0, 'zero'],
        [1, 'one'],
      ],
      3,
    )
    assert.ok(order.some((job) => job.startsWith('zero')))
  })

  test('a client that floods does not hold up the others, and each is served first in, first out', async () => {
    const broker = await CoreDriver.open()
    for (let i = 0; i < 100; i++) await broker.request('flood', `f${i}`)
    for (let i = 0; i < 3; i++) await broker.request('small', `s${i}`)
    const order = jobs(await broker.worker('w1', undefined, 8))
    assert.deepEqual(order, ['f0', 's0', 'f1', 's1', 'f2', 's2', 'f3', 'f4'])
  })

  test('one client is served first in, first out', async () => {
    const broker = await CoreDriver.open()
    const names = Array.from({ length: 20 }, (_, i) => `j${i}`)
    for (const name of names) await broker.request('c1', name)
    assert.deepEqual(jobs(await broker.worker('w1', undefined, 20)), names)
  })
})

describe('a queue longer than its head', () => {
  test('comes out whole and in order, jobs of higher priority first, whenever they came', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 7 }),
        fc.array(fc.constantFrom(0, 0, 0, 5, 9, 'take'), { minLength: 1, maxLength: 80 }),
        async (queueHead, steps) => {
          const broker = await CoreDriver.open({ queueHead })
          await broker.worker('w1')
          const waiting: { name: string; priority: number; number: number }[] = []
          const expectNext = () => {
            waiting.sort((a, b) => b.priority - a.priority || a.number - b.number)
            return waiting.shift()?.name
          }
          for (const [number, step] of steps.entries()) {
            if (step === 'take') {
              if (waiting.length > 0) assert.deepEqual(jobs(await broker.ready('w1')), [expectNext()])
              continue
            }
            const priority = Number(step)
            const name = `j${number}`
            assert.deepEqual(jobs(await broker.request('c1', name, { priority })), [])
            waiting.push({ name, priority, number })
            assert.equal(broker.core.stats().waiting, waiting.length)
          }
          while (waiting.length > 0) assert.deepEqual(jobs(await broker.ready('w1')), [expectNext()])
          assert.equal(broker.core.stats().waiting, 0)
          assert.deepEqual(jobs(await broker.ready('w1')), [])
        },
      ),
      { numRuns: 150 },
    )
  })

  test('loses none of its jobs where more urgent ones fill its head in the turn that reads on', async () => {
    const broker = await CoreDriver.open({ queueHead: 2 })
    await broker.worker('w1')
    const asked = (job: string, priority: number): BrokerInput => {
      const headers = makeHeaders({ priority })
      const command = { type: 'REQUEST', id: id(job), queue: queue('default'), headers, payload: bytes('') } as const
      return { type: 'message', endpoint: 'frontend', from: peer('c1'), command }
    }
    await broker.feed(...[0, 1, 2, 3, 4, 5].map((i) => asked(`j${i}`, 0)))
    const ready: BrokerInput = {
      type: 'message',
      endpoint: 'backend',
      from: peer('w1'),
      command: { type: 'READY', id: id('ready') },
    }
    const sent = [...jobs(await broker.feed(ready, ...[0, 1, 2, 3, 4].map((i) => asked(`u${i}`, 9))))]
    for (let i = 0; i < 10; i++) sent.push(...jobs(await broker.ready('w1')))
    assert.deepEqual(sent, ['j0', 'u0', 'u1', 'u2', 'u3', 'u4', 'j1', 'j2', 'j3', 'j4', 'j5'])
  })

  test('is complete after a restart, delayed jobs too', async () => {
    const store = new MemoryStore()
    const before = await CoreDriver.open({ queueHead: 3 }, store)
    const names = Array.from({ length: 20 }, (_, i) => `j${i}`)
    for (const name of names) await before.request('c1', name, { guarantee: true })
    for (const name of names) await before.request('c1', `d${name}`, { guarantee: true, delaySeconds: 5 })
    await store.close()
    const after = await CoreDriver.open({ queueHead: 3 }, store, 2000)
    assert.equal(after.core.stats().waiting, 20)
    assert.deepEqual(jobs(await after.worker('w1', undefined, 20)), names)
    await after.worker('w2', undefined, 20)
    const delayed = [...jobs(await after.advance(6000)), ...jobs(await after.advance(100))]
    assert.deepEqual(delayed.sort(), names.map((name) => `d${name}`).sort())
  })

  test('is not overtaken after a restart by jobs that come only then', async () => {
    const store = new MemoryStore()
    const before = await CoreDriver.open({ queueHead: 4 }, store)
    for (let i = 0; i < 20; i++) await before.request('c1', `old${i}`, { guarantee: true })
    assert.equal(jobs(await before.worker('w1', undefined, 10)).length, 10)
    await store.close()
    const after = await CoreDriver.open({ queueHead: 4 }, store, 2000)
    for (let i = 0; i < 5; i++) await after.request('c2', `new${i}`, { guarantee: true })
    const sent = jobs(await after.worker('w2', undefined, 10))
    // Two clients take turns.
    assert.deepEqual(
      sent,
      [10, 11, 12, 13, 14].flatMap((i) => [`old${i}`, `new${i - 10}`]),
    )
  })

  test('goes on behind jobs that have all expired in its head, whether a tick or a free slot finds them', async () => {
    for (const found of ['tick', 'slot']) {
      const broker = await CoreDriver.open({ queueHead: 4 })
      await broker.worker('w1')
      for (let i = 0; i < 4; i++) await broker.request('c1', `expires${i}`, { expiresSeconds: 1, priority: 1 })
      await broker.request('c1', 'stays', {})
      broker.turnClock(2000)
      if (found === 'tick') await broker.feed({ type: 'tick' })
      assert.deepEqual(jobs(await broker.ready('w1')), ['stays'])
    }
  })

  test('a job that waits in the store only is known when it is asked for again', async () => {
    const broker = await CoreDriver.open({ queueHead: 2 })
    for (let i = 0; i < 6; i++) await broker.request('c1', `j${i}`, { guarantee: true, replyRequested: true })
    assert.deepEqual(told(await broker.request('c2', 'j5', { guarantee: true, replyRequested: true })), [
      'ACK j5 -> c2',
    ])
    assert.equal(jobs(await broker.worker('w1', undefined, 9)).length, 6)
    assert.deepEqual(told(await broker.reply('w1', 'j5', '{"value": 1}')), ['REPLY j5 -> c2'])
    assert.equal((await broker.store.read(id('j5')))?.state, 'done')
  })
})

test('no more free slots are counted for a worker than it may have', async () => {
  const broker = await CoreDriver.open({ maxSlots: 2 })
  await broker.worker('w1', undefined, 5)
  for (let i = 0; i < 5; i++) await broker.request('c1', `j${i}`)
  assert.equal(broker.core.stats().waiting, 3)
  assert.match(broker.log.complaints[0]?.message ?? '', /maxSlots/)
})
