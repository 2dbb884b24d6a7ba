// SUB and PUB: what goes over the wire for subscriptions, and which messages come of them.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Publisher, Subscriber } from 'zeromq-ts-pure'
import { bytes, hexOf, opening, ready } from '../zmtp/wire.ts'
import { EventLog } from './events.ts'
import { RawListener, RawPeer } from './raw-peer.ts'
import { BOUNDED, type Own, scoped } from './scope.ts'

const SUB_OPENING_LENGTH = 64 + ready('SUB').length
const PUB_OPENING_LENGTH = 64 + ready('PUB').length

function command(name: 'SUBSCRIBE' | 'CANCEL', topic: string): Uint8Array {
  const length = (1 + name.length + topic.length).toString(16).padStart(2, '0')
  return bytes('04', length, name.length.toString(16).padStart(2, '0'), `"${name}"`, `"${topic}"`)
}

async function readCommands(peer: RawPeer, ...commands: readonly Uint8Array[]): Promise<void> {
  for (const expected of commands) assert.equal(hexOf(await peer.read(expected.length)), hexOf(expected))
}

/** A SUB with a publisher that is played by hand. */
async function subscriberOfRaw(own: Own): Promise<{ readonly subscriber: Subscriber; readonly peer: RawPeer }> {
  const listener = own(await RawListener.listen())
  const subscriber = own(new Subscriber({ receiveTimeout: 5_000 }))
  subscriber.connect(listener.address)
  const peer = own(await listener.accept())
  await peer.write(opening('PUB'))
  await peer.read(SUB_OPENING_LENGTH)
  return { subscriber, peer }
}

async function rawSubscriber(own: Own, publisher: Publisher): Promise<RawPeer> {
  const peer = own(await RawPeer.connect(publisher.lastEndpoint ?? ''))
  await peer.write(opening('SUB'))
  await peer.read(PUB_OPENING_LENGTH)
  return peer
}

async function boundPublisher(own: Own, options: ConstructorParameters<typeof Publisher>[0] = {}): Promise<Publisher> {
  const publisher = own(new Publisher({ linger: 0, ...options }))
  await publisher.bind('tcp://127.0.0.1:*')
  return publisher
}

/** A mark is sent until it arrives: then every subscription made before that of the mark is there, too. */
async function untilSubscribed(publisher: Publisher, subscriber: Subscriber, mark: string): Promise<void> {
  subscriber.subscribe(mark)
  let arrived = false
  const first = subscriber.receive().then(() => {
    arrived = true
  })
  while (!arrived) {
    await publisher.send(mark)
    await Promise.race([first, new Promise((resolve) => setImmediate(resolve))])
  }
  await publisher.send([mark, 'last'])
  while ((await subscriber.receive()).length !== 2);
  subscriber.unsubscribe(mark)
}

describe('a publisher hears', () => {
  test('of a topic once, however often it is subscribed, and of its end with the last cancellation', BOUNDED, () =>
    scoped(async (own) => {
      const { subscriber, peer } = await subscriberOfRaw(own)
      subscriber.subscribe('test')
      subscriber.subscribe('test', 'other')
      subscriber.unsubscribe('test')
      subscriber.unsubscribe('never')
      subscriber.unsubscribe('test')
      subscriber.unsubscribe('test')
      subscriber.subscribe()
      await readCommands(
        peer,
        command('SUBSCRIBE', 'test'),
        command('SUBSCRIBE', 'other'),
        command('CANCEL', 'test'),
        command('SUBSCRIBE', ''),
      )
    }),
  )

  test('of what was subscribed before it was there, each topic once', BOUNDED, () =>
    scoped(async (own) => {
      const listener = own(await RawListener.listen())
      const subscriber = own(new Subscriber())
      subscriber.subscribe('a', 'b', 'a')
      subscriber.connect(listener.address)
      const peer = own(await listener.accept())
      await peer.write(opening('PUB'))
      await peer.read(SUB_OPENING_LENGTH)
      await readCommands(peer, command('SUBSCRIBE', 'a'), command('SUBSCRIBE', 'b'))
    }),
  )

  test('of everything anew when it comes back, and of nothing that was cancelled meanwhile', BOUNDED, () =>
    scoped(async (own) => {
      const listener = own(await RawListener.listen())
      const subscriber = own(new Subscriber({ reconnectInterval: 10 }))
      const log = new EventLog(subscriber)
      subscriber.connect(listener.address)
      subscriber.subscribe('a', 'b')
      const first = own(await listener.accept())
      await first.write(opening('PUB'))
      await first.read(SUB_OPENING_LENGTH)
      await readCommands(first, command('SUBSCRIBE', 'a'), command('SUBSCRIBE', 'b'))
      first.close()
      await log.nth('disconnect')
      subscriber.unsubscribe('a')
      subscriber.subscribe('c')
      const second = own(await listener.accept())
      await second.write(opening('PUB'))
      await second.read(SUB_OPENING_LENGTH)
      await readCommands(second, command('SUBSCRIBE', 'b'), command('SUBSCRIBE', 'c'))
    }),
  )

  test('in the form of its version: a 3.0 publisher gets messages', BOUNDED, () =>
    scoped(async (own) => {
      const listener = own(await RawListener.listen())
      const subscriber = own(new Subscriber())
      subscriber.connect(listener.address)
      subscriber.subscribe('a')
      const peer = own(await listener.accept())
      await peer.write(opening('PUB', { version: [3, 0] }))
      await peer.read(SUB_OPENING_LENGTH)
      subscriber.unsubscribe('a')
      assert.equal(hexOf(await peer.read(8)), '0002016100020061')
    }),
  )
})

