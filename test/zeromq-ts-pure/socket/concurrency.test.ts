// Operations that overlap, consumers that fail, and an event loop that must keep turning.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Dealer, Publisher, Pull, Push, Router } from 'zeromq-ts-pure'
import { MIB, usedBytes } from '../heap.ts'
import { bytes, hexOf, opening } from '../zmtp/wire.ts'
import { EventLog } from './events.ts'
import { deadAddress, RawPeer } from './raw-peer.ts'
import { BOUNDED, type Own, scoped } from './scope.ts'

const PATIENT = { receiveTimeout: 5_000 }

async function pushAndPull(own: Own, options: ConstructorParameters<typeof Push>[0]): Promise<readonly [Push, Pull]> {
  const pull = own(new Pull(PATIENT))
  await pull.bind('tcp://127.0.0.1:*')
  const push = own(new Push({ linger: 0, ...options }))
  push.connect(pull.lastEndpoint ?? '')
  return [push, pull]
}

describe('1,000 sends without await', () => {
  for (const sendHighWaterMark of [1_000, 10]) {
    test(`arrive once each, in order, with queueOperations and a mark of ${sendHighWaterMark}`, BOUNDED, () =>
      scoped(async (own) => {
        const [push, pull] = await pushAndPull(own, { queueOperations: true, sendHighWaterMark })
        const sends = Array.from({ length: 1_000 }, (_, n) => push.send(`${n}`))
        for (let n = 0; n < 1_000; n++) assert.equal(String(await pull.receive()), `${n}`)
        await Promise.all(sends)
      }),
    )
  }

  test(
    'are taken or refused one by one without queueOperations: what was taken arrives, nothing is lost unsaid',
    BOUNDED,
    () =>
      scoped(async (own) => {
        const [push, pull] = await pushAndPull(own, { sendHighWaterMark: 10, sendTimeout: 5_000 })
        const taken: Promise<string>[] = []
        let refused = 0
        for (let n = 0; n < 1_000; n++) {
          try {
            taken.push(push.send(`${n}`).then(() => `${n}`))
          } catch (error) {
            assert.ok(error instanceof Error && 'code' in error)
            assert.equal(error.code, 'EBUSY')
            refused++
          }
        }
        assert.equal(taken.length + refused, 1_000)
        assert.ok(refused > 0)
        const arrived: string[] = []
        while (arrived.length < taken.length) arrived.push(String(await pull.receive()))
        assert.deepEqual(arrived, await Promise.all(taken))
      }),
  )

  test('fail all when the socket closes before they could be taken', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push({ queueOperations: true, linger: 0 }))
      const sends = Array.from({ length: 1_000 }, (_, n) => push.send(`${n}`))
      const outcomes = Promise.allSettled(sends)
      push.close()
      for (const outcome of await outcomes) assert.equal(outcome.status, 'rejected')
    }),
  )

  test('pass over a message without parts, which is none', BOUNDED, () =>
    scoped(async (own) => {
      const pull = own(new Pull(PATIENT))
      await pull.bind('tcp://127.0.0.1:*')
      const push = own(new Push({ queueOperations: true, linger: 0 }))
      const sends = [push.send('1'), push.send([]), push.send('2')]
      push.connect(pull.lastEndpoint ?? '')
      await Promise.all(sends)
      for (const text of ['1', '2']) assert.equal(String(await pull.receive()), text)
    }),
  )

  test('time out each by itself', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push({ queueOperations: true, linger: 0, sendTimeout: 20 }))
      const sends = Array.from({ length: 100 }, (_, n) => push.send(`${n}`))
      for (const send of sends) await assert.rejects(send, { code: 'EAGAIN' })
    }),
  )
})

