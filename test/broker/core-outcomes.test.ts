// The three ways a run can end, done, failed and unknown, and what becomes of the job; delay, expiry and priority.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { backoffMs } from '@eventmq-ts/broker/core'
import { makeHeaders } from '@eventmq-ts/emqp'
import { MemoryStore } from '@eventmq-ts/store'
import { CoreDriver, id, peer, refusalCode, told } from './core-driver.ts'

const failure = '{"error": {"name": "Error", "message": "deliberate"}}'
const released = '{"error": {"name": "Released", "message": "the worker leaves", "code": "released"}}'

/** A broker whose worker `w1` runs `job`. */
async function running(headers: Parameters<CoreDriver['request']>[2], settings = {}): Promise<CoreDriver> {
  const broker = await CoreDriver.open(settings)
  await broker.worker('w1', undefined, 1)
  await broker.request('c1', 'job', headers)
  assert.equal((await broker.store.read(id('job')))?.state, 'active')
  return broker
}

const disconnect = (broker: CoreDriver, worker: string) =>
  broker.feed({ type: 'disconnected', endpoint: 'backend', peer: peer(worker) })

const stateOf = async (broker: CoreDriver, job = 'job') => {
  const record = await broker.store.read(id(job))
  return record && [record.state, record.outcome?.reason]
}

describe('a failed run', () => {
  for (const [retryCount, runs] of [
    [3, 4],
    [0, 1],
    [undefined, 1],
  ] as const) {
    test(`with retry-count ${retryCount ?? 'absent'} makes ${runs} in all, and one final reply`, async () => {
      const broker = await running({ guarantee: true, replyRequested: true, retryCount })
      let count = 1
      const replies: string[] = []
      for (;;) {
        replies.push(...told(await broker.reply('w1', 'job', failure)))
        if ((await broker.store.read(id('job')))?.state === 'dead') break
        assert.deepEqual(told(await broker.ready('w1')), [])
        const again = await broker.advance(10_000 - 1)
        assert.deepEqual(told(again), ['REQUEST job -> w1'])
        const request = again[0]?.command
        count++
        assert.ok(request?.type === 'REQUEST')
        assert.equal(request.headers.attempt, count)
      }
      assert.equal(count, runs)
      assert.deepEqual(replies, ['REPLY job -> c1'])
      assert.deepEqual(await stateOf(broker), ['dead', 'failed'])
    })
  }

  test('waits as long as its backoff says before it runs again', async () => {
    const broker = await running({ replyRequested: true, retryCount: 2, backoff: { baseSeconds: 2, maxSeconds: 3 } })
    await broker.ready('w1')
    await broker.reply('w1', 'job', failure)
    assert.deepEqual(told(await broker.advance(1999)), [])
    assert.deepEqual(told(await broker.advance(1)), ['REQUEST job -> w1'])
    await broker.ready('w1')
    await broker.reply('w1', 'job', failure)
    assert.deepEqual(told(await broker.advance(2999)), [])
    assert.deepEqual(told(await broker.advance(1)), ['REQUEST job -> w1'])
  })

  test('with a backoff of 0 runs again at once', async () => {
    const broker = await running({ retryCount: 1, backoff: { baseSeconds: 0, maxSeconds: 0 } })
    await broker.ready('w1')
    assert.deepEqual(told(await broker.reply('w1', 'job', failure)), ['REQUEST job -> w1'])
  })

  test('its backoff doubles up to its limit and never overflows', () => {
    const seconds = (n: number) => backoffMs(makeHeaders({}), n) / 1000
    assert.deepEqual([1, 2, 3, 12].map(seconds), [1, 2, 4, 2048])
    for (const n of [13, 64, 65, 1024, 1025, 5000]) assert.equal(seconds(n), 3600)
  })

  test('is not a failure where a 0.3 worker says it in a value: that cannot be told from a result', async () => {
    const broker = await running({ replyRequested: true, retryCount: 5 })
    assert.deepEqual(told(await broker.reply('w1', 'job', '{"value": "TimeoutError"}')), ['REPLY job -> c1'])
    assert.deepEqual(await stateOf(broker), ['done', 'completed'])
  })
})

