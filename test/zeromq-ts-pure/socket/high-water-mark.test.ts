// How much is kept for peers that are not there, or do not read; and what becomes of the rest.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Dealer, Publisher, Pull, Push, Subscriber } from 'zeromq-ts-pure'
import { MIB, usedBytes } from '../heap.ts'
import { bytes, hexOf, opening, ready } from '../zmtp/wire.ts'
import { EventLog } from './events.ts'
import { deadAddress, RawListener, RawPeer } from './raw-peer.ts'
import { BOUNDED, type Own, scoped } from './scope.ts'

/** Of the messages to the slow subscriber. */
const BODY_LENGTH = 4_096

/** Sends until a send is refused; gives how many were taken, and the refusal. */
async function sendUntilRefused(send: (n: number) => Promise<void>, atMost: number): Promise<[number, unknown]> {
  for (let n = 0; n < atMost; n++) {
    const refusal = await send(n).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (refusal !== undefined) return [n, refusal]
  }
  return [atMost, undefined]
}

function isEagain(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN'
}

describe('without a peer', () => {
  const limits = [
    { mark: 1, taken: 1 },
    { mark: 5, taken: 5 },
    { mark: undefined, taken: 1_000 },
  ]
  for (const { mark, taken } of limits) {
    test(`a PUSH takes exactly ${taken} messages with a mark of ${mark ?? '1,000 (the default)'}`, BOUNDED, () =>
      scoped(async (own) => {
        const push = own(
          new Push({ linger: 0, sendTimeout: 0, ...(mark === undefined ? {} : { sendHighWaterMark: mark }) }),
        )
        push.connect(await deadAddress())
        const [count, refusal] = await sendUntilRefused(() => push.send(['a', 'b', 'c']), 2_000)
        assert.equal(count, taken)
        assert.ok(isEagain(refusal))
      }),
    )
  }

  test('a mark of 0 is none', BOUNDED, () =>
    scoped(async (own) => {
      const push = own(new Push({ linger: 0, sendTimeout: 0, sendHighWaterMark: 0 }))
      push.connect(await deadAddress())
      const [count] = await sendUntilRefused(() => push.send('a'), 5_000)
      assert.equal(count, 5_000)
    }),
  )

  test('a bound PUSH or DEALER takes nothing: there is nobody to keep it for', BOUNDED, () =>
    scoped(async (own) => {
      for (const socket of [own(new Push({ sendTimeout: 0 })), own(new Dealer({ sendTimeout: 0 }))]) {
        await socket.bind('tcp://127.0.0.1:*')
        await assert.rejects(socket.send('a'), { code: 'EAGAIN' })
      }
    }),
  )

  test('messages that were taken arrive whole when the peer comes', BOUNDED, () =>
    scoped(async (own) => {
      const address = await deadAddress()
      const push = own(new Push({ sendTimeout: 0, sendHighWaterMark: 5, reconnectInterval: 10 }))
      push.connect(address)
      await sendUntilRefused((n) => push.send([`${n}`, 'b', 'c']), 100)
      const pull = own(new Pull({ receiveTimeout: 5_000 }))
      await pull.bind(address)
      for (let n = 0; n < 5; n++) assert.deepEqual((await pull.receive()).map(String), [`${n}`, 'b', 'c'])
    }),
  )
})

