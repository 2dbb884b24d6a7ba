// A job's way through the core: accepted or refused, handed to a worker, its result told to the one that asked.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Send } from '@eventmq-ts/broker/core'
import { type HeaderChanges, makeHeaders, parseHeaders } from '@eventmq-ts/emqp'
import { bytes, CoreDriver, id, peer, queue, refusalCode, text, told } from './core-driver.ts'

describe('a REQUEST', () => {
  test('with guarantee is acknowledged to its client, and stored by then', async () => {
    const broker = await CoreDriver.open()
    assert.deepEqual(told(await broker.request('c1', 'job', { guarantee: true })), ['ACK job -> c1'])
    assert.equal((await broker.store.read(id('job')))?.state, 'waiting')
  })

  test('without guarantee is not acknowledged', async () => {
    const broker = await CoreDriver.open()
    assert.deepEqual(told(await broker.request('c1', 'job', { replyRequested: true })), [])
  })

  test('that rests on a write which the store refuses is not acknowledged', async () => {
    const broker = await CoreDriver.open()
    const inner = broker.store.commit.bind(broker.store)
    broker.store.commit = async (batch) => {
      await inner([])
      return { refused: batch.map((_, index) => index) }
    }
    assert.deepEqual(told(await broker.request('c1', 'job', { guarantee: true })), [])
  })

  for (const [what, headers] of [
    ['number', Array.from({ length: 63 }, (_, i) => `h${i}`).join(',')],
    ['length', 'x'.repeat(8192 - 'guarantee,'.length)],
  ] as const) {
    test(`whose headers leave no room in ${what} for the broker's own is refused, and nothing else is held up`, async () => {
      const broker = await CoreDriver.open()
      await broker.worker('w1', undefined, 1)
      const read = parseHeaders(`guarantee,${headers}`)
      assert.ok(read.ok)
      const sent = await broker.say('frontend', 'c1', {
        type: 'REQUEST',
        id: id('job'),
        queue: queue('default'),
        headers: read.value,
        payload: bytes('payload'),
      })
      assert.deepEqual(told(sent), ['REPLY job -> c1'])
      assert.equal(refusalCode(sent), 'bad-request')
      assert.deepEqual(told(await broker.request('c1', 'next')), ['REQUEST next -> w1'])
    })
  }

  test('goes to a worker as it came, bytes and all', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    const payload = new Uint8Array([0xff, 0xfe, 0, 0x80])
    const [send] = await broker.request('c1', 'job', { replyRequested: true, timeoutSeconds: 5 }, { payload })
    assert.ok(send?.command.type === 'REQUEST')
    assert.deepEqual(
      [send.endpoint, send.to, send.command.id, send.command.queue, send.command.headers.text],
      ['backend', 'w1', 'job', 'default', 'reply-requested,timeout:5'],
    )
    assert.deepEqual(send.command.payload, payload)
  })

  const forwarded: [HeaderChanges, string][] = [
    [{}, ''],
    [{ timeoutSeconds: 1 }, 'timeout:1'],
    [{ replyRequested: true }, 'reply-requested'],
    [{ guarantee: true }, 'guarantee,reply-requested'],
    [{ retryCount: 2 }, 'retry-count:2,reply-requested'],
    [{ guarantee: true, replyRequested: true, retryCount: 2 }, 'reply-requested,guarantee,retry-count:2'],
  ]
  for (const [headers, expected] of forwarded) {
    test(`with headers ${JSON.stringify(headers)} reaches the worker with "${expected}"`, async () => {
      const broker = await CoreDriver.open()
      await broker.worker('w1', undefined, 1)
      const sent = await broker.request('c1', 'job', headers)
      const request = sent.find(({ command }) => command.type === 'REQUEST')?.command
      assert.ok(request?.type === 'REQUEST')
      assert.equal(request.headers.text, expected)
    })
  }

  test('sent again under the same id is acknowledged again and runs once', async () => {
    const broker = await CoreDriver.open()
    await broker.request('c1', 'job', { guarantee: true })
    assert.deepEqual(told(await broker.request('c1', 'job', { guarantee: true })), ['ACK job -> c1'])
    assert.deepEqual(told(await broker.worker('w1', undefined, 2)).slice(1), ['REQUEST job -> w1'])
    assert.deepEqual(told(await broker.request('c1', 'job', { guarantee: true })), ['ACK job -> c1'])
    await broker.reply('w1', 'job', '{"value": 1}')
    assert.deepEqual(told(await broker.request('c1', 'job', { guarantee: true })), ['ACK job -> c1'])
  })

  test('twice in one turn is stored once', async () => {
    const broker = await CoreDriver.open()
    const headers = makeHeaders({ guarantee: true })
    const queueOf = queue('default')
    const input = {
      type: 'message',
      endpoint: 'frontend',
      from: peer('c1'),
      command: { type: 'REQUEST', id: id('job'), queue: queueOf, headers, payload: bytes('x') },
    } as const
    assert.deepEqual(told(await broker.feed(input, input)), ['ACK job -> c1', 'ACK job -> c1'])
    assert.equal(broker.core.stats().waiting, 1)
  })

  test('asked again under a new routing id is answered there', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    await broker.request('c1', 'job', { guarantee: true, replyRequested: true })
    await broker.request('c2', 'job', { guarantee: true, replyRequested: true })
    assert.deepEqual(told(await broker.reply('w1', 'job', '{"value": 1}')), ['REPLY job -> c2'])
  })

  test('asked again after its end is answered with the result that was kept', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    await broker.request('c1', 'job', { guarantee: true, replyRequested: true })
    await broker.reply('w1', 'job', '{"value": 7}')
    const sent = await broker.request('c2', 'job', { guarantee: true, replyRequested: true })
    assert.deepEqual(told(sent), ['ACK job -> c2', 'REPLY job -> c2'])
    const reply = sent[1]?.command
    assert.ok(reply?.type === 'REPLY' && reply.kind === 'result')
    assert.equal(text(reply.payload), '{"value": 7}')
  })

  test('is new again once its id has been forgotten', async () => {
    const broker = await CoreDriver.open({ doneKeepMs: 5000 })
    await broker.worker('w1', undefined, 1)
    await broker.request('c1', 'job', { guarantee: true })
    await broker.reply('w1', 'job', '{"value": 7}')
    for (let i = 0; i < 4; i++) {
      await broker.advance(3000)
      await broker.ready('w1')
    }
    assert.deepEqual(told(await broker.request('c1', 'job', { guarantee: true })), [
      'ACK job -> c1',
      'REQUEST job -> w1',
    ])
  })
})