describe('a run whose worker vanishes', () => {
  test('runs again with guarantee, before newer jobs and without charging retry-count', async () => {
    const broker = await running({ guarantee: true, replyRequested: true })
    await broker.request('c1', 'newer', { guarantee: true })
    await disconnect(broker, 'w1')
    assert.deepEqual(await stateOf(broker), ['waiting', undefined])
    const sent = await broker.worker('w2', undefined, 2)
    assert.deepEqual(told(sent).slice(1), ['REQUEST job -> w2', 'REQUEST newer -> w2'])
    assert.deepEqual(told(await broker.reply('w2', 'job', '{"value": 1}')), ['REPLY job -> c1'])
  })

  test('is never started again without guarantee: dead, lost, and its client is told', async () => {
    const broker = await running({ replyRequested: true, retryCount: 5 })
    const sent = await disconnect(broker, 'w1')
    assert.deepEqual(told(sent), ['REPLY job -> c1'])
    assert.equal(refusalCode(sent), 'lost')
    assert.deepEqual(await stateOf(broker), ['dead', 'lost'])
    assert.deepEqual(told(await broker.worker('w2', undefined, 1)).slice(1), [])
  })

  test('again and again ends as poison', async () => {
    const broker = await running({ guarantee: true, replyRequested: true }, { maxLosses: 3 })
    assert.deepEqual(told(await disconnect(broker, 'w1')), [])
    await broker.worker('w2', undefined, 1)
    assert.deepEqual(told(await disconnect(broker, 'w2')), [])
    await broker.worker('w3', undefined, 1)
    const sent = await disconnect(broker, 'w3')
    assert.equal(refusalCode(sent), 'poison')
    assert.deepEqual(await stateOf(broker), ['dead', 'poison'])
  })

  test('is over: what that worker still says of it when it is back changes nothing', async () => {
    const broker = await running({ guarantee: true, replyRequested: true })
    await disconnect(broker, 'w1')
    await broker.worker('w2', undefined, 1)
    await broker.worker('w1')
    assert.deepEqual(told(await broker.reply('w1', 'job', '{"value": "late"}')), [])
    assert.deepEqual(told(await broker.reply('w2', 'job', '{"value": 1}')), ['REPLY job -> c1'])
  })

  test('does not count as vanished while it only is silent for less than its timeout', async () => {
    const broker = await running({ guarantee: true })
    await broker.advance(9900)
    assert.deepEqual(await stateOf(broker), ['active', undefined])
    await broker.advance(3000)
    assert.deepEqual(await stateOf(broker), ['waiting', undefined])
  })
})

describe('a run that its worker says nothing of long after its timeout', () => {
  // A job manager of EventMQ 0.3 whose job's process died: it lives, offers the slot anew, and keeps silent about the job.
  async function pass(broker: CoreDriver, ms: number): Promise<string[]> {
    const sent: string[] = []
    for (let passed = 0; passed < ms; passed += 1000) {
      sent.push(...told(await broker.advance(1000)))
      await broker.say('backend', 'w1', { type: 'HEARTBEAT', id: broker.newId(), sentAtSeconds: 1 })
    }
    return sent
  }

  test('runs again with guarantee, and ends as poison when that happens again and again', async () => {
    const broker = await running({ guarantee: true, replyRequested: true, timeoutSeconds: 60 }, { maxLosses: 2 })
    await broker.ready('w1')
    assert.deepEqual(await pass(broker, 69_000), [])
    assert.deepEqual(await pass(broker, 4000), ['REQUEST job -> w1'])
    assert.deepEqual(await pass(broker, 73_000), ['REPLY job -> c1'])
    assert.deepEqual(await stateOf(broker), ['dead', 'poison'])
  })

  test('is lost without guarantee, and its client is told', async () => {
    const broker = await running({ replyRequested: true, timeoutSeconds: 60 })
    assert.deepEqual(await pass(broker, 73_000), ['REPLY job -> c1'])
    assert.deepEqual(await stateOf(broker), ['dead', 'lost'])
  })

  test('goes on for ever where there is no timeout', async () => {
    for (const timeoutSeconds of [undefined, 0]) {
      const broker = await running({ guarantee: true, timeoutSeconds })
      assert.deepEqual(await pass(broker, 500_000), [])
      assert.deepEqual(await stateOf(broker), ['active', undefined])
    }
  })

  test('is not given up while the broker itself was held up: the REPLY may not have been read yet', async () => {
    const broker = await running({ guarantee: true, replyRequested: true, timeoutSeconds: 60 })
    broker.turnClock(300_000)
    await broker.advance(0)
    assert.deepEqual(told(await broker.reply('w1', 'job', '{"value": 1}')), ['REPLY job -> c1'])
    assert.deepEqual(await stateOf(broker), ['done', 'completed'])
  })
})

