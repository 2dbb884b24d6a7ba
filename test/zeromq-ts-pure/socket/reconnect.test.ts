// Connections that are lost, refused or not there yet.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Dealer, Pull, Push } from 'zeromq-ts-pure'
import { bytes, opening } from '../zmtp/wire.ts'
import { EventLog } from './events.ts'
import { deadAddress, RawListener, RawPeer } from './raw-peer.ts'
import { BOUNDED, scoped } from './scope.ts'

const PATIENT = { receiveTimeout: 5_000 }

describe('a dead endpoint', () => {
  test('is tried again after waits that double up to the maximum', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push({ linger: 0, reconnectInterval: 10, reconnectMaxInterval: 60 }))
      const log = new EventLog(push)
      push.connect(await deadAddress())
      for (const [n, base] of [10, 20, 40, 60, 60].entries()) {
        const { interval } = await log.nth('connect:retry', n + 1)
        assert.ok(interval >= base && interval <= Math.min(base + 10, 60), `wait ${n + 1}: ${interval} ms`)
      }
      assert.deepEqual(log.types.slice(0, 6), [
        'connect:delay',
        'close',
        'connect:retry',
        'connect:delay',
        'close',
        'connect:retry',
      ])
    }),
  )

  test('is not tried in a busy loop when the interval is 0', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push({ linger: 0, reconnectInterval: 0 }))
      const log = new EventLog(push)
      const startedMs = performance.now()
      push.connect(await deadAddress())
      await log.nth('connect:retry', 6)
      assert.ok(performance.now() - startedMs >= 45)
    }),
  )

  test('is not tried again when the interval is -1', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push({ linger: 0, reconnectInterval: -1 }))
      const log = new EventLog(push)
      push.connect(await deadAddress())
      await log.nth('close')
      // Another socket that does try again, as the clock.
      const other = own(new Push({ linger: 0, reconnectInterval: 10 }))
      const clock = new EventLog(other)
      other.connect(await deadAddress())
      await clock.nth('connect:retry', 3)
      assert.deepEqual(log.types, ['connect:delay', 'close'])
    }),
  )

  test('with an interval of -1 does not keep a socket from its end, whatever is unsent', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push({ reconnectInterval: -1 }))
      const log = new EventLog(push)
      push.connect(await deadAddress())
      await push.send('lost')
      await log.nth('close')
      push.close()
      await log.nth('end')
    }),
  )

  test('that comes up gets what was sent before', BOUNDED, () =>
    scoped(async (own) => {
      const address = await deadAddress()
      const push = own(new Push({ reconnectInterval: 10 }))
      const log = new EventLog(push)
      push.connect(address)
      await push.send(['early', 'message'])
      await log.nth('connect:retry')
      const pull = own(new Pull(PATIENT))
      await pull.bind(address)
      assert.deepEqual((await pull.receive()).map(String), ['early', 'message'])
    }),
  )

  test('takes nothing with immediate, until its connection is up', BOUNDED, () =>
    scoped(async (own) => {
      const address = await deadAddress()
      const push = own(new Push({ linger: 0, immediate: true, sendTimeout: 0, reconnectInterval: 10 }))
      push.connect(address)
      await assert.rejects(push.send('too early'), { code: 'EAGAIN' })
      const pull = own(new Pull(PATIENT))
      await pull.bind(address)
      push.sendTimeout = 5_000
      await push.send('now')
      assert.deepEqual((await pull.receive()).map(String), ['now'])
    }),
  )

  test('whose name does not resolve is retried like any other', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push({ linger: 0, reconnectInterval: 10 }))
      const log = new EventLog(push)
      // A label of more than 63 characters is no host name, which the resolver says without asking anybody.
      push.connect(`tcp://${'x'.repeat(64)}.invalid:1`)
      await log.nth('connect:retry', 2)
    }),
  )
})

