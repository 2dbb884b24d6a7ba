// What becomes of messages that were sent when their socket closes, and when it is done.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Dealer, Pull, Push, Router } from 'zeromq-ts-pure'
import { opening } from '../zmtp/wire.ts'
import { EventLog } from './events.ts'
import { deadAddress, RawListener, RawPeer } from './raw-peer.ts'
import { BOUNDED, scoped } from './scope.ts'

const PATIENT = { receiveTimeout: 5_000 }
const COUNT = 1_000

/** Milliseconds from the close of a socket until nothing of it is left. */
async function closeTime(socket: Push): Promise<number> {
  const log = new EventLog(socket)
  const startedMs = performance.now()
  socket.close()
  await log.nth('end')
  return performance.now() - startedMs
}

describe('by default', () => {
  const payload = Buffer.alloc(10_240, 'p')

  test('a socket that is closed at once still delivers all it was given, to a peer that is there', BOUNDED, () =>
    scoped(async (own) => {
      const pull = own(new Pull(PATIENT))
      await pull.bind('tcp://127.0.0.1:*')
      const push = own(new Push())
      push.connect(pull.lastEndpoint ?? '')
      for (let n = 0; n < COUNT; n++) await push.send([`${n}`, payload])
      push.close()
      for (let n = 0; n < COUNT; n++) {
        const [number, body] = await pull.receive()
        assert.equal(String(number), `${n}`)
        assert.equal(body?.length, payload.length)
      }
    }),
  )

  test('also when it is the one that was bound', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push())
      await push.bind('tcp://127.0.0.1:*')
      const pull = own(new Pull(PATIENT))
      pull.connect(push.lastEndpoint ?? '')
      for (let n = 0; n < COUNT; n++) await push.send([`${n}`, payload])
      push.close()
      for (let n = 0; n < COUNT; n++) assert.equal(String((await pull.receive())[0]), `${n}`)
    }),
  )

  test('also to a peer that comes later', BOUNDED, () =>
    scoped(async (own) => {
      const address = await deadAddress()
      const push = own(new Push({ reconnectInterval: 10 }))
      push.connect(address)
      for (let n = 0; n < COUNT; n++) await push.send(`${n}`)
      push.close()
      const pull = own(new Pull(PATIENT))
      await pull.bind(address)
      for (let n = 0; n < COUNT; n++) assert.equal(String(await pull.receive()), `${n}`)
    }),
  )

  test('also when the other side still sends', BOUNDED, () =>
    scoped(async (own) => {
      const router = own(new Router({ ...PATIENT, linger: 0 }))
      await router.bind('tcp://127.0.0.1:*')
      const dealer = own(new Dealer({ routingId: 'me' }))
      dealer.connect(router.lastEndpoint ?? '')
      await dealer.send('hello')
      await router.receive()
      for (let n = 0; n < COUNT; n++) {
        await router.send(['me', payload])
        await dealer.send(`${n}`)
      }
      dealer.close()
      for (let n = 0; n < COUNT; n++) assert.equal(String((await router.receive())[1]), `${n}`)
    }),
  )

  test('it is done at once when there is nothing to deliver', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push())
      push.connect(await deadAddress())
      assert.ok((await closeTime(push)) < 100)
    }),
  )

  test('a disconnect delivers first, too', BOUNDED, () =>
    scoped(async (own) => {
      const pull = own(new Pull(PATIENT))
      await pull.bind('tcp://127.0.0.1:*')
      const push = own(new Push())
      const address = pull.lastEndpoint ?? ''
      push.connect(address)
      for (let n = 0; n < COUNT; n++) await push.send(`${n}`)
      push.disconnect(address)
      for (let n = 0; n < COUNT; n++) assert.equal(String(await pull.receive()), `${n}`)
    }),
  )
})

describe('what is sent after an endpoint was given up goes elsewhere', () => {
  test('after a disconnect: all of it to the other peer, or it waits when there is none', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push({ linger: 0, sendTimeout: 0 }))
      const log = new EventLog(push)
      // Played by hand, so that it does not end its side when ours has ended.
      const listener = own(await RawListener.listen())
      const other = own(new Pull(PATIENT))
      await other.bind('tcp://127.0.0.1:*')
      push.connect(listener.address)
      push.connect(listener.address)
      push.connect(other.lastEndpoint ?? '')
      for (let n = 0; n < 2; n++) await own(await listener.accept()).write(opening('PULL'))
      await log.nth('handshake', 3)
      push.disconnect(listener.address)
      assert.throws(() => push.disconnect(listener.address), { code: 'ENOENT' })
      for (let n = 0; n < 20; n++) {
        await push.send(`${n}`)
        assert.equal(String(await other.receive()), `${n}`)
      }
      push.disconnect(other.lastEndpoint ?? '')
      assert.equal(push.writable, false)
      await assert.rejects(push.send('to nobody'), { code: 'EAGAIN' })
    }),
  )

  test('after an unbind: to whom the socket connected', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push({ linger: 0, sendTimeout: 0 }))
      const log = new EventLog(push)
      await push.bind('tcp://127.0.0.1:*')
      const bound = push.lastEndpoint ?? ''
      const peer = own(await RawPeer.connect(bound))
      await peer.write(opening('PULL'))
      await log.nth('handshake', 1)
      peer.pause()
      const other = own(new Pull(PATIENT))
      await other.bind('tcp://127.0.0.1:*')
      push.connect(other.lastEndpoint ?? '')
      await log.nth('handshake', 2)
      await push.unbind(bound)
      for (let n = 0; n < 20; n++) {
        await push.send(`${n}`)
        assert.equal(String(await other.receive()), `${n}`)
      }
    }),
  )
})