describe('with a peer that does not read', () => {
  const LARGE = Buffer.alloc(65_536, 'x')

  test('a send waits, and goes on once the peer reads', BOUNDED, () =>
    scoped(async (own) => {
      const listener = own(await RawListener.listen())
      const push = own(new Push({ linger: 0, sendTimeout: 0, sendHighWaterMark: 10 }))
      push.connect(listener.address)
      const peer = own(await listener.accept())
      await peer.write(opening('PULL'))
      await peer.read(64 + ready('PUSH').length)
      peer.pause()
      const [taken, refusal] = await sendUntilRefused(async () => {
        await push.send(LARGE)
        // What the system's buffers take leaves the queue in a later turn.
        await new Promise((resolve) => setImmediate(resolve))
      }, 2_000)
      assert.ok(isEagain(refusal), `${taken} taken`)
      push.sendTimeout = 5_000
      const waiting = push.send('the last')
      peer.resume()
      for (let n = 0; n < taken; n++) await peer.read(9 + LARGE.length)
      assert.equal(hexOf(await peer.read(10)), hexOf(bytes('00 08', '"the last"')))
      await waiting
    }),
  )

  test(
    'a PULL that is not read stops its peer: no more than both marks and the system hold are on the way',
    BOUNDED,
    () =>
      scoped(async (own) => {
        const pull = own(new Pull({ receiveHighWaterMark: 10, receiveTimeout: 5_000 }))
        await pull.bind('tcp://127.0.0.1:*')
        const push = own(new Push({ linger: 0, sendTimeout: 100, sendHighWaterMark: 10 }))
        push.connect(pull.lastEndpoint ?? '')
        const [taken, refusal] = await sendUntilRefused((n) => push.send([`${n}`, LARGE]), 2_000)
        assert.ok(isEagain(refusal), `${taken} taken`)
        for (let n = 0; n < taken; n++) {
          const [number, body] = await pull.receive()
          assert.equal(String(number), `${n}`)
          assert.equal(body?.length, LARGE.length)
        }
      }),
  )

  test('a mark of 1 still lets messages through, one after the other', BOUNDED, () =>
    scoped(async (own) => {
      const pull = own(new Pull({ receiveHighWaterMark: 1, receiveTimeout: 5_000 }))
      await pull.bind('tcp://127.0.0.1:*')
      const push = own(new Push({ linger: 0, sendTimeout: 5_000, sendHighWaterMark: 1 }))
      push.connect(pull.lastEndpoint ?? '')
      const sending = (async () => {
        for (let n = 0; n < 300; n++) await push.send(`${n}`)
      })()
      for (let n = 0; n < 300; n++) assert.equal(String(await pull.receive()), `${n}`)
      await sending
    }),
  )

  test('one PUSH gives to the other peer what the full one cannot take', BOUNDED, () =>
    scoped(async (own) => {
      const [stuck, open] = [own(await RawListener.listen()), own(new Pull({ receiveTimeout: 5_000 }))]
      await open.bind('tcp://127.0.0.1:*')
      const push = own(new Push({ linger: 0, sendTimeout: 5_000, sendHighWaterMark: 2 }))
      const log = new EventLog(push)
      push.connect(stuck.address)
      push.connect(open.lastEndpoint ?? '')
      const peer = own(await stuck.accept())
      await peer.write(opening('PULL'))
      await log.nth('handshake', 2)
      peer.pause()
      let received = 0
      const receiving = (async () => {
        while (received < 200) {
          await open.receive()
          received++
        }
      })()
      for (let n = 0; received < 200 && n < 2_000; n++) await push.send(LARGE)
      await receiving
    }),
  )
})

