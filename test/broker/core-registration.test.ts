// Who is registered, who is alive, who knocked at the wrong door.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { peerName } from '@eventmq-ts/broker/core'
import { routingIdOf } from '@eventmq-ts/store'
import { CoreDriver, id, peer, queue, told } from './core-driver.ts'

const heartbeat = (broker: CoreDriver, endpoint: 'frontend' | 'backend', name: string) =>
  broker.say(endpoint, name, { type: 'HEARTBEAT', id: id('hb'), sentAtSeconds: 1 })

describe('INFORM', () => {
  test('is answered by an ACK with its id and at once by a HEARTBEAT, which a 0.3 job manager waits for', async () => {
    const broker = await CoreDriver.open()
    for (const [endpoint, role] of [
      ['backend', 'worker'],
      ['frontend', 'scheduler'],
    ] as const) {
      const sent = await broker.feedAll([
        { type: 'message', endpoint, from: peer('p1'), command: { type: 'INFORM', id: id('i1'), role, queues: [] } },
      ])
      assert.deepEqual(told(sent), ['ACK i1 -> p1', 'HEARTBEAT -> p1'])
      assert.ok(sent.every((send) => send.endpoint === endpoint))
      const beat = sent[1]?.command
      assert.ok(beat?.type === 'HEARTBEAT')
      assert.equal(beat.sentAtSeconds, broker.now.epochMs / 1000)
    }
  })

  test('without queues means the default queues', async () => {
    const broker = await CoreDriver.open({ defaultQueues: [{ weight: 10, name: queue('usual') }] })
    await broker.worker('w1', [], 1)
    assert.deepEqual(told(await broker.request('c1', 'job', {}, { queue: 'usual' })), ['REQUEST job -> w1'])
  })

  test('at the wrong endpoint is refused, and logged with the right address', async () => {
    const broker = await CoreDriver.open()
    const worker = { type: 'INFORM', id: id('i'), role: 'worker', queues: [] } as const
    assert.deepEqual(await broker.say('frontend', 'w1', worker), [])
    assert.deepEqual(await broker.say('backend', 's1', { ...worker, role: 'scheduler' }), [])
    assert.deepEqual(
      broker.log.complaints.map(({ message }) => message),
      [
        'w1 on the frontend: INFORM of a worker is refused here; workers connect to the backend, tcp://back:2',
        's1 on the backend: INFORM of a scheduler is refused here; schedulers connect to the frontend, tcp://front:1',
      ],
    )
    assert.equal(broker.core.stats().workers + broker.core.stats().schedulers, 0)
  })

  test('again replaces the entry: slots start at 0 and nothing doubles', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', [{ weight: 10, name: queue('a') }], 3)
    await broker.worker('w1', [
      { weight: 10, name: queue('b') },
      { weight: 5, name: queue('b') },
    ])
    assert.deepEqual(told(await broker.request('c1', 'a1', {}, { queue: 'a' })), [])
    assert.deepEqual(told(await broker.request('c1', 'b1', {}, { queue: 'b' })), [])
    assert.deepEqual(told(await broker.ready('w1')), ['REQUEST b1 -> w1'])
    assert.equal(broker.core.stats().workers, 1)
  })

  test('beyond the number of peers that may register is refused, with the limit in the log', async () => {
    const broker = await CoreDriver.open({ maxPeers: 2 })
    await broker.worker('w1')
    await broker.scheduler('s1')
    assert.deepEqual(await broker.worker('w2'), [])
    assert.deepEqual(await broker.scheduler('s2'), [])
    assert.equal((await broker.worker('w1')).length, 1)
    assert.ok(broker.log.complaints.every(({ message }) => message.includes('maxPeers')))
    assert.equal(broker.log.complaints.length, 2)
  })
})

describe('a peer that is not registered', () => {
  test('is not obeyed, whatever it says', async () => {
    const broker = await CoreDriver.open()
    await broker.request('c1', 'job', { replyRequested: true })
    assert.deepEqual(await broker.ready('w1'), [])
    assert.deepEqual(await broker.reply('w1', 'job', '{"value": 1}'), [])
    assert.equal(broker.core.stats().waiting, 1)
  })

  test('is logged once for each kind of offence, counted each time, and logged again after a minute', async () => {
    const broker = await CoreDriver.open()
    for (let i = 0; i < 5; i++) await broker.ready('w1')
    await broker.ready('w2')
    assert.equal(broker.log.complaints.length, 2)
    assert.equal(broker.core.stats().offences['unregistered'], 6)
    await broker.advance(60_000)
    await broker.ready('w1')
    const last = broker.log.complaints.at(-1)
    assert.equal(broker.log.complaints.length, 3)
    assert.equal(last?.fields['repeated'], 4)
  })

  test('is a client when it says farewell, which is no offence', async () => {
    const broker = await CoreDriver.open()
    await broker.say('frontend', 'c1', { type: 'KBYE', id: id('bye') })
    assert.deepEqual(broker.log.complaints, [])
  })
})