test('100,000 waiting sends, the most that may wait, are let go without holding up the process', BOUNDED, () =>
  scoped(async (own) => {
    const push = own(new Push({ queueOperations: true, linger: 0 }))
    const outcomes = Promise.allSettled(Array.from({ length: 100_000 }, (_, n) => push.send(`${n}`)))
    assert.throws(() => push.send('one too many'), { code: 'EBUSY' })
    // Collecting 100,000 stack traces would take longer than what is measured here.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    const startedMs = performance.now()
    push.close()
    const tookMs = performance.now() - startedMs
    Error.stackTraceLimit = stackTraceLimit
    assert.ok(tookMs < 1_000, `${tookMs} ms`)
    assert.ok((await outcomes).every(({ status }) => status === 'rejected'))
  }),
)

describe('many receives at once', () => {
  test('are served in order with queueOperations', BOUNDED, () =>
    scoped(async (own) => {
      const pull = own(new Pull({ ...PATIENT, queueOperations: true }))
      await pull.bind('tcp://127.0.0.1:*')
      const receives = Array.from({ length: 100 }, () => pull.receive())
      const push = own(new Push())
      push.connect(pull.lastEndpoint ?? '')
      for (let n = 0; n < 100; n++) await push.send(`${n}`)
      assert.deepEqual(
        (await Promise.all(receives)).map(String),
        Array.from({ length: 100 }, (_, n) => `${n}`),
      )
    }),
  )

  test('are refused at once without it, and the first is still served', BOUNDED, () =>
    scoped(async (own) => {
      const [push, pull] = await pushAndPull(own, {})
      const first = pull.receive()
      assert.throws(() => pull.receive(), { code: 'EBUSY', errno: 16 })
      await push.send('for the first')
      assert.equal(String(await first), 'for the first')
    }),
  )
})

test('a send and a receive of one socket may be pending at the same time', BOUNDED, () =>
  scoped(async (own) => {
    const dealer = own(new Dealer({ ...PATIENT, sendTimeout: 5_000, linger: 0 }))
    await dealer.bind('tcp://127.0.0.1:*')
    const both = Promise.all([dealer.send('out'), dealer.receive()])
    const peer = own(new Dealer({ ...PATIENT, linger: 0 }))
    peer.connect(dealer.lastEndpoint ?? '')
    await peer.send('in')
    assert.equal(String((await both)[1]), 'in')
    assert.equal(String(await peer.receive()), 'out')
  }),
)

test('a consumer that fails on one message leaves the next ones to the next consumer', BOUNDED, () =>
  scoped(async (own) => {
    const [push, pull] = await pushAndPull(own, {})
    for (const text of ['1', '2', '3']) await push.send(text)
    const consume = async () => {
      for await (const [part] of pull) throw new Error(`failed on ${part}`)
    }
    await assert.rejects(consume, { message: 'failed on 1' })
    const rest: string[] = []
    for await (const [part] of pull) {
      rest.push(String(part))
      if (rest.length === 2) break
    }
    assert.deepEqual(rest, ['2', '3'])
    assert.equal(pull.closed, false)
  }),
)

test('a loop over messages ends when the socket is closed, by itself and without an error', BOUNDED, () =>
  scoped(async (own) => {
    const [push, pull] = await pushAndPull(own, {})
    const seen: string[] = []
    const loop = (async () => {
      for await (const [part] of pull) {
        seen.push(String(part))
        if (seen.length === 2) pull.close()
      }
    })()
    await push.send('1')
    await push.send('2')
    await loop
    assert.deepEqual(seen, ['1', '2'])
  }),
)