describe('a slow subscriber', () => {
  test('does not hold up the others, misses whole messages, and the publisher stays small', BOUNDED, () =>
    scoped(async (own) => {
      const count = 10_000
      const publisher = own(new Publisher({ linger: 5_000 }))
      await publisher.bind('tcp://127.0.0.1:*')
      const log = new EventLog(publisher)
      const fast = own(new Subscriber({ receiveTimeout: 5_000 }))
      fast.subscribe()
      fast.connect(publisher.lastEndpoint ?? '')
      await log.nth('handshake', 1)
      const slow = own(await RawPeer.connect(publisher.lastEndpoint ?? ''))
      await slow.write(bytes(hexOf(opening('SUB')), '04 0a 09', '"SUBSCRIBE"', '04 07 04', '"PING"', '0000'))
      // The answer to the PING shows that the subscription is there, of the fast one its first message.
      await slow.read(64 + ready('PUB').length + 7)
      slow.pause()
      let first: readonly Buffer[] | undefined
      const probe = fast.receive().then((message) => {
        first = message
      })
      while (first === undefined) {
        await publisher.send('probe')
        await Promise.race([probe, new Promise((resolve) => setImmediate(resolve))])
      }
      await publisher.send('start')
      while (String(await fast.receive()) !== 'start');

      const received = (async () => {
        for (let n = 0; n < count; n++) {
          const [number, body] = await fast.receive()
          assert.equal(String(number), `${n}`)
          assert.equal(body?.length, BODY_LENGTH)
        }
      })()
      const before = usedBytes()
      for (let n = 0; n < count; n++) {
        await publisher.send([`${n}`, Buffer.alloc(BODY_LENGTH, 's')])
        // Paced by the reader: whoever reads gets everything.
        if (n % 100 === 99) await new Promise((resolve) => setImmediate(resolve))
      }
      await received
      // 40 MiB were sent; the mark of 1,000 allows to keep 4 of them.
      const grown = usedBytes() - before
      assert.ok(grown < 12 * MIB, `${grown} bytes`)

      slow.resume()
      publisher.close()
      const rest = await slow.ended()
      const numbers = wholeMessages(rest)
      assert.ok(numbers.length >= 1_000 && numbers.length < count, `${numbers.length} messages`)
      assert.deepEqual(
        [...numbers].sort((a, b) => a - b),
        numbers,
      )
    }),
  )
})

describe('with noDrop', () => {
  /** A publisher whose only subscriber has what the system's buffers take and does not read; a send that waits for it. */
  async function waitingSend(own: Own): Promise<{ readonly peer: RawPeer; readonly waiting: Promise<void> }> {
    const publisher = own(new Publisher({ linger: 0, noDrop: true, sendTimeout: 0, sendHighWaterMark: 2 }))
    await publisher.bind('tcp://127.0.0.1:*')
    const peer = own(await RawPeer.connect(publisher.lastEndpoint ?? ''))
    await peer.write(bytes(hexOf(opening('SUB')), '04 0a 09', '"SUBSCRIBE"', '04 07 04', '"PING"', '0000'))
    await peer.read(64 + ready('PUB').length + 7)
    peer.pause()
    const [taken, refusal] = await sendUntilRefused(async () => {
      await publisher.send(Buffer.alloc(262_144))
      await new Promise((resolve) => setImmediate(resolve))
    }, 1_000)
    assert.ok(isEagain(refusal), `${taken} taken`)
    publisher.sendTimeout = 5_000
    return { peer, waiting: publisher.send('the last') }
  }

  test('a send waits for the subscriber that is behind, and goes on once it reads', BOUNDED, () =>
    scoped(async (own) => {
      const { peer, waiting } = await waitingSend(own)
      peer.resume()
      await waiting
    }),
  )

  test('a send does not wait for a subscriber that leaves', BOUNDED, () =>
    scoped(async (own) => {
      const { peer, waiting } = await waitingSend(own)
      peer.close()
      await waiting
    }),
  )
})

/** The numbers of two-part messages `<n>, BODY_LENGTH bytes` in a stream; anything else fails. Marks are passed over. */
function wholeMessages(stream: Uint8Array): readonly number[] {
  const numbers: number[] = []
  let offset = 0
  while (offset < stream.length) {
    const flags = stream[offset] ?? 0
    const length = stream[offset + 1] ?? 0
    const text = Buffer.from(stream.subarray(offset + 2, offset + 2 + length)).toString()
    offset += 2 + length
    if (flags === 0) {
      assert.match(text, /^(probe|start)$/)
      continue
    }
    assert.equal(flags, 1)
    numbers.push(Number(text))
    assert.equal(hexOf(stream.subarray(offset, offset + 9)), '020000000000001000')
    offset += 9 + BODY_LENGTH
  }
  assert.equal(offset, stream.length)
  return numbers
}