describe('linger', () => {
  test('of 0 ends a socket at once, whatever it holds', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push({ linger: 0 }))
      push.connect(await deadAddress())
      await push.send('lost')
      assert.ok((await closeTime(push)) < 50)
    }),
  )

  test('of 0 ends a socket soon, also when its peer does not read', BOUNDED, () =>
    scoped(async (own) => {
      for (const turns of [0, 1]) {
        const listener = own(await RawListener.listen())
        const push = own(new Push({ linger: 0, sendTimeout: 0 }))
        push.connect(listener.address)
        const peer = own(await listener.accept())
        await peer.write(opening('PULL'))
        await peer.read(64)
        peer.pause()
        while (
          await push.send(Buffer.alloc(262_144)).then(
            () => true,
            () => false,
          )
        );
        // With another turn of the event loop more of it lies in the stream.
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
        const tookMs = await closeTime(push)
        assert.ok(tookMs < 500, `${tookMs} ms`)
      }
    }),
  )

  test('of 300 ms waits so long for a peer that does not come, and not longer', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push({ linger: 300 }))
      push.connect(await deadAddress())
      await push.send('lost')
      const tookMs = await closeTime(push)
      assert.ok(tookMs >= 295 && tookMs < 600, `${tookMs} ms`)
    }),
  )

  test('of 300 ms waits so long for a peer that does not read, and not longer', BOUNDED, () =>
    scoped(async (own) => {
      const listener = own(await RawListener.listen())
      const push = own(new Push({ linger: 300, sendTimeout: 0 }))
      push.connect(listener.address)
      const peer = own(await listener.accept())
      await peer.write(opening('PULL'))
      await peer.read(64)
      peer.pause()
      const large = Buffer.alloc(262_144)
      while (
        await push.send(large).then(
          () => true,
          () => false,
        )
      );
      const tookMs = await closeTime(push)
      assert.ok(tookMs >= 295 && tookMs < 600, `${tookMs} ms`)
    }),
  )

  test('of 300 ms does not wait when everything is delivered before', BOUNDED, () =>
    scoped(async (own) => {
      const pull = own(new Pull(PATIENT))
      await pull.bind('tcp://127.0.0.1:*')
      const push = own(new Push({ linger: 300 }))
      push.connect(pull.lastEndpoint ?? '')
      await push.send('delivered')
      assert.ok((await closeTime(push)) < 250)
      assert.equal(String(await pull.receive()), 'delivered')
    }),
  )

  test('set after the connect still counts', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push())
      push.connect(await deadAddress())
      await push.send('lost')
      push.linger = 0
      assert.ok((await closeTime(push)) < 50)
    }),
  )
})

test('an unbind is done when the port is free, and the socket can be used, whatever its peers do', BOUNDED, () =>
  scoped(async (own) => {
    const push = own(new Push({ sendTimeout: 0 }))
    await push.bind('tcp://127.0.0.1:*')
    const address = push.lastEndpoint ?? ''
    const log = new EventLog(push)
    const peer = own(await RawPeer.connect(address))
    await peer.write(opening('PULL'))
    await log.nth('handshake')
    peer.pause()
    while (
      await push.send(Buffer.alloc(262_144)).then(
        () => true,
        () => false,
      )
    );
    await push.unbind(address)
    await push.bind(address)
    push.linger = 0
  }),
)

test('a port that was unbound can be bound by another socket at once', BOUNDED, () =>
  scoped(async (own) => {
    const first = own(new Pull())
    await first.bind('tcp://127.0.0.1:*')
    const address = first.lastEndpoint ?? ''
    const push = own(new Push())
    push.connect(address)
    await push.send('a')
    await first.receive()
    const log = new EventLog(push)
    await first.unbind(address)
    await log.nth('disconnect')
    const second = own(new Pull(PATIENT))
    await second.bind(address)
    await push.send('b')
    assert.equal(String(await second.receive()), 'b')
  }),
)