describe('a publisher sends', () => {
  test('to each subscriber what it asked for, once, whichever form the subscription had', BOUNDED, () =>
    scoped(async (own) => {
      const publisher = await boundPublisher(own)
      const byCommand = await rawSubscriber(own, publisher)
      const byMessage = await rawSubscriber(own, publisher)
      await byCommand.write(bytes(hexOf(command('SUBSCRIBE', 'a')), hexOf(command('SUBSCRIBE', 'ab'))))
      await byMessage.write(bytes('00 02 01 62'))
      // A PING's answer shows that what was written before it was read.
      for (const peer of [byCommand, byMessage]) {
        await peer.write(bytes('04 07 04', '"PING"', '0000'))
        await peer.read(7)
      }
      await publisher.send(['abc', '1'])
      await publisher.send(['b', '2'])
      await publisher.send(['c', '3'])
      await publisher.send(['', '4'])
      await publisher.send(['a', '5'])
      assert.equal(hexOf(await byCommand.read(14)), hexOf(bytes('01 03', '"abc"', '00 01', '"1"', '01 01 61 00 01 35')))
      assert.equal(hexOf(await byMessage.read(6)), '010162000132')
    }),
  )

  test('nothing more of a topic once it is cancelled, by one subscriber and not by the other', BOUNDED, () =>
    scoped(async (own) => {
      const publisher = await boundPublisher(own)
      const [stays, leaves] = [await rawSubscriber(own, publisher), await rawSubscriber(own, publisher)]
      for (const peer of [stays, leaves]) await peer.write(command('SUBSCRIBE', 'test'))
      await leaves.write(bytes(hexOf(command('CANCEL', 'test')), hexOf(command('SUBSCRIBE', 'mark'))))
      for (const peer of [stays, leaves]) {
        await peer.write(bytes('04 07 04', '"PING"', '0000'))
        await peer.read(7)
      }
      await publisher.send('test')
      await publisher.send('mark')
      assert.equal(hexOf(await stays.read(6)), hexOf(bytes('00 04', '"test"')))
      assert.equal(hexOf(await leaves.read(6)), hexOf(bytes('00 04', '"mark"')))
    }),
  )

  test('on when a subscriber sends what is no subscription', BOUNDED, () =>
    scoped(async (own) => {
      const publisher = await boundPublisher(own)
      const peer = await rawSubscriber(own, publisher)
      await peer.write(
        bytes('00 00', '00 01 07', '01 01 01 00 01 61', '01 01 78', hexOf(command('SUBSCRIBE', 'a')), '00 00'),
      )
      await peer.write(bytes('04 07 04', '"PING"', '0000'))
      await peer.read(7)
      await publisher.send('abc')
      assert.equal(hexOf(await peer.read(5)), hexOf(bytes('00 03', '"abc"')))
    }),
  )
})

describe('a subscriber', () => {
  test('passes over what a publisher sends unasked', BOUNDED, () =>
    scoped(async (own) => {
      const { subscriber, peer } = await subscriberOfRaw(own)
      subscriber.subscribe('a')
      await peer.write(bytes('00 01 62', '00 00', '01 01 62 00 01 61', '00 02', '"ab"'))
      assert.deepEqual((await subscriber.receive()).map(String), ['ab'])
    }),
  )

  test('takes text, bytes and null for a prefix, and nothing else', () =>
    scoped(async (own) => {
      const subscriber = own(new Subscriber())
      subscriber.subscribe('a', Buffer.of(0xff), new Uint8Array(2), null)
      subscriber.unsubscribe('a', Buffer.of(0xff), new Uint8Array(2), null)
      for (const wrong of [5, true, undefined, {}, ['a']]) {
        assert.throws(() => subscriber.subscribe(wrong as unknown as string), TypeError)
      }
    }))

  test('keeps 5,000 topics with a high-water mark of 1,000, also when the publisher comes back', BOUNDED, () =>
    scoped(async (own) => {
      const topics = Array.from({ length: 5_000 }, (_, i) => `topic ${i};`)
      const subscriber = own(
        new Subscriber({ receiveHighWaterMark: 1_000, reconnectInterval: 10, receiveTimeout: 5_000 }),
      )
      const first = await boundPublisher(own, { sendHighWaterMark: 10_000 })
      const address = first.lastEndpoint ?? ''
      const log = new EventLog(subscriber)
      subscriber.connect(address)
      subscriber.subscribe(...topics)

      const receiveAll = async (publisher: Publisher) => {
        await untilSubscribed(publisher, subscriber, 'mark')
        const received = (async () => {
          for (const topic of topics) assert.equal(String(await subscriber.receive()), topic)
        })()
        for (const topic of topics) await publisher.send(topic)
        await received
      }
      await receiveAll(first)
      first.close()
      await log.nth('disconnect')
      const second = own(new Publisher({ linger: 0, sendHighWaterMark: 10_000 }))
      await second.bind(address)
      await receiveAll(second)
    }),
  )
})
