// The broker's shell with real sockets: jobs go through, it starts and stops in order, and says what is in its way.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Broker, type BrokerOptions } from '@eventmq-ts/broker'
import { type MessageId, makeHeaders, parseJobResult, parseStatus, printJobResult, queueName } from '@eventmq-ts/emqp'
import { type JobStore, MemoryStore, StoreError } from '@eventmq-ts/store'
import { Peer } from './peer.ts'
import { RecordedLog } from './recorded-log.ts'

const anyPort = {
  frontendAddress: 'tcp://127.0.0.1:*',
  backendAddress: 'tcp://127.0.0.1:*',
  administrationAddress: 'tcp://127.0.0.1:*',
  drainTimeoutMs: 200,
} satisfies BrokerOptions

const payload = (text: string) => new TextEncoder().encode(text)

/** A started broker and peers of it, all ended with the test. */
async function withBroker(
  options: BrokerOptions,
  body: (broker: Broker, dial: (door: keyof Broker['addresses'], routingId?: string) => Peer) => Promise<void>,
): Promise<void> {
  const broker = new Broker({ ...anyPort, ...options })
  await broker.start()
  const peers: Peer[] = []
  try {
    await body(broker, (door, routingId) => {
      const peer = new Peer(broker.addresses[door], routingId, door === 'administration' ? 'administrator' : 'peer')
      peers.push(peer)
      return peer
    })
  } finally {
    for (const peer of peers) peer.close()
    await broker.stop()
  }
}

async function register(worker: Peer, slots: number): Promise<void> {
  const id = worker.newId()
  await worker.say({ type: 'INFORM', id, role: 'worker', queues: [{ weight: 10, name: queueName('default') }] })
  assert.equal((await worker.expect('ACK')).acknowledges, id)
  for (let i = 0; i < slots; i++) await worker.say({ type: 'READY', id: worker.newId() })
}

test('a guaranteed job is acknowledged, runs, and its result reaches the client that asked', async () => {
  await withBroker({}, async (_broker, dial) => {
    const worker = dial('backend', 'worker-1')
    const client = dial('frontend', 'client-1')
    await register(worker, 1)
    const id = client.newId()
    const headers = makeHeaders({ guarantee: true, replyRequested: true })
    await client.say({ type: 'REQUEST', id, queue: queueName('default'), headers, payload: payload('job') })
    assert.equal((await client.expect('ACK')).acknowledges, id)
    const request = await worker.expect('REQUEST')
    assert.deepEqual([request.id, request.queue, Buffer.from(request.payload).toString()], [id, 'default', 'job'])
    const result = printJobResult({ kind: 'value', value: 5 })
    await worker.say({ type: 'REPLY', kind: 'result', id: worker.newId(), request: id, payload: result })
    const reply = await client.expect('REPLY')
    assert.ok(reply.kind === 'result')
    assert.equal(reply.request, id)
    assert.deepEqual(parseJobResult(reply.payload), { kind: 'value', value: 5 })
  })
})

test('a peer without a routing id of its own is served, though the one it is given is not text', async () => {
  await withBroker({}, async (_broker, dial) => {
    const worker = dial('backend')
    const client = dial('frontend')
    await register(worker, 1)
    const headers = makeHeaders({ replyRequested: true })
    const id = client.newId()
    await client.say({ type: 'REQUEST', id, queue: queueName('default'), headers, payload: payload('job') })
    await worker.expect('REQUEST')
    await worker.say({ type: 'REPLY', kind: 'result', id: worker.newId(), request: id, payload: payload('raw') })
    const reply = await client.expect('REPLY')
    assert.equal(reply.kind, 'result')
  })
})