describe('liveness', () => {
  test('every registered peer gets a HEARTBEAT each interval', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1')
    await broker.scheduler('s1')
    const sent = await broker.advanceAll(9000)
    assert.equal(sent.filter(({ to, endpoint }) => to === 'w1' && endpoint === 'backend').length, 3)
    assert.equal(sent.filter(({ to, endpoint }) => to === 's1' && endpoint === 'frontend').length, 3)
  })

  test('any command but DISCONNECT keeps a peer alive', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1')
    await broker.worker('w2')
    await broker.scheduler('s1')
    for (let i = 0; i < 6; i++) {
      await broker.advance(4000)
      await broker.ready('w1')
      await broker.say('backend', 'w2', { type: 'DISCONNECT', id: id('d') })
      await broker.request('s1', `fired-${i}`)
    }
    assert.deepEqual([broker.core.stats().workers, broker.core.stats().schedulers], [1, 1])
  })

  test('a silent worker is gone after its timeout, and must register again', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    await broker.advance(13_000)
    assert.equal(broker.core.stats().workers, 0)
    await broker.ready('w1')
    assert.deepEqual(told(await broker.request('c1', 'job')), [])
    assert.deepEqual(told(await broker.worker('w1', undefined, 1)).slice(1), ['REQUEST job -> w1'])
  })

  test('nobody is gone because the broker itself was not there for an hour', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1')
    broker.turnClock(3_600_000)
    await broker.feed({ type: 'tick' })
    assert.equal(broker.core.stats().workers, 1)
    await heartbeat(broker, 'backend', 'w1')
    await broker.advance(9000)
    assert.equal(broker.core.stats().workers, 1)
    await broker.advance(9000)
    assert.equal(broker.core.stats().workers, 0)
  })

  test('a peer that closes its connection is gone at once', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    await broker.scheduler('s1')
    await broker.feed(
      { type: 'disconnected', endpoint: 'backend', peer: peer('w1') },
      { type: 'disconnected', endpoint: 'frontend', peer: peer('s1') },
      { type: 'disconnected', endpoint: 'frontend', peer: peer('nobody') },
    )
    assert.deepEqual([broker.core.stats().workers, broker.core.stats().schedulers], [0, 0])
  })

  test('a peer that a HEARTBEAT cannot reach is gone', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    const [send] = await broker.advanceAll(3000)
    assert.ok(send !== undefined)
    await broker.feed({ type: 'undeliverable', send })
    assert.equal(broker.core.stats().workers, 0)
  })
})

describe('DISCONNECT', () => {
  const disconnect = { type: 'DISCONNECT', id: id('d') } as const

  test('from an administrator is acknowledged, says KBYE to all and stops a broker that runs nothing', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    await broker.scheduler('s1')
    const sent = await broker.say('administration', 'a1', disconnect)
    assert.deepEqual(told(sent), ['ACK d -> a1', 'KBYE -> s1', 'KBYE -> w1'])
    assert.equal(broker.stopped, true)
  })

  test('lets running jobs finish and their replies in, gives out no more, and keeps the rest', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    await broker.request('c1', 'running', { guarantee: true, replyRequested: true })
    await broker.request('c1', 'waiting', { guarantee: true })
    await broker.say('administration', 'a1', disconnect)
    assert.equal(broker.stopped, false)
    assert.deepEqual(told(await broker.ready('w1')), [])
    assert.deepEqual(told(await broker.worker('w2')), ['KBYE -> w2'])
    assert.deepEqual(told(await broker.reply('w1', 'running', '{"value": 1}')), ['REPLY running -> c1'])
    assert.equal(broker.stopped, true)
    assert.equal((await broker.store.read(id('waiting')))?.state, 'waiting')
  })

  test('does not wait for ever', async () => {
    const broker = await CoreDriver.open({ drainTimeoutMs: 5000 })
    await broker.worker('w1', undefined, 1)
    await broker.request('c1', 'running', { guarantee: true })
    await broker.say('administration', 'a1', disconnect)
    await broker.advance(4999)
    assert.equal(broker.stopped, false)
    await broker.advance(1)
    assert.equal(broker.stopped, true)
    assert.equal((await broker.store.read(id('running')))?.state, 'active')
  })

  test('from a client or a worker is refused', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1')
    assert.deepEqual(await broker.say('frontend', 'c1', disconnect), [])
    assert.deepEqual(await broker.say('backend', 'w1', disconnect), [])
    assert.equal(broker.stopped, false)
    assert.equal(broker.log.complaints.length, 2)
  })
})

test('a routing id is shown as its text, or in hex where it is no readable text', () => {
  const shown = (...codes: number[]) => peerName(routingIdOf(Uint8Array.from(codes)))
  assert.equal(peerName(routingIdOf(new TextEncoder().encode('worker-1'))), 'worker-1')
  assert.equal(peerName(routingIdOf(new TextEncoder().encode('Größe'))), 'Größe')
  assert.equal(shown(0, 0x8b, 1, 2, 3), '0x008b010203')
  assert.equal(shown(0x61, 0x0a), '0x610a')
  assert.equal(shown(), '0x')
})