describe('a REQUEST is refused', () => {
  const refusals: {
    why: string
    code: string
    ask: (broker: CoreDriver, headers: HeaderChanges) => Promise<readonly Send[]>
  }[] = [
    {
      why: 'when its payload is too large',
      code: 'too-large',
      ask: (broker, headers) => broker.request('c1', 'job', headers, { payload: new Uint8Array(1001) }),
    },
    {
      why: 'when its queue is full',
      code: 'queue-full',
      ask: async (broker, headers) => {
        for (let i = 0; i < 5; i++) await broker.request('c2', `before-${i}`, i > 2 ? { delaySeconds: 9 } : {})
        return broker.request('c1', 'job', headers)
      },
    },
    {
      why: 'when there are too many queues',
      code: 'too-many-queues',
      ask: async (broker, headers) => {
        for (const name of ['a', 'b', 'c']) await broker.request('c2', `in-${name}`, {}, { queue: name })
        return broker.request('c1', 'job', headers, { queue: 'd' })
      },
    },
    {
      why: 'when it asks for unique',
      code: 'unsupported',
      ask: (broker, headers) => broker.request('c1', 'job', { ...headers, unique: 'key' }),
    },
    {
      why: 'while the broker drains',
      code: 'draining',
      ask: async (broker, headers) => {
        await broker.feed({ type: 'stop' })
        return broker.request('c1', 'job', headers)
      },
    },
  ]
  for (const { why, code, ask } of refusals) {
    test(`${why}: its client is told, if it asked for any answer`, async () => {
      const limits = { maxQueueDepth: 5, maxQueues: 3 }
      for (const headers of [{ guarantee: true }, { replyRequested: true }]) {
        const broker = await CoreDriver.open(limits)
        const sent = await ask(broker, headers)
        assert.deepEqual(told(sent), ['REPLY job -> c1'])
        assert.equal(refusalCode(sent), code)
        assert.equal(await broker.store.read(id('job')), undefined)
      }
      const broker = await CoreDriver.open(limits)
      assert.deepEqual(told(await ask(broker, {})), [])
      assert.equal(broker.log.complaints.length, 1)
      assert.match(broker.log.complaints[0]?.message ?? '', /job/)
    })
  }
})