test('a thousand jobs of ten clients each come back once, to the client that asked', async () => {
  await withBroker({}, async (_broker, dial) => {
    const worker = dial('backend', 'worker-1')
    await register(worker, 50)
    const total = 1000
    const working = (async () => {
      for (let i = 0; i < total; i++) {
        const request = await worker.expect('REQUEST')
        await worker.say({
          type: 'REPLY',
          kind: 'result',
          id: worker.newId(),
          request: request.id,
          payload: request.payload,
        })
        await worker.say({ type: 'READY', id: worker.newId() })
      }
    })()
    const headers = makeHeaders({ replyRequested: true })
    const clients = Array.from({ length: 10 }, (_, i) => dial('frontend', `client-${i}`))
    await Promise.all(
      clients.map(async (client, c) => {
        const asked = Array.from({ length: total / 10 }, (_, j) => `job-${c}-${j}`)
        for (const id of asked) {
          await client.say({
            type: 'REQUEST',
            id: id as MessageId,
            queue: queueName('default'),
            headers,
            payload: payload(id),
          })
        }
        const answered: string[] = []
        for (let j = 0; j < asked.length; j++) {
          const reply = await client.expect('REPLY')
          assert.ok(reply.kind === 'result')
          assert.equal(Buffer.from(reply.payload).toString(), reply.request)
          answered.push(reply.request)
        }
        assert.deepEqual(answered.sort(), asked.sort())
      }),
    )
    await working
  })
})

test('an administrator stops the broker: ACK, KBYE to its peers, and it is closed', async () => {
  await withBroker({}, async (broker, dial) => {
    const worker = dial('backend', 'worker-1')
    await register(worker, 1)
    const administrator = dial('administration')
    const id = administrator.newId()
    await administrator.say({ type: 'DISCONNECT', id })
    assert.equal((await administrator.expect('ACK')).acknowledges, id)
    await worker.expect('KBYE')
    await broker.closed
  })
})

test('STATUS is answered with the keys of EventMQ and counts of ours', async () => {
  await withBroker({}, async (_broker, dial) => {
    const administrator = dial('administration')
    await administrator.say({ type: 'STATUS', id: administrator.newId() })
    const reply = await administrator.expect('REPLY')
    assert.ok(reply.kind === 'administration')
    const status = parseStatus(reply.payload)
    assert.ok(status.ok)
    assert.equal((status.value['broker'] as { phase: string }).phase, 'serving')
  })
})

test('a port that is taken is named, with the option and the variable that change it', async () => {
  await withBroker({}, async (broker) => {
    const taken = broker.addresses.backend
    const other = new Broker({ ...anyPort, backendAddress: taken })
    await assert.rejects(other.start(), (error: Error & { code: string }) => {
      assert.equal(error.code, 'BROKER_PORT_TAKEN')
      for (const part of [taken, 'backendAddress', 'EVENTMQ_BACKEND_ADDR']) assert.ok(error.message.includes(part))
      return true
    })
    await assert.rejects(other.closed, { code: 'BROKER_PORT_TAKEN' })
  })
})

test('an option that is unknown or out of range is refused by name', () => {
  assert.throws(() => new Broker({ heartbeatIntervalMs: 0 }), { code: 'BROKER_OPTION', message: /heartbeatIntervalMs/ })
  assert.throws(() => new Broker({ heartbeatInterval: 3 } as BrokerOptions), {
    code: 'BROKER_OPTION',
    message: /heartbeatInterval/,
  })
  assert.throws(() => new Broker({ frontendAddress: 'localhost' }), {
    code: 'BROKER_OPTION',
    message: /frontendAddress/,
  })
})

test('start and stop may be called again, and what was stopped does not start', async () => {
  const broker = new Broker(anyPort)
  await Promise.all([broker.start(), broker.start()])
  await Promise.all([broker.stop(), broker.stop()])
  await broker.closed
  const never = new Broker(anyPort)
  await never.stop()
  await assert.rejects(never.start(), { code: 'BROKER_STATE' })
})