describe('a REQUEST that does not reach its worker', () => {
  test('goes to another one, with or without guarantee, and nothing is charged', async () => {
    for (const headers of [{ replyRequested: true }, { guarantee: true }]) {
      const broker = await CoreDriver.open({ maxLosses: 1 })
      await broker.worker('w1', undefined, 1)
      await broker.worker('w2', undefined, 1)
      const sent = await broker.request('c1', 'job', headers)
      const request = sent.find(({ command }) => command.type === 'REQUEST')
      assert.ok(request !== undefined)
      assert.equal(request.to, 'w1')
      assert.deepEqual(told(await broker.feed({ type: 'undeliverable', send: request })), ['REQUEST job -> w2'])
      assert.deepEqual([(await broker.store.read(id('job')))?.losses, broker.core.stats().workers], [0, 1])
    }
  })
})

describe('several REQUESTs that do not reach their worker', () => {
  for (const headers of [{ replyRequested: true }, { guarantee: true }, {}]) {
    test(`all go to another one, with nothing charged, with headers ${JSON.stringify(headers)}`, async () => {
      const broker = await CoreDriver.open({ maxLosses: 1 })
      await broker.worker('w1', undefined, 2)
      const requests = [...(await broker.request('c1', 'a', headers)), ...(await broker.request('c1', 'b', headers))]
      const unsent = requests.filter(({ command }) => command.type === 'REQUEST')
      assert.deepEqual(told(unsent), ['REQUEST a -> w1', 'REQUEST b -> w1'])
      assert.deepEqual(told(await broker.feed(...unsent.map((send) => ({ type: 'undeliverable', send }) as const))), [])
      assert.equal(broker.core.stats().workers, 0)
      const sent = await broker.worker('w2', undefined, 2)
      assert.deepEqual(told(sent).slice(1), ['REQUEST a -> w2', 'REQUEST b -> w2'])
    })
  }
})

describe('a job that its leaving worker gives back', () => {
  test('runs on another worker, with nothing charged', async () => {
    const broker = await running({ guarantee: true, replyRequested: true, retryCount: 0 })
    await broker.say('backend', 'w1', { type: 'KBYE', id: id('bye') })
    await broker.worker('w2', undefined, 1)
    assert.deepEqual(told(await broker.reply('w1', 'job', released)), ['REQUEST job -> w2'])
    assert.deepEqual(told(await broker.reply('w2', 'job', '{"value": 1}')), ['REPLY job -> c1'])
  })

  test('is taken back too when nobody had asked how it ends', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    assert.deepEqual(told(await broker.request('c1', 'job')), ['REQUEST job -> w1'])
    assert.equal(await broker.store.read(id('job')), undefined)
    await broker.worker('w2', undefined, 1)
    assert.deepEqual(told(await broker.reply('w1', 'job', released)), ['REQUEST job -> w2'])
    assert.deepEqual(told(await broker.reply('w1', 'job', released)), [])
  })
})

