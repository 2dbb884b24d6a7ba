// Our sockets with our own and with those of libzmq, over tcp: every pattern, both directions, whichever side binds.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AnySocket, LIBZMQ, type Library, type Options, OURS, type Part, type SocketClass } from './libraries.ts'

/** Every operation is bounded; a message that does not come fails its test. No queue may be full in these tests. */
const OPTIONS: Options = { linger: 0, receiveTimeout: 10_000, receiveHighWaterMark: 0 }
const SENDING: Options = { linger: 0, sendTimeout: 10_000, sendHighWaterMark: 0 }
const BOTH: Options = { ...OPTIONS, ...SENDING }

const BYTES = Buffer.from(Array.from({ length: 256 }, (_, i) => i))

/** Each begins with a part that names its case. */
const MESSAGES: Readonly<Record<string, readonly Part[]>> = {
  'one part': ['hello'],
  'one empty part': [''],
  'several parts': ['a', 'bb', 'ccc'],
  'empty parts at the start, in the middle and at the end': ['', 'a', '', 'b', ''],
  'bytes of every value': [BYTES],
  'the longest short frame': [Buffer.alloc(255, 's')],
  'the shortest long frame': [Buffer.alloc(256, 'l')],
  'a short and a long frame': [Buffer.alloc(255, 's'), Buffer.alloc(256, 'l'), 'end'],
  '64 KiB, and one byte less and more': [Buffer.alloc(65_535, 1), Buffer.alloc(65_536, 2), Buffer.alloc(65_537, 3)],
  '1 MiB': [Buffer.alloc(1_048_576, 'm')],
  '1 MiB between small parts': ['a', Buffer.alloc(1_048_576, 'm'), 'b'],
  '500 parts': Array.from({ length: 500 }, (_, i) => `part ${i}`),
}

interface Pattern {
  readonly name: string
  readonly client: SocketClass
  readonly server: SocketClass
  readonly clientOptions: Options
  readonly serverOptions: Options
  /** Resolves once a message sent is a message that will arrive. */
  ready?(client: AnySocket, server: AnySocket): Promise<void>
  /** Sends one message there, and back if the pattern has a way back; checks what arrives. */
  exchange(client: AnySocket, server: AnySocket, message: readonly Part[]): Promise<void>
  /** Sends many messages before any is received; where the pattern forbids that, one after the other. */
  burst(client: AnySocket, server: AnySocket, messages: readonly (readonly Part[])[]): Promise<void>
}

function bytesOf(parts: readonly Part[]): readonly Buffer[] {
  return parts.map((part) => Buffer.from(part))
}

function arrived(actual: readonly Buffer[], expected: readonly Part[]): void {
  // Compared as text, since a difference of two large buffers is printed byte by byte.
  assert.deepEqual(
    actual.map((part) => part.toString('latin1')),
    bytesOf(expected).map((part) => part.toString('latin1')),
  )
}

/** Sends all there, then checks that all arrive in order. */
async function oneWay(from: AnySocket, to: AnySocket, messages: readonly (readonly Part[])[]): Promise<void> {
  for (const message of messages) await from.send(message)
  for (const message of messages) arrived(await to.receive(), message)
}

/** REQ: the next request may leave when the last reply has come. */
async function inTurn(
  pattern: Pick<Pattern, 'exchange'>,
  client: AnySocket,
  server: AnySocket,
  messages: readonly (readonly Part[])[],
): Promise<void> {
  for (const message of messages) await pattern.exchange(client, server, message)
}

/** A subscription takes effect when it has reached the publisher: marks are sent until the first arrives. */
async function subscribed(subscriber: AnySocket, publisher: AnySocket): Promise<void> {
  subscriber.subscribe()
  let arrivals = 0
  const mark = subscriber.receive().then(() => {
    arrivals++
  })
  let marks = 0
  while (arrivals === 0) {
    await publisher.send(`mark ${marks++}`)
    await Promise.race([mark, new Promise((resolve) => setImmediate(resolve))])
  }
  await publisher.send('last mark')
  while ((await subscriber.receive())[0]?.toString() !== 'last mark');
}