test('waiting jobs are still there for the next broker on the same store', async () => {
  const store = new MemoryStore()
  const headers = makeHeaders({ guarantee: true })
  await withBroker({ store }, async (_broker, dial) => {
    const client = dial('frontend', 'client-1')
    for (const id of ['a', 'b', 'c']) {
      await client.say({
        type: 'REQUEST',
        id: id as MessageId,
        queue: queueName('default'),
        headers,
        payload: payload(id),
      })
      await client.expect('ACK')
    }
  })
  await withBroker({ store }, async (_broker, dial) => {
    const worker = dial('backend', 'worker-1')
    await register(worker, 3)
    const ids = [await worker.expect('REQUEST'), await worker.expect('REQUEST'), await worker.expect('REQUEST')]
    assert.deepEqual(
      ids.map((request) => request.id),
      ['a', 'b', 'c'],
    )
  })
})

test('nothing is acknowledged before the store has it, and a store that fails is tried again', async () => {
  const log = new RecordedLog()
  const real = new MemoryStore()
  const inner = real.commit.bind(real)
  let failures = 2
  const store: JobStore = real
  store.commit = async (batch) => {
    if (failures-- > 0) throw new StoreError('STORE_WRITE', 'the disk is full')
    return inner(batch)
  }
  await withBroker({ store, log }, async (_broker, dial) => {
    const client = dial('frontend', 'client-1')
    const headers = makeHeaders({ guarantee: true })
    const id = client.newId()
    await client.say({ type: 'REQUEST', id, queue: queueName('default'), headers, payload: payload('x') })
    assert.equal((await client.expect('ACK')).acknowledges, id)
    assert.ok(failures < 0)
    assert.equal((await real.read(id))?.state, 'waiting')
    assert.equal(log.complaints.filter(({ message }) => message.includes('the disk is full')).length, 2)
  })
})

test('a REQUEST with a bad header is refused by a REPLY that names it, if it asks for an answer', async () => {
  await withBroker({}, async (_broker, dial) => {
    const client = dial('frontend', 'client-1')
    const send = (id: string, headers: string) =>
      client.sendFrames(['', 'eMQP/1.0', 'REQUEST', id, 'default', headers, '{}'].map(payload))
    await send('asks-for-nothing', 'retry-count:abc')
    await send('asks', 'retry-count:abc, guarantee')
    const reply = await client.expect('REPLY')
    assert.ok(reply.kind === 'result')
    assert.equal(reply.request, 'asks')
    const result = parseJobResult(reply.payload)
    assert.ok(result.kind === 'error')
    assert.equal(result.error.code, 'bad-request')
    assert.match(result.error.message, /retry-count/)
  })
})

test('a guaranteed job whose worker is gone runs on another one after the next HEARTBEAT has found nobody', async () => {
  await withBroker({ heartbeatIntervalMs: 50 }, async (broker, dial) => {
    const doomed = dial('backend', 'doomed')
    await register(doomed, 1)
    const client = dial('frontend', 'client-1')
    const id = client.newId()
    const headers = makeHeaders({ guarantee: true, replyRequested: true })
    await client.say({ type: 'REQUEST', id, queue: queueName('default'), headers, payload: payload('job') })
    await doomed.expect('REQUEST')
    const other = dial('backend', 'other')
    await register(other, 1)
    doomed.close()
    const request = await other.expect('REQUEST')
    assert.deepEqual([request.id, request.headers.attempt], [id, 2])
    assert.equal(broker.stats?.workers, 1)
  })
})

test('a worker that comes back under its routing id takes over from its old connection', async () => {
  await withBroker({}, async (broker, dial) => {
    const before = dial('backend', 'worker-1')
    await register(before, 1)
    const after = dial('backend', 'worker-1')
    await register(after, 1)
    const client = dial('frontend', 'client-1')
    const headers = makeHeaders({ replyRequested: true })
    await client.say({
      type: 'REQUEST',
      id: client.newId(),
      queue: queueName('default'),
      headers,
      payload: payload('x'),
    })
    await after.expect('REQUEST')
    assert.equal(broker.stats?.workers, 1)
  })
})
