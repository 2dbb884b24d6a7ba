// Who gets what: ROUTER by routing id, REQ and its reply, PUSH and PULL in turn.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Dealer, Pull, Push, Reply, Request, Router } from 'zeromq-ts-pure'
import { bytes, greeting, hexOf, opening, ready } from '../zmtp/wire.ts'
import { EventLog } from './events.ts'
import { deadAddress, portOf, RawListener, RawPeer } from './raw-peer.ts'
import { BOUNDED, type Own, scoped } from './scope.ts'

const RECEIVING = { receiveTimeout: 5_000, linger: 0 }
const SENDING = { sendTimeout: 5_000, linger: 0 }
const PATIENT = { ...RECEIVING, ...SENDING }

async function boundRouter(own: Own, options: ConstructorParameters<typeof Router>[0] = {}): Promise<Router> {
  const router = own(new Router({ ...PATIENT, ...options }))
  await router.bind('tcp://127.0.0.1:*')
  return router
}

function connectedDealer(own: Own, address: string | null, routingId: string): Dealer {
  const dealer = own(new Dealer({ ...PATIENT, routingId }))
  dealer.connect(address ?? '')
  return dealer
}

async function textOf(message: Promise<readonly Buffer[]>): Promise<readonly string[]> {
  return (await message).map(String)
}

test('an application may write into the routing id that it received', BOUNDED, () =>
  scoped(async (own) => {
    const router = await boundRouter(own)
    const dealer = connectedDealer(own, router.lastEndpoint, 'X')
    await dealer.send('one')
    const [id] = await router.receive()
    id?.fill('Y')
    await dealer.send('two')
    assert.deepEqual(await textOf(router.receive()), ['X', 'two'])
    await router.send(['X', 'reply'])
    assert.deepEqual(await textOf(dealer.receive()), ['reply'])
  }),
)

describe('two peers with the same routing id', () => {
  test('the first is served; nothing of the second appears, and it gets nothing', BOUNDED, () =>
    scoped(async (own) => {
      const router = await boundRouter(own)
      const log = new EventLog(router)
      const first = connectedDealer(own, router.lastEndpoint, 'X')
      await first.send('of the first')
      await log.nth('handshake', 1)
      const second = connectedDealer(own, router.lastEndpoint, 'X')
      await second.send('of the second')
      await log.nth('handshake', 2)
      await first.send('of the first again')
      assert.deepEqual(await textOf(router.receive()), ['X', 'of the first'])
      assert.deepEqual(await textOf(router.receive()), ['X', 'of the first again'])
      await router.send(['X', 'to X'])
      assert.deepEqual(await textOf(first.receive()), ['to X'])
      // A third peer's message comes last, and with it it is sure that nothing else was there.
      await connectedDealer(own, router.lastEndpoint, 'Y').send('last')
      assert.deepEqual(await textOf(router.receive()), ['Y', 'last'])
    }),
  )

  test('the second is served once the first is gone', BOUNDED, () =>
    scoped(async (own) => {
      const router = await boundRouter(own)
      const log = new EventLog(router)
      const first = connectedDealer(own, router.lastEndpoint, 'X')
      await log.nth('handshake', 1)
      const second = connectedDealer(own, router.lastEndpoint, 'X')
      await second.send('of the second')
      await log.nth('handshake', 2)
      first.close()
      assert.deepEqual(await textOf(router.receive()), ['X', 'of the second'])
      await router.send(['X', 'to X'])
      assert.deepEqual(await textOf(second.receive()), ['to X'])
    }),
  )

  test('with handover the newcomer takes over, also while the application does not read', BOUNDED, () =>
    scoped(async (own) => {
      const router = await boundRouter(own, { handover: true })
      const log = new EventLog(router)
      const first = connectedDealer(own, router.lastEndpoint, 'X')
      await log.nth('handshake', 1)
      const second = connectedDealer(own, router.lastEndpoint, 'X')
      await log.nth('handshake', 2)
      await second.send('of the second')
      assert.deepEqual(await textOf(router.receive()), ['X', 'of the second'])
      await router.send(['X', 'to X'])
      assert.deepEqual(await textOf(second.receive()), ['to X'])
      await first.send('of the first')
      await second.send('of the second again')
      assert.deepEqual(await textOf(router.receive()), ['X', 'of the second again'])
    }),
  )

  test('one after the other always works', BOUNDED, () =>
    scoped(async (own) => {
      const router = await boundRouter(own)
      const log = new EventLog(router)
      for (let round = 1; round <= 5; round++) {
        const dealer = connectedDealer(own, router.lastEndpoint, 'X')
        await dealer.send(`round ${round}`)
        assert.deepEqual(await textOf(router.receive()), ['X', `round ${round}`])
        await router.send(['X', 'seen'])
        assert.deepEqual(await textOf(dealer.receive()), ['seen'])
        dealer.close()
        await log.nth('disconnect', round)
      }
    }),
  )
})