describe('the event loop keeps turning', () => {
  /** The longest time by which a 10 ms timer came late while something was done. */
  async function longestLag(work: () => Promise<unknown>): Promise<number> {
    let expectedMs = performance.now() + 10
    let longestMs = 0
    const tick = () => {
      const now = performance.now()
      longestMs = Math.max(longestMs, now - expectedMs)
      expectedMs = now + 10
    }
    const timer = setInterval(tick, 10)
    await work()
    tick()
    clearInterval(timer)
    return longestMs
  }

  test('while a PULL is flooded with 200,000 messages', BOUNDED, () =>
    scoped(async (own) => {
      const pull = own(new Pull(PATIENT))
      await pull.bind('tcp://127.0.0.1:*')
      const peer = own(await RawPeer.connect(pull.lastEndpoint ?? ''))
      const frames = bytes('00 04', '"data"')
      const batch = new Uint8Array(Buffer.concat(Array.from({ length: 10_000 }, () => frames)))
      let received = 0
      const lagMs = await longestLag(async () => {
        const sending = (async () => {
          await peer.write(opening('PUSH'))
          for (let n = 0; n < 20; n++) await peer.write(batch)
        })()
        for (; received < 200_000; received++) await pull.receive()
        await sending
      })
      assert.ok(lagMs < 250, `${lagMs} ms`)
    }),
  )

  test('while a PUB without subscribers is sent 1,000,000 messages, and its memory stays', BOUNDED, () =>
    scoped(async (own) => {
      const publisher = own(new Publisher({ linger: 0 }))
      await publisher.bind('tcp://127.0.0.1:*')
      const before = usedBytes()
      const lagMs = await longestLag(async () => {
        for (let n = 0; n < 1_000_000; n++) await publisher.send('into the void')
      })
      assert.ok(lagMs < 250, `${lagMs} ms`)
      const grown = usedBytes() - before
      assert.ok(grown < 20 * MIB, `${grown} bytes`)
    }),
  )
})

describe('memory stays', () => {
  const CYCLES = 2_000

  test(`over ${CYCLES} sockets that connect and close`, BOUNDED, () =>
    scoped(async (own) => {
      const router = own(new Router())
      await router.bind('tcp://127.0.0.1:*')
      const dead = await deadAddress()
      const before = usedBytes()
      for (let n = 0; n < CYCLES; n++) {
        const dealer = new Dealer({ linger: 0 })
        dealer.connect(n % 2 === 0 ? (router.lastEndpoint ?? '') : dead)
        dealer.close()
        if (n % 50 === 49) await new Promise((resolve) => setImmediate(resolve))
      }
      const grown = usedBytes() - before
      assert.ok(grown < 20 * MIB, `${grown} bytes`)
    }),
  )

  test('over 300 peers that shake hands, send, and leave; and none of them stays in the ROUTER', BOUNDED, () =>
    scoped(async (own) => {
      const router = own(new Router({ ...PATIENT, mandatory: true }))
      await router.bind('tcp://127.0.0.1:*')
      const log = new EventLog(router)
      const before = usedBytes()
      for (let n = 1; n <= 300; n++) {
        const dealer = new Dealer({ linger: 0, routingId: `dealer ${n}` })
        dealer.connect(router.lastEndpoint ?? '')
        await dealer.send('hello')
        assert.equal(String((await router.receive())[0]), `dealer ${n}`)
        dealer.close()
        await log.nth('disconnect', n)
      }
      const grown = usedBytes() - before
      assert.ok(grown < 20 * MIB, `${grown} bytes`)
      router.sendTimeout = 20
      await assert.rejects(router.send(['dealer 1', 'hello']), { code: 'EHOSTUNREACH' })
      assert.equal(router.writable, false)
    }),
  )

  test('when a peer asks for PONGs without end and reads none: it is given up', { timeout: 60_000 }, () =>
    scoped(async (own) => {
      const pull = own(new Pull(PATIENT))
      await pull.bind('tcp://127.0.0.1:*')
      const log = new EventLog(pull)
      const peer = own(await RawPeer.connect(pull.lastEndpoint ?? ''))
      await peer.write(opening('PUSH'))
      await log.nth('handshake')
      peer.pause()
      const ping = hexOf(bytes('04 17 04', '"PING"', '0000', '"0123456789abcdef"'))
      const pings = bytes(ping.repeat(10_000))
      let over = false
      const ended = log.nth('disconnect').then(() => {
        over = true
      })
      while (!over) await Promise.race([peer.writeApart([pings]), ended])
    }),
  )
})