describe('a worker that says KBYE', () => {
  test('gets nothing more and may still deliver what it runs, long after its timeout', async () => {
    const broker = await running({ guarantee: true, replyRequested: true })
    await broker.ready('w1')
    await broker.say('backend', 'w1', { type: 'KBYE', id: id('bye') })
    assert.deepEqual(told(await broker.request('c1', 'next', { guarantee: true })), ['ACK next -> c1'])
    assert.deepEqual(told(await broker.ready('w1')), [])
    await broker.advance(60_000)
    assert.deepEqual(told(await broker.reply('w1', 'job', '{"value": 1}')), ['REPLY job -> c1'])
  })

  test('loses its jobs when it closes', async () => {
    const broker = await running({ guarantee: true })
    await broker.say('backend', 'w1', { type: 'KBYE', id: id('bye') })
    await disconnect(broker, 'w1')
    assert.deepEqual(await stateOf(broker), ['waiting', undefined])
  })
})

describe('a worker that registers anew under its routing id', () => {
  test('has no slots, keeps what it runs, and may deliver it', async () => {
    const broker = await running({ guarantee: true, replyRequested: true })
    await broker.ready('w1')
    await broker.worker('w1')
    assert.deepEqual(told(await broker.request('c1', 'next', { guarantee: true })), ['ACK next -> c1'])
    assert.deepEqual(told(await broker.reply('w1', 'job', '{"value": 1}')), ['REPLY job -> c1'])
  })

  test('loses a job that it does not speak of within its timeout', async () => {
    const broker = await running({ guarantee: true })
    await broker.worker('w1')
    for (let i = 0; i < 5; i++) {
      await broker.advance(3000)
      await broker.say('backend', 'w1', { type: 'HEARTBEAT', id: id('hb'), sentAtSeconds: 1 })
    }
    assert.deepEqual(await stateOf(broker), ['waiting', undefined])
  })

  test('keeps a job whose PROGRESS it sends', async () => {
    const broker = await running({ guarantee: true })
    await broker.worker('w1')
    await broker.say('backend', 'w1', { type: 'PROGRESS', id: id('p'), request: id('job'), payload: new Uint8Array(0) })
    for (let i = 0; i < 20; i++) {
      await broker.advance(3000)
      await broker.say('backend', 'w1', { type: 'HEARTBEAT', id: id('hb'), sentAtSeconds: 1 })
    }
    assert.deepEqual(await stateOf(broker), ['active', undefined])
  })
})

describe('after a restart of the broker', () => {
  test('a running job belongs to its worker, which may deliver it once it has registered again', async () => {
    const store = new MemoryStore()
    const before = await CoreDriver.open({}, store)
    await before.worker('w1', undefined, 1)
    await before.request('c1', 'job', { guarantee: true, replyRequested: true })
    await store.close()
    const after = await CoreDriver.open({}, store, 5000)
    await after.worker('w1')
    assert.deepEqual(told(await after.reply('w1', 'job', '{"value": 1}')), ['REPLY job -> c1'])
  })

  test('a running job whose worker does not come back ends unknown after the timeout', async () => {
    const store = new MemoryStore()
    const before = await CoreDriver.open({}, store)
    await before.worker('w1', undefined, 2)
    await before.request('c1', 'kept', { guarantee: true })
    await before.request('c1', 'lost', { replyRequested: true })
    await store.close()
    const after = await CoreDriver.open({}, store, 5000)
    assert.deepEqual(told(await after.advance(13_000)), ['REPLY lost -> c1'])
    assert.deepEqual(await stateOf(after, 'lost'), ['dead', 'lost'])
    assert.deepEqual(told(await after.worker('w2', undefined, 1)).slice(1), ['REQUEST kept -> w2'])
  })

  test('delayed jobs come when they are due, overdue ones at once', async () => {
    const store = new MemoryStore()
    const before = await CoreDriver.open({}, store)
    await before.request('c1', 'overdue', { delaySeconds: 5 })
    await before.request('c1', 'later', { delaySeconds: 20 })
    await store.close()
    const after = await CoreDriver.open({}, store, 11_000)
    await after.worker('w1', undefined, 2)
    assert.deepEqual(told(await after.advance(0)), ['REQUEST overdue -> w1'])
    await after.advance(5000)
    await after.say('backend', 'w1', { type: 'HEARTBEAT', id: id('hb'), sentAtSeconds: 1 })
    assert.deepEqual(told(await after.advance(4999)), [])
    assert.deepEqual(told(await after.advance(1)), ['REQUEST later -> w1'])
  })
})