test(
  'a message that is read after its sender left still names the sender, and a waiting namesake is next',
  BOUNDED,
  () =>
    scoped(async (own) => {
      const router = await boundRouter(own)
      const log = new EventLog(router)
      const first = connectedDealer(own, router.lastEndpoint, 'X')
      first.linger = -1
      await first.send('1')
      await first.send('2')
      await log.nth('handshake', 1)
      await connectedDealer(own, router.lastEndpoint, 'X').send('3')
      await log.nth('handshake', 2)
      first.close()
      await log.nth('disconnect')
      for (const text of ['1', '2', '3']) assert.deepEqual(await textOf(router.receive()), ['X', text])
    }),
)

describe('a message for a peer that is not there', () => {
  test('is dropped without a word by default', BOUNDED, () =>
    scoped(async (own) => {
      const router = await boundRouter(own)
      await router.send(['nobody', 'hello'])
    }),
  )

  test('is refused at once with mandatory, when there are other peers', BOUNDED, () =>
    scoped(async (own) => {
      const router = await boundRouter(own, { mandatory: true, sendTimeout: -1 })
      await connectedDealer(own, router.lastEndpoint, 'X').send('here')
      await router.receive()
      await assert.rejects(router.send(['nobody', 'hello']), { code: 'EHOSTUNREACH', errno: 113 })
    }),
  )

  test('waits with mandatory for the first peer, when there is none', BOUNDED, () =>
    scoped(async (own) => {
      const router = await boundRouter(own, { mandatory: true })
      const sent = router.send(['X', 'hello'])
      const dealer = connectedDealer(own, router.lastEndpoint, 'X')
      assert.deepEqual(await textOf(dealer.receive()), ['hello'])
      await sent
    }),
  )

  test('is refused when the first peer that comes is another one, or none comes in time', BOUNDED, () =>
    scoped(async (own) => {
      const router = await boundRouter(own, { mandatory: true })
      const sent = router.send(['nobody', 'hello'])
      connectedDealer(own, router.lastEndpoint, 'X')
      await assert.rejects(sent, { code: 'EHOSTUNREACH' })
      const alone = await boundRouter(own, { mandatory: true, sendTimeout: 20 })
      await assert.rejects(alone.send(['nobody', 'hello']), { code: 'EHOSTUNREACH' })
    }),
  )
})

