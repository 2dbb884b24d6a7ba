// Every socket type carries messages over TCP, and takes them up again after its peer was gone.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Dealer, type Message, Publisher, Pull, Push, Reply, Request, Router, Subscriber } from 'zeromq-ts-pure'

/** One part of each kind that the wire treats differently: empty, short and long form, larger than any read. */
const parts = ['', 'x'.repeat(255), 'y'.repeat(256), 'z'.repeat(1_048_576)].map((text) => Buffer.from(text))
const sends = { sendTimeout: 20_000 }
const receives = { receiveTimeout: 20_000 }
const bounds = { ...sends, ...receives }
const anyPort = 'tcp://127.0.0.1:*'

function assertParts(message: Message, expected: readonly Buffer[] = parts): void {
  assert.equal(message.length, expected.length)
  for (const [index, part] of message.entries()) {
    assert.ok(Buffer.isBuffer(part))
    assert.ok(part.equals(expected[index] as Buffer), `part ${index} of ${part.length} bytes`)
  }
}

describe('sockets', () => {
  test('DEALER and ROUTER pass a message there and back', async () => {
    using router = new Router(bounds)
    using dealer = new Dealer({ ...bounds, routingId: 'dealer-1' })
    await router.bind(anyPort)
    dealer.connect(String(router.lastEndpoint))
    await dealer.send(parts)
    const [id, ...message] = await router.receive()
    assert.equal(String(id), 'dealer-1')
    assertParts(message)
    await router.send(['dealer-1', ...message])
    assertParts(await dealer.receive())
  })

  test('REQ and REP take turns', async () => {
    using reply = new Reply(bounds)
    using request = new Request(bounds)
    await reply.bind(anyPort)
    request.connect(String(reply.lastEndpoint))
    for (let turn = 0; turn < 3; turn++) {
      await request.send(parts)
      assertParts(await reply.receive())
      await reply.send(parts)
      assertParts(await request.receive())
    }
  })

  test('PUSH and PULL keep the order of many messages', async () => {
    using pull = new Pull(receives)
    using push = new Push(sends)
    await pull.bind(anyPort)
    push.connect(String(pull.lastEndpoint))
    const count = 5_000
    const sending = (async () => {
      for (let i = 0; i < count; i++) await push.send(String(i))
    })()
    for (let i = 0; i < count; i++) assert.equal(String(await pull.receive()), String(i))
    await sending
  })

  test('SUB gets what it subscribed to, and nothing else', async () => {
    using publisher = new Publisher(sends)
    using subscriber = new Subscriber(receives)
    await publisher.bind(anyPort)
    subscriber.subscribe('news')
    subscriber.connect(String(publisher.lastEndpoint))
    // A publisher does not know when a subscription has arrived, so it says the first thing until it is heard.
    const first = subscriber.receive()
    const heard = first.then(() => true)
    while (!(await Promise.race([heard, turn()]))) await publisher.send(['news', 'again'])
    await publisher.send(['weather', 'rain'])
    await publisher.send(['newsflash', ...parts])
    let message = await subscriber.receive()
    while (String(message[1]) === 'again') message = await subscriber.receive()
    assertParts(message, [Buffer.from('newsflash'), ...parts])
  })

  test('a message that is sent while the peer is gone arrives when it is back', async () => {
    using push = new Push({ ...sends, reconnectInterval: 20 })
    const first = new Pull(receives)
    await first.bind(anyPort)
    const address = String(first.lastEndpoint)
    push.connect(address)
    await push.send('before')
    assert.equal(String(await first.receive()), 'before')
    const lost = new Promise((resolve) => push.events.on('disconnect', resolve))
    first.close()
    await lost
    await push.send('meanwhile')
    using second = new Pull(receives)
    await second.bind(address)
    assert.equal(String(await second.receive()), 'meanwhile')
  })

  test('a receive that waits too long, and one on a socket that closes, end as EAGAIN', async () => {
    const pull = new Pull({ receiveTimeout: 20 })
    await assert.rejects(pull.receive(), { code: 'EAGAIN' })
    pull.receiveTimeout = -1
    const waiting = pull.receive()
    pull.close()
    await assert.rejects(waiting, { code: 'EAGAIN' })
    assert.throws(() => pull.receive(), { code: 'EBADF' })
  })
})

function turn(): Promise<false> {
  return new Promise((resolve) => setImmediate(() => resolve(false)))
}
