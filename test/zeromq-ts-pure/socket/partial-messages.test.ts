// A message of several parts is received whole or not at all, whatever happens to its connection.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Dealer, Pull, Push, Router, Subscriber } from 'zeromq-ts-pure'
import { bytes, hexOf, opening } from '../zmtp/wire.ts'
import { EventLog } from './events.ts'
import { RawListener, RawPeer } from './raw-peer.ts'
import { BOUNDED, scoped } from './scope.ts'

const PATIENT = { receiveTimeout: 5_000 }

test('a connection that breaks between two parts leaves nothing of the message', BOUNDED, () =>
  scoped(async (own) => {
    const pull = own(new Pull(PATIENT))
    await pull.bind('tcp://127.0.0.1:*')
    const log = new EventLog(pull)
    const peer = own(await RawPeer.connect(pull.lastEndpoint ?? ''))
    await peer.write(bytes(hexOf(opening('PUSH')), '01 01 61'))
    await log.nth('handshake')
    peer.close()
    await log.nth('disconnect')
    const push = own(new Push())
    push.connect(pull.lastEndpoint ?? '')
    await push.send(['whole', 'message'])
    assert.deepEqual((await pull.receive()).map(String), ['whole', 'message'])
  }),
)

test('a SUB that disconnects with a message waiting gives all of it or nothing', BOUNDED, () =>
  scoped(async (own) => {
    const listener = own(await RawListener.listen())
    const subscriber = own(new Subscriber({ receiveTimeout: 50 }))
    subscriber.subscribe()
    subscriber.connect(listener.address)
    const peer = own(await listener.accept())
    await peer.write(bytes(hexOf(opening('PUB')), '01 01 61 00 01 62', '01 01 63'))
    await peer.read(64 + 27 + 12)
    while (!subscriber.readable) await new Promise((resolve) => setImmediate(resolve))
    subscriber.disconnect(listener.address)
    const outcome = await subscriber.receive().catch((error: unknown) => error)
    if (outcome instanceof Error) assert.equal('code' in outcome && outcome.code, 'EAGAIN')
    else assert.deepEqual((outcome as Buffer[]).map(String), ['a', 'b'])
    await assert.rejects(subscriber.receive(), { code: 'EAGAIN' })
  }),
)

test('a DEALER that loses one of two peers in the middle of a message goes on with the other', BOUNDED, () =>
  scoped(async (own) => {
    const steady = own(new Router({ ...PATIENT }))
    await steady.bind('tcp://127.0.0.1:*')
    const listener = own(await RawListener.listen())
    const dealer = own(new Dealer({ ...PATIENT, routingId: 'me', linger: 0 }))
    dealer.connect(steady.lastEndpoint ?? '')
    dealer.connect(listener.address)
    const peer = own(await listener.accept())
    await peer.write(opening('ROUTER'))
    // Two messages, one for each peer.
    await dealer.send('hello')
    await dealer.send('hello')
    await steady.receive()
    await peer.write(bytes('01 01 61 00 01 62', '01 01 63'))
    for (let i = 0; i < 10; i++) await steady.send(['me', `${i}`, 'second part'])
    dealer.disconnect(listener.address)
    const messages: string[] = []
    while (messages.filter((text) => text !== 'a,b').length < 10) messages.push((await dealer.receive()).join())
    assert.deepEqual(
      messages.filter((text) => text !== 'a,b'),
      Array.from({ length: 10 }, (_, i) => `${i},second part`),
    )
    assert.ok(messages.length <= 11)
  }),
)