describe('a peer that is behind', () => {
  const LARGE = Buffer.alloc(262_144, 'x')

  test('is told apart from one that is not there: EAGAIN while it is full, success once it reads', BOUNDED, () =>
    scoped(async (own) => {
      const router = await boundRouter(own, { mandatory: true, sendTimeout: 0, sendHighWaterMark: 10 })
      const log = new EventLog(router)
      const peer = own(await RawPeer.connect(router.lastEndpoint ?? ''))
      await peer.write(bytes(hexOf(opening('DEALER')).slice(0, 128), hexOf(ready('DEALER', 'slow'))))
      await log.nth('handshake')
      peer.pause()
      let sent = 0
      const refusal = await (async () => {
        for (; sent < 1_000; sent++) await router.send(['slow', LARGE])
      })().catch((error: unknown) => error)
      assert.ok(refusal instanceof Error && 'code' in refusal)
      assert.equal(refusal.code, 'EAGAIN')
      assert.ok(sent >= 10, `${sent} sent`)
      await assert.rejects(router.send(['nobody', 'hello']), { code: 'EHOSTUNREACH' })
      router.sendTimeout = 5_000
      const waiting = router.send(['slow', 'at last'])
      peer.resume()
      await waiting
    }),
  )

  test('and leaves: a send that waits for it with mandatory is refused then', BOUNDED, () =>
    scoped(async (own) => {
      const router = await boundRouter(own, { mandatory: true, sendTimeout: 0, sendHighWaterMark: 2 })
      const log = new EventLog(router)
      const other = own(await RawPeer.connect(router.lastEndpoint ?? ''))
      await other.write(opening('DEALER'))
      const peer = own(await RawPeer.connect(router.lastEndpoint ?? ''))
      await peer.write(bytes(hexOf(greeting()), hexOf(ready('DEALER', 'X'))))
      await log.nth('handshake', 2)
      peer.pause()
      const send = () => router.send(['X', Buffer.alloc(262_144)])
      const taken = () =>
        send().then(
          () => true,
          () => false,
        )
      // With another turn of the event loop the system's buffers take what they can.
      while (await taken()) await new Promise((resolve) => setImmediate(resolve))
      router.sendTimeout = 5_000
      const waiting = send()
      peer.close()
      await assert.rejects(waiting, { code: 'EHOSTUNREACH' })
    }),
  )

  test('loses messages without mandatory, and the send does not wait', BOUNDED, () =>
    scoped(async (own) => {
      const router = await boundRouter(own, { sendTimeout: -1, sendHighWaterMark: 2 })
      const log = new EventLog(router)
      const peer = own(await RawPeer.connect(router.lastEndpoint ?? ''))
      await peer.write(bytes(hexOf(opening('DEALER')).slice(0, 128), hexOf(ready('DEALER', 'slow'))))
      await log.nth('handshake')
      peer.pause()
      for (let i = 0; i < 200; i++) await router.send(['slow', LARGE])
    }),
  )
})

test('a ROUTER that connects learns the new routing id when its peer comes back as another', BOUNDED, () =>
  scoped(async (own) => {
    const first = own(new Dealer({ ...PATIENT, routingId: 'p1' }))
    await first.bind('tcp://127.0.0.1:*')
    const address = first.lastEndpoint ?? ''
    const router = own(new Router({ ...PATIENT, mandatory: true, reconnectInterval: 10 }))
    const log = new EventLog(router)
    router.connect(address)
    await log.nth('handshake', 1)
    await router.send(['p1', 'hello'])
    assert.deepEqual(await textOf(first.receive()), ['hello'])
    first.close()
    await log.nth('disconnect', 1)
    const second = own(new Dealer({ ...PATIENT, routingId: 'p2' }))
    await second.bind(address)
    await log.nth('handshake', 2)
    await router.send(['p2', 'hello again'])
    assert.deepEqual(await textOf(second.receive()), ['hello again'])
    await assert.rejects(router.send(['p1', 'gone']), { code: 'EHOSTUNREACH' })
  }),
)

