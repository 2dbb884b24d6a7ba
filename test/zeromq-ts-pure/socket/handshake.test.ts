// A live PULL or ROUTER against peers played by hand over TCP.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Dealer, Pull, Push, Router } from 'zeromq-ts-pure'
import { byteByByte } from '../zmtp/chunks.ts'
import { bytes, type GreetingFields, greeting, hexOf, opening, ready } from '../zmtp/wire.ts'
import { EventLog } from './events.ts'
import { RawListener, RawPeer } from './raw-peer.ts'
import { BOUNDED, type Own, scoped } from './scope.ts'

const GREETING_LENGTH = 64
const PULL_READY_LENGTH = ready('PULL').length

async function boundPull(own: Own, options: ConstructorParameters<typeof Pull>[0] = {}): Promise<Pull> {
  const pull = own(new Pull({ receiveTimeout: 5_000, ...options }))
  await pull.bind('tcp://127.0.0.1:*')
  return pull
}

async function connectRaw(own: Own, socket: { readonly lastEndpoint: string | null }): Promise<RawPeer> {
  return own(await RawPeer.connect(socket.lastEndpoint ?? ''))
}

/** A raw PUSH whose handshake with the PULL is done. */
async function establishedPush(own: Own, pull: Pull): Promise<RawPeer> {
  const peer = await connectRaw(own, pull)
  await peer.write(opening('PUSH'))
  await peer.read(GREETING_LENGTH + PULL_READY_LENGTH)
  return peer
}

async function receivedText(pull: Pull): Promise<readonly string[]> {
  return (await pull.receive()).map(String)
}

/** The socket still serves others after what was done to it. */
async function stillServes(own: Own, pull: Pull): Promise<void> {
  const push = own(new Push())
  push.connect(pull.lastEndpoint ?? '')
  await push.send('still there')
  assert.deepEqual(await receivedText(pull), ['still there'])
}

describe('a handshake', () => {
  const wire = bytes(hexOf(opening('PUSH')), '01 01 41 00 00')

  test('works when all comes in one piece', BOUNDED, () =>
    scoped(async (own) => {
      const pull = await boundPull(own)
      const peer = await connectRaw(own, pull)
      await peer.write(wire)
      assert.deepEqual(await receivedText(pull), ['A', ''])
    }),
  )

  test('works when every byte comes alone', BOUNDED, () =>
    scoped(async (own) => {
      const pull = await boundPull(own)
      const peer = await connectRaw(own, pull)
      await peer.writeApart(byteByByte(wire))
      assert.deepEqual(await receivedText(pull), ['A', ''])
    }),
  )

  test('does not wait for a peer that waits after its signature', BOUNDED, () =>
    scoped(async (own) => {
      const pull = await boundPull(own)
      const peer = await connectRaw(own, pull)
      await peer.write(bytes('ff 00000000000000 01 7f'))
      assert.equal(hexOf(await peer.read(11)), 'ff00000000000000017f03')
      await peer.write(greeting().subarray(10, 11))
      assert.equal(hexOf(await peer.read(53)), hexOf(greeting().subarray(11)))
    }),
  )

  test('does not wait for a server that waits, either', BOUNDED, () =>
    scoped(async (own) => {
      const listener = own(await RawListener.listen())
      const push = own(new Push({ linger: 0 }))
      push.connect(listener.address)
      const peer = own(await listener.accept())
      assert.equal(hexOf(await peer.read(11)), 'ff00000000000000017f03')
    }),
  )

  const odd: Readonly<Record<string, GreetingFields>> = {
    'another padding in the signature': { signature: 'ff00000000000004647f' },
    'minor version 9': { version: [3, 9] },
    'major version 4': { version: [4, 0] },
    'a filler that is not zero': { filler: 0x5a },
  }
  for (const [what, fields] of Object.entries(odd)) {
    test(`accepts ${what}`, BOUNDED, () =>
      scoped(async (own) => {
        const pull = await boundPull(own)
        const peer = await connectRaw(own, pull)
        await peer.write(bytes(hexOf(opening('PUSH', fields)), '00 01 5a'))
        assert.deepEqual(await receivedText(pull), ['Z'])
      }),
    )
  }

  test('accepts a property name in another case', BOUNDED, () =>
    scoped(async (own) => {
      const pull = await boundPull(own)
      const peer = await connectRaw(own, pull)
      await peer.write(
        bytes(hexOf(greeting()), '04 1a 05', '"READY"', '0b', '"socket-type"', '00000004', '"PUSH"', '00 01 5a'),
      )
      assert.deepEqual(await receivedText(pull), ['Z'])
    }),
  )
})