const PATTERNS: readonly Pattern[] = [
  {
    name: 'DEALER/ROUTER',
    client: 'Dealer',
    server: 'Router',
    clientOptions: { ...BOTH, routingId: 'client' },
    serverOptions: BOTH,
    async exchange(client, server, message) {
      await client.send(message)
      arrived(await server.receive(), ['client', ...message])
      await server.send(['client', ...message])
      arrived(await client.receive(), message)
    },
    async burst(client, server, messages) {
      for (const message of messages) await client.send(message)
      for (const message of messages) arrived(await server.receive(), ['client', ...message])
      for (const message of messages) await server.send(['client', ...message])
      for (const message of messages) arrived(await client.receive(), message)
    },
  },
  {
    name: 'anonymous DEALER/ROUTER',
    client: 'Dealer',
    server: 'Router',
    clientOptions: BOTH,
    serverOptions: BOTH,
    async exchange(client, server, message) {
      await client.send(message)
      const [id, ...parts] = await server.receive()
      assert.equal(id?.length, 5)
      assert.equal(id[0], 0)
      arrived(parts, message)
      await server.send([id, ...message])
      arrived(await client.receive(), message)
    },
    burst(client, server, messages) {
      return inTurn(this, client, server, messages)
    },
  },
  {
    name: 'DEALER/DEALER',
    client: 'Dealer',
    server: 'Dealer',
    clientOptions: BOTH,
    serverOptions: BOTH,
    async exchange(client, server, message) {
      await oneWay(client, server, [message])
      await oneWay(server, client, [message])
    },
    async burst(client, server, messages) {
      await oneWay(client, server, messages)
      await oneWay(server, client, messages)
    },
  },
  {
    name: 'DEALER/REP',
    client: 'Dealer',
    server: 'Reply',
    clientOptions: BOTH,
    serverOptions: BOTH,
    async exchange(client, server, message) {
      await client.send(['way', 'back', '', ...message])
      arrived(await server.receive(), message)
      await server.send(message)
      arrived(await client.receive(), ['way', 'back', '', ...message])
    },
    async burst(client, server, messages) {
      for (const message of messages) await client.send(['', ...message])
      for (const message of messages) {
        arrived(await server.receive(), message)
        await server.send(message)
      }
      for (const message of messages) arrived(await client.receive(), ['', ...message])
    },
  },
  {
    name: 'REQ/ROUTER',
    client: 'Request',
    server: 'Router',
    clientOptions: { ...BOTH, routingId: 'client' },
    serverOptions: BOTH,
    async exchange(client, server, message) {
      await client.send(message)
      arrived(await server.receive(), ['client', '', ...message])
      await server.send(['client', '', ...message])
      arrived(await client.receive(), message)
    },
    burst(client, server, messages) {
      return inTurn(this, client, server, messages)
    },
  },
  {
    name: 'REQ/REP',
    client: 'Request',
    server: 'Reply',
    clientOptions: BOTH,
    serverOptions: BOTH,
    async exchange(client, server, message) {
      await client.send(message)
      arrived(await server.receive(), message)
      await server.send(message)
      arrived(await client.receive(), message)
    },
    burst(client, server, messages) {
      return inTurn(this, client, server, messages)
    },
  },
  {
    name: 'PUSH/PULL',
    client: 'Push',
    server: 'Pull',
    clientOptions: SENDING,
    serverOptions: OPTIONS,
    exchange: (client, server, message) => oneWay(client, server, [message]),
    burst: oneWay,
  },
  {
    name: 'SUB/PUB',
    client: 'Subscriber',
    server: 'Publisher',
    clientOptions: OPTIONS,
    serverOptions: SENDING,
    ready: subscribed,
    exchange: (client, server, message) => oneWay(server, client, [message]),
    burst: (client, server, messages) => oneWay(server, client, messages),
  },
]

const PAIRS: readonly (readonly [Library, Library])[] = [
  [OURS, OURS],
  [OURS, LIBZMQ],
  [LIBZMQ, OURS],
]

async function withPeers(
  pattern: Pattern,
  [clientLibrary, serverLibrary]: readonly [Library, Library],
  binds: 'client' | 'server',
  use: (client: AnySocket, server: AnySocket) => Promise<void>,
): Promise<void> {
  const client = clientLibrary.open(pattern.client, pattern.clientOptions)
  const server = serverLibrary.open(pattern.server, pattern.serverOptions)
  try {
    const [binding, connecting] = binds === 'client' ? [client, server] : [server, client]
    await binding.bind('tcp://127.0.0.1:*')
    connecting.connect(binding.lastEndpoint ?? '')
    if (pattern.ready !== undefined) await pattern.ready(client, server)
    await use(client, server)
  } finally {
    client.close()
    server.close()
  }
}

for (const pattern of PATTERNS) {
  for (const pair of PAIRS) {
    for (const binds of ['server', 'client'] as const) {
      const [client, server] = pair
      const title = `${pattern.name}: ${pattern.client} of ${client.name}, ${pattern.server} of ${server.name}`
      describe(`${title}, the ${binds} binds`, () => {
        test('every kind of message arrives as it was sent', async () => {
          await withPeers(pattern, pair, binds, async (clientSocket, serverSocket) => {
            for (const message of Object.values(MESSAGES)) await pattern.exchange(clientSocket, serverSocket, message)
          })
        })

        test('1,000 small messages in a row arrive once each, in order', async () => {
          const messages = Array.from({ length: 1_000 }, (_, i) => [`message ${i}`, Buffer.alloc(i % 40, i)])
          await withPeers(pattern, pair, binds, (clientSocket, serverSocket) =>
            pattern.burst(clientSocket, serverSocket, messages),
          )
        })
      })
    }
  }
}