describe('a server that takes the connection and ends it in the handshake', () => {
  const refusals: Readonly<Record<string, Uint8Array | undefined>> = {
    'at once': undefined,
    'after bytes that are no ZMTP': bytes('"HTTP/1.1 400 Bad Request"', '0d0a0d0a'),
    'after a type that does not fit': opening('SUB'),
  }
  for (const [how, answer] of Object.entries(refusals)) {
    test(`${how} is tried again with growing waits, not in a loop`, BOUNDED, () =>
      scoped(async (own) => {
        const listener = own(await RawListener.listen())
        const push = own(new Push({ linger: 0, reconnectInterval: 10, reconnectMaxInterval: 80 }))
        const log = new EventLog(push)
        push.connect(listener.address)
        for (const [n, base] of [10, 20, 40, 80].entries()) {
          const peer = own(await listener.accept())
          if (answer === undefined) peer.close()
          else await peer.write(answer)
          const { interval } = await log.nth('connect:retry', n + 1)
          assert.ok(interval >= base && interval <= Math.min(base + 10, 80), `wait ${n + 1}: ${interval} ms`)
        }
        assert.equal(log.types.filter((type) => type.startsWith('handshake:error')).length, 4)
        assert.equal(log.types.filter((type) => type === 'disconnect').length, 4)
      }),
    )
  }

  test('does not lose what waits: the next connection gets it', BOUNDED, () =>
    scoped(async (own) => {
      const listener = own(await RawListener.listen())
      const push = own(new Push({ reconnectInterval: 10 }))
      push.connect(listener.address)
      await push.send('kept')
      const refused = own(await listener.accept())
      refused.close()
      const peer = own(await listener.accept())
      await peer.write(opening('PULL'))
      await peer.read(64 + 28)
      assert.equal(Buffer.from(await peer.read(6)).toString('latin1'), '\0\x04kept')
    }),
  )
})

test('after a success the waits start small again', BOUNDED, () =>
  scoped(async (own) => {
    const listener = own(await RawListener.listen())
    const push = own(new Push({ linger: 0, reconnectInterval: 10, reconnectMaxInterval: 5_000 }))
    const log = new EventLog(push)
    push.connect(listener.address)
    for (let refusal = 0; refusal < 3; refusal++) own(await listener.accept()).close()
    const peer = own(await listener.accept())
    await peer.write(opening('PULL'))
    await log.nth('handshake')
    peer.close()
    const { interval } = await log.nth('connect:retry', 4)
    assert.ok(interval >= 10 && interval <= 20, `${interval} ms`)
  }),
)

test(
  'with an interval of -1 a lost connection is forgotten: nothing is sent there, and it can be connected again',
  BOUNDED,
  () =>
    scoped(async (own) => {
      const listener = own(await RawListener.listen())
      const dealer = own(new Dealer({ reconnectInterval: -1, sendTimeout: 0 }))
      const log = new EventLog(dealer)
      for (let round = 1; round <= 2; round++) {
        dealer.connect(listener.address)
        const peer = own(await listener.accept())
        await peer.write(opening('DEALER'))
        await log.nth('handshake', round)
        peer.close()
        await log.nth('disconnect', round)
        await assert.rejects(dealer.send('to nobody'), { code: 'EAGAIN' })
        assert.throws(() => dealer.disconnect(listener.address), { code: 'ENOENT' })
      }
      dealer.close()
      await log.nth('end')
    }),
)

test('a server that comes back is served on, whoever sends first', BOUNDED, () =>
  scoped(async (own) => {
    const dealer = own(new Dealer({ ...PATIENT, reconnectInterval: 10, linger: 0 }))
    const log = new EventLog(dealer)
    let server = own(new Dealer({ ...PATIENT, linger: 0 }))
    await server.bind('tcp://127.0.0.1:*')
    const address = server.lastEndpoint ?? ''
    dealer.connect(address)
    for (let round = 1; round <= 4; round++) {
      await log.nth('handshake', round)
      await dealer.send(`there ${round}`)
      assert.equal(String(await server.receive()), `there ${round}`)
      await server.send(`back ${round}`)
      assert.equal(String(await dealer.receive()), `back ${round}`)
      server.close()
      await log.nth('disconnect', round)
      server = own(new Dealer({ ...PATIENT, linger: 0 }))
      await server.bind(address)
    }
  }),
)

test('a socket that is closed while it waits to reconnect is done at once', BOUNDED, () =>
  scoped(async (own) => {
    const push = own(new Push({ linger: 0, reconnectInterval: 60_000 }))
    const log = new EventLog(push)
    push.connect(await deadAddress())
    await log.nth('connect:retry')
    push.close()
    await log.nth('end')
  }),
)

test('disconnect ends the retries, and its address can be connected again', BOUNDED, () =>
  scoped(async (own) => {
    const pull = own(new Pull(PATIENT))
    await pull.bind('tcp://127.0.0.1:*')
    const address = pull.lastEndpoint ?? ''
    const push = own(new Push({ linger: 0 }))
    push.connect(address)
    await push.send('first')
    assert.equal(String(await pull.receive()), 'first')
    push.disconnect(address)
    assert.throws(() => push.disconnect(address), { code: 'ENOENT' })
    push.connect(address)
    await push.send('second')
    assert.equal(String(await pull.receive()), 'second')
    assert.ok(await RawPeer.connect(address).then((peer) => own(peer)))
  }),
)