describe('delay, expires and priority', () => {
  test('a job with delay does not start before', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    assert.deepEqual(told(await broker.request('c1', 'job', { delaySeconds: 2.5, guarantee: true })), ['ACK job -> c1'])
    assert.deepEqual(told(await broker.advance(2499)), [])
    assert.deepEqual(told(await broker.advance(1)), ['REQUEST job -> w1'])
  })

  test('a job that does not start in time expires, and its client is told', async () => {
    const broker = await CoreDriver.open()
    await broker.request('c1', 'job', { expiresSeconds: 2, replyRequested: true })
    assert.deepEqual(told(await broker.advance(1999)), [])
    const sent = await broker.advance(1)
    assert.equal(refusalCode(sent), 'expired')
    assert.deepEqual(await stateOf(broker), ['dead', 'expired'])
    assert.deepEqual(told(await broker.worker('w1', undefined, 1)).slice(1), [])
  })

  test('a job that has expired by the time a slot is free is not started, tick or no tick', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1')
    await broker.request('c1', 'job', { expiresSeconds: 2, guarantee: true })
    await broker.request('c1', 'next', { guarantee: true })
    broker.turnClock(2000)
    assert.deepEqual(told(await broker.ready('w1')), ['REQUEST next -> w1'])
    assert.deepEqual(await stateOf(broker), ['dead', 'expired'])
  })

  test('a job that started in time does not expire while it waits for its retry', async () => {
    const broker = await running({ guarantee: true, retryCount: 1, expiresSeconds: 1 })
    await broker.reply('w1', 'job', failure)
    await broker.advance(5000)
    assert.deepEqual(await stateOf(broker), ['waiting', undefined])
  })

  test('higher priority goes first within its queue, oldest first within a priority', async () => {
    const broker = await CoreDriver.open()
    for (const [job, priority] of [
      ['a', 0],
      ['b', 9],
      ['c', 5],
      ['d', 9],
      ['e', undefined],
    ] as const) {
      await broker.request('c1', job, priority === undefined ? {} : { priority })
    }
    const order = told(await broker.worker('w1', undefined, 5)).slice(1)
    assert.deepEqual(
      order,
      ['b', 'd', 'c', 'a', 'e'].map((job) => `REQUEST ${job} -> w1`),
    )
  })

  for (const [headers, keptMs] of [
    [{ guarantee: true, replyRequested: true, keepSeconds: 100 }, 100_000],
    [{ replyRequested: true, keepSeconds: 5 }, 5_000],
    // Its id must outlast the time in which its client may send it again.
    [{ guarantee: true, replyRequested: true, keepSeconds: 5 }, 60_000],
    [{ replyRequested: true }, 60_000],
  ] as const) {
    test(`a result with headers ${JSON.stringify(headers)} is kept for ${keptMs} ms`, async () => {
      const broker = await running(headers)
      await broker.reply('w1', 'job', '{"value": 1}')
      const record = await broker.store.read(id('job'))
      assert.equal((record?.outcome?.forgetAt ?? 0) - broker.now.epochMs, keptMs)
    })
  }
})

describe('leases in the store', () => {
  test('are renewed while their worker is alive', async () => {
    const broker = await running({ guarantee: true }, { storeLeaseMs: 20_000 })
    const first = (await broker.store.read(id('job')))?.lease?.until ?? 0
    for (let i = 0; i < 10; i++) {
      await broker.advance(3000)
      await broker.say('backend', 'w1', { type: 'HEARTBEAT', id: id('hb'), sentAtSeconds: 1 })
    }
    const renewed = (await broker.store.read(id('job')))?.lease?.until ?? 0
    assert.ok(renewed >= first + 20_000 && renewed > broker.now.epochMs)
  })
})