describe('a peer is closed, nothing of it is delivered, and others are served', () => {
  const opened = hexOf(greeting())
  const offences = {
    'a property name longer than its body': [bytes(opened, '04 12 05 5245414459 3f 536f636b65742d54797065')],
    'a property value of 4 GiB': [bytes(opened, '04 1a 05 5245414459 0b 536f636b65742d54797065 ffffffff 50555348')],
    'a command name longer than its body': [bytes(opened, '04 03 09 5245')],
    'a message before READY': [bytes(opened, '00 01 5a')],
    'a handshake frame of 4 GiB': [bytes(opened, '06 0000000100000000')],
    'a type that PULL does not talk to': [opening('SUB')],
    'mechanism PLAIN': [greeting({ mechanism: 'PLAIN' })],
    'mechanism null': [greeting({ mechanism: 'null' })],
    'an HTTP request': [bytes('"GET / HTTP/1.1"', '0d0a0d0a')],
    'a message of ZMTP 1.0': [bytes('01 00 04 00 616263')],
    'a frame of 2^64 - 1 bytes': [opening('PUSH'), bytes('02 ffffffffffffffff')],
    'a command with the MORE flag': [opening('PUSH'), bytes('05 05 04', '"PONG"')],
  }
  for (const [what, chunks] of Object.entries(offences)) {
    test(`for ${what}`, BOUNDED, () =>
      scoped(async (own) => {
        const pull = await boundPull(own)
        const log = new EventLog(pull)
        const peer = await connectRaw(own, pull)
        await peer.writeApart(chunks)
        await peer.ended()
        await log.nth('disconnect')
        await stillServes(own, pull)
      }),
    )
  }

  test('for 100 random bytes, whatever they are', BOUNDED, () =>
    scoped(async (own) => {
      const pull = await boundPull(own, { handshakeInterval: 100 })
      for (let seed = 0; seed < 8; seed++) {
        const peer = await connectRaw(own, pull)
        // The first of them begins like a greeting.
        const noise = Uint8Array.from({ length: 100 }, (_, i) =>
          i === 0 && seed === 0 ? 0xff : (i + 1) * (seed + 3) * 37,
        )
        await peer.write(noise)
        await peer.ended()
      }
      await stillServes(own, pull)
    }),
  )

  test('for saying nothing until the handshake timeout', BOUNDED, () =>
    scoped(async (own) => {
      const pull = await boundPull(own, { handshakeInterval: 100 })
      const log = new EventLog(pull)
      const startedMs = performance.now()
      const peer = await connectRaw(own, pull)
      await peer.ended()
      assert.ok(performance.now() - startedMs >= 95)
      const { error } = await log.nth('handshake:error:other')
      assert.match(error.message, /no handshake within 100 ms/)
      await log.nth('disconnect')
      assert.equal(log.types.filter((type) => type.startsWith('handshake:error')).length, 1)
      await stillServes(own, pull)
    }),
  )

  test('and the timeout is 30 seconds unless another is set', () =>
    scoped(async (own) => assert.equal(own(new Pull()).handshakeInterval, 30_000)))
})