describe('a result', () => {
  test('is told once, to the client that asked, and is final', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    await broker.request('c1', 'job', { replyRequested: true })
    assert.deepEqual(told(await broker.reply('w1', 'job', '{"value": 1}')), ['REPLY job -> c1'])
    assert.deepEqual(told(await broker.reply('w1', 'job', '{"value": 2}')), [])
    assert.equal(text((await broker.store.read(id('job')))?.outcome?.result ?? bytes('')), '{"value": 1}')
    assert.equal(broker.core.stats().lateReplies, 1)
  })

  test('is not told to a client that did not ask, though the broker did', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    await broker.request('c1', 'job', { guarantee: true })
    assert.deepEqual(told(await broker.reply('w1', 'job', '{"value": 1}')), [])
    assert.equal((await broker.store.read(id('job')))?.state, 'done')
  })

  test('of bytes that are no JSON is passed on as it is', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    await broker.request('c1', 'job', { replyRequested: true })
    const payload = new Uint8Array([0xff, 0, 0x7b])
    const [sent] = await broker.say('backend', 'w1', {
      type: 'REPLY',
      kind: 'result',
      id: id('r'),
      request: id('job'),
      payload,
    })
    assert.ok(sent?.command.type === 'REPLY' && sent.command.kind === 'result')
    assert.deepEqual(sent.command.payload, payload)
  })

  test('whose client is not there is kept, and sent when that client says anything again', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    await broker.request('c1', 'job', { replyRequested: true })
    const [send] = await broker.reply('w1', 'job', '{"value": 1}')
    assert.ok(send !== undefined)
    await broker.feed({ type: 'undeliverable', send })
    assert.equal(broker.core.stats().repliesOwed, 1)
    assert.deepEqual(told(await broker.request('c2', 'other')), [])
    assert.deepEqual(told(await broker.request('c1', 'next')), ['REPLY job -> c1'])
    assert.equal(broker.core.stats().repliesOwed, 0)
    assert.deepEqual(told(await broker.request('c1', 'one-more')), [])
  })

  test('from a worker that does not run the job changes nothing', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    await broker.worker('w2')
    await broker.request('c1', 'job', { replyRequested: true })
    assert.deepEqual(told(await broker.reply('w2', 'job', '{"value": 1}')), [])
    assert.deepEqual(told(await broker.reply('w2', 'never-sent', '{"value": 1}')), [])
    assert.equal((await broker.store.read(id('job')))?.state, 'active')
    assert.deepEqual(told(await broker.reply('w1', 'job', '{"value": 1}')), ['REPLY job -> c1'])
  })

  test('in the layout of 2016, without the id of its REQUEST, is that of the job under its own id', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 1)
    await broker.request('c1', 'job', { replyRequested: true })
    const sent = await broker.say('backend', 'w1', {
      type: 'REPLY',
      kind: 'payload',
      id: id('job'),
      payload: bytes('{"value": 1}'),
    })
    assert.deepEqual(told(sent), ['REPLY job -> c1'])
  })
})

describe('progress', () => {
  test('goes to the client that asked for it by header, and to no other', async () => {
    const broker = await CoreDriver.open()
    await broker.worker('w1', undefined, 2)
    await broker.request('c1', 'a', { replyRequested: true, progress: true })
    await broker.request('c1', 'b', { replyRequested: true })
    const progress = (job: string) =>
      broker.say('backend', 'w1', { type: 'PROGRESS', id: id('p'), request: id(job), payload: bytes('50') })
    assert.deepEqual(told(await progress('a')), ['PROGRESS a -> c1'])
    assert.deepEqual(told(await progress('b')), [])
    assert.deepEqual(told(await progress('none')), [])
  })
})