describe('REQ', () => {
  test('relaxed and correlated gives only the reply to its last request', BOUNDED, () =>
    scoped(async (own) => {
      const address = await deadAddress()
      const request = own(new Request({ ...PATIENT, relaxed: true, correlate: true, reconnectInterval: 10 }))
      request.connect(address)
      await request.send('A')
      await request.send('B')
      const listener = own(await RawListener.listen(portOf(address)))
      const peer = own(await listener.accept())
      await peer.write(opening('ROUTER'))
      await peer.read(64 + ready('REQ', '').length)
      const wire = hexOf(await peer.read(22))
      const pattern = /^0104(?<first>[0-9a-f]{8})0100000141(?:0104)(?<second>[0-9a-f]{8})0100000142$/
      const { first, second } = pattern.exec(wire)?.groups ?? {}
      assert.ok(first !== undefined && second !== undefined, wire)
      assert.notEqual(first, second)
      await peer.write(bytes('0104', first, '0100 00 02', '"rA"', '0104', second, '0100 00 02', '"rB"'))
      assert.deepEqual(await textOf(request.receive()), ['rB'])
      await assert.rejects(
        (async () => {
          request.receiveTimeout = 0
          await request.receive()
        })(),
        { code: 'EFSM' },
      )
    }),
  )

  test('passes over replies without a delimiter, with another id, or of another peer', BOUNDED, () =>
    scoped(async (own) => {
      const listener = own(await RawListener.listen())
      const request = own(new Request({ ...PATIENT, correlate: true }))
      request.connect(listener.address)
      const peer = own(await listener.accept())
      await peer.write(opening('ROUTER'))
      await peer.read(64 + ready('REQ', '').length)
      await request.send('A')
      const id = hexOf(await peer.read(11)).slice(4, 12)
      await peer.write(
        bytes('00 02', '"no"', '01 00 00 02', '"no"', '0104 00000000 0100 00 02', '"no"', '0104', id, '00 02', '"no"'),
      )
      await peer.write(bytes('0104', id, '0100 01 01 61 00 01 62'))
      assert.deepEqual(await textOf(request.receive()), ['a', 'b'])
    }),
  )

  test('and REP keep their turns: each waits for the other', BOUNDED, () =>
    scoped(async (own) => {
      const reply = own(new Reply(PATIENT))
      await reply.bind('tcp://127.0.0.1:*')
      const request = own(new Request(PATIENT))
      request.connect(reply.lastEndpoint ?? '')
      request.receiveTimeout = 0
      await assert.rejects(request.receive(), { code: 'EFSM', errno: 156384763 })
      reply.sendTimeout = 0
      await assert.rejects(reply.send('too early'), { code: 'EFSM' })
      await request.send('question')
      request.sendTimeout = 0
      await assert.rejects(request.send('another'), { code: 'EFSM' })
      assert.deepEqual(await textOf(reply.receive()), ['question'])
      reply.receiveTimeout = 0
      await assert.rejects(reply.receive(), { code: 'EFSM' })
      await reply.send('answer')
      request.receiveTimeout = 5_000
      assert.deepEqual(await textOf(request.receive()), ['answer'])
    }),
  )

  test('of a client that left does not stop a REP: its reply is dropped and the next request served', BOUNDED, () =>
    scoped(async (own) => {
      const reply = own(new Reply(PATIENT))
      await reply.bind('tcp://127.0.0.1:*')
      const log = new EventLog(reply)
      const leaver = own(new Request(PATIENT))
      leaver.connect(reply.lastEndpoint ?? '')
      await leaver.send('question')
      await reply.receive()
      leaver.close()
      await log.nth('disconnect')
      await reply.send('to nobody')
      const request = own(new Request(PATIENT))
      request.connect(reply.lastEndpoint ?? '')
      await request.send('next')
      assert.deepEqual(await textOf(reply.receive()), ['next'])
      await reply.send('answer')
      assert.deepEqual(await textOf(request.receive()), ['answer'])
    }),
  )
})

describe('PUSH and PULL', () => {
  test('a PUSH gives to its peers in turn', BOUNDED, () =>
    scoped(async (own) => {
      const pulls = [own(new Pull(RECEIVING)), own(new Pull(RECEIVING)), own(new Pull(RECEIVING))]
      const push = own(new Push(SENDING))
      for (const pull of pulls) {
        await pull.bind('tcp://127.0.0.1:*')
        push.connect(pull.lastEndpoint ?? '')
      }
      for (let i = 0; i < 9; i++) await push.send(`${i}`)
      for (const [n, pull] of pulls.entries()) {
        for (const round of [0, 3, 6]) assert.deepEqual(await textOf(pull.receive()), [`${n + round}`])
      }
    }),
  )

  test('a PULL takes from its peers in turn, so that a busy one does not drown a quiet one', BOUNDED, () =>
    scoped(async (own) => {
      const pull = own(new Pull(RECEIVING))
      await pull.bind('tcp://127.0.0.1:*')
      const log = new EventLog(pull)
      const busy = own(await RawPeer.connect(pull.lastEndpoint ?? ''))
      await busy.write(bytes(hexOf(opening('PUSH')), '0001 62'.repeat(500)))
      const quiet = own(await RawPeer.connect(pull.lastEndpoint ?? ''))
      await quiet.write(bytes(hexOf(opening('PUSH')), '0001 71'))
      await log.nth('handshake', 2)
      const firsts = [await pull.receive(), await pull.receive(), await pull.receive()].map(String)
      assert.ok(firsts.includes('q'), firsts.join())
    }),
  )
})