describe('traffic', () => {
  test('a length of 8 bytes is read when all 8 are there', BOUNDED, () =>
    scoped(async (own) => {
      const pull = await boundPull(own)
      const peer = await establishedPush(own, pull)
      const pieces = ['02 00 00', '00 00 00 00 01', '00', '79'.repeat(100), '79'.repeat(156)]
      await peer.writeApart(pieces.map((piece) => bytes(piece)))
      await peer.write(bytes('00 00'))
      assert.deepEqual(await receivedText(pull), ['y'.repeat(256)])
      assert.deepEqual(await receivedText(pull), [''])
    }),
  )

  test('a PING gives a PONG with its context, of which more than 16 bytes never come back', BOUNDED, () =>
    scoped(async (own) => {
      const pull = await boundPull(own)
      const peer = await establishedPush(own, pull)
      await peer.write(bytes('04 0b 04 50494e47 0000 63747821'))
      assert.equal(hexOf(await peer.read(11)), '0409' + '04504f4e47' + '63747821')
      const sixteen = '00112233445566778899aabbccddeeff'
      await peer.write(bytes('04 17 04 50494e47 0000', sixteen))
      assert.equal(hexOf(await peer.read(23)), `041504504f4e47${sixteen}`)
      await peer.write(bytes('04 18 04 50494e47 0000', sixteen, '99'))
      assert.equal(hexOf(await peer.read(23)), `041504504f4e47${sixteen}`)
      await peer.write(bytes('00 01 5a'))
      assert.deepEqual(await receivedText(pull), ['Z'])
    }),
  )

  test('a peer that asked for a time to live of 100 ms and falls silent is given up', BOUNDED, () =>
    scoped(async (own) => {
      const pull = await boundPull(own)
      const peer = await establishedPush(own, pull)
      const startedMs = performance.now()
      await peer.write(bytes('04 07 04 50494e47 0001'))
      await peer.read(7)
      await peer.ended()
      const afterMs = performance.now() - startedMs
      assert.ok(afterMs >= 95 && afterMs < 5_000, `${afterMs} ms`)
    }),
  )

  test('a peer that asked for 65.6 seconds is not given up after 64 ms', BOUNDED, () =>
    scoped(async (own) => {
      const pull = await boundPull(own)
      const long = await establishedPush(own, pull)
      await long.write(bytes('04 07 04 50494e47 0290'))
      await long.read(7)
      // A peer with a time to live of 200 ms is the clock.
      const short = await establishedPush(own, pull)
      await short.write(bytes('04 07 04 50494e47 0002'))
      await short.ended()
      await long.write(bytes('00 01 5a'))
      assert.deepEqual(await receivedText(pull), ['Z'])
    }),
  )

  test('a PING that we send carries our time to live in tenths of a second', BOUNDED, () =>
    scoped(async (own) => {
      for (const [ttlMs, wire] of [
        [1_500, '000f'],
        [65_600, '0290'],
        [6_553_500, 'ffff'],
        [0, '0000'],
      ] as const) {
        const pull = await boundPull(own, { heartbeatInterval: 20, heartbeatTimeToLive: ttlMs })
        const peer = await establishedPush(own, pull)
        assert.equal(hexOf(await peer.read(9)), `040704${Buffer.from('PING').toString('hex')}${wire}`)
      }
      assert.throws(() => own(new Pull({ heartbeatTimeToLive: 6_553_600 })), { code: 'EINVAL' })
    }),
  )

  test('a peer that does not answer a PING in time is given up; one that answers is not', BOUNDED, () =>
    scoped(async (own) => {
      const pull = await boundPull(own, { heartbeatInterval: 50, heartbeatTimeout: 500 })
      const mute = await establishedPush(own, pull)
      const alive = await establishedPush(own, pull)
      let pings = 0
      const answering = (async () => {
        for (;;) {
          await alive.read(9)
          pings++
          await alive.write(bytes('04 05 04', '"PONG"'))
        }
      })().catch(() => undefined)
      await mute.ended()
      assert.ok(pings > 1)
      await alive.write(bytes('00 01 5a'))
      assert.deepEqual(await receivedText(pull), ['Z'])
      alive.close()
      await answering
    }),
  )

  test('of a ROUTER: a part that is longer than maxMessageSize ends its peer and no other', BOUNDED, () =>
    scoped(async (own) => {
      const router = own(new Router({ maxMessageSize: 10, receiveTimeout: 5_000 }))
      await router.bind('tcp://127.0.0.1:*')
      const dealer = own(new Dealer({ routingId: 'good' }))
      dealer.connect(router.lastEndpoint ?? '')
      const peer = await connectRaw(own, router)
      await peer.write(bytes(hexOf(opening('DEALER')), '00 0b'))
      await peer.ended()
      await dealer.send('0123456789')
      assert.deepEqual((await router.receive()).map(String), ['good', '0123456789'])
    }),
  )
})
