import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import type { ByteStream, ByteStreamHandler } from '../../../packages/zeromq-ts-pure/src/transport/byte-stream.ts'
import { dialTcp, TcpListener, type TcpSettings } from '../../../packages/zeromq-ts-pure/src/transport/tcp.ts'
import { deadAddress, portOf } from '../socket/raw-peer.ts'
import { BOUNDED, type Own, scoped } from '../socket/scope.ts'

const SETTINGS: TcpSettings = { ipv6: false, backlog: 100, connectTimeout: 0, tcpKeepalive: -1, tcpKeepaliveIdle: -1 }

interface Handled {
  readonly received: () => string
  /** Resolves when the stream is over. */
  readonly closed: Promise<void>
  readonly drained: Promise<void>
}

function handle(stream: ByteStream): Handled {
  let text = ''
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  const { promise: drained, resolve: drain } = Promise.withResolvers<void>()
  const handler: ByteStreamHandler = {
    data: (chunk) => {
      text += chunk
    },
    drained: drain,
    closed: () => close(),
  }
  stream.handler = handler
  return { received: () => text, closed, drained }
}

/** A stream to a server that does not read, and what the server sees of it. */
async function streamTo(own: Own, allowHalfOpen: boolean): Promise<readonly [ByteStream, Socket]> {
  const server = createServer({ allowHalfOpen, pauseOnConnect: true })
  own({ close: () => void server.close() })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const stream = await dialed((server.address() as AddressInfo).port)
  const [socket] = (await accepted) as [Socket]
  own({ close: () => void socket.destroy() })
  own({ close: () => stream.destroy() })
  return [stream, socket]
}

function dialed(port: number, settings = SETTINGS): Promise<ByteStream> {
  return new Promise((opened, failed) => {
    dialTcp({ transport: 'tcp', host: '127.0.0.1', port }, settings, { opened, failed })
  })
}

const LARGE = Buffer.alloc(32 * 1_048_576)

describe('a stream that ends', () => {
  test(
    'delivers what it still holds to a peer that is slow to read, and is cut off only when that is done',
    BOUNDED,
    () =>
      scoped(async (own) => {
        const [slow, slowPeer] = await streamTo(own, false)
        const { closed } = handle(slow)
        assert.equal(slow.write([LARGE]), false)
        slow.end()

        // A peer that never answers the end of a stream is cut off after a second: the clock.
        const [unanswered] = await streamTo(own, true)
        const clock = handle(unanswered)
        const startedMs = performance.now()
        unanswered.end()
        await clock.closed
        assert.ok(performance.now() - startedMs >= 990)

        let arrived = 0
        slowPeer.on('data', (chunk: Buffer) => {
          arrived += chunk.length
        })
        slowPeer.resume()
        await once(slowPeer, 'end')
        assert.equal(arrived, LARGE.length)
        await closed
      }),
  )

  test('reads on until its peer has ended, so that nothing unread resets the connection', BOUNDED, () =>
    scoped(async (own) => {
      const [stream, peer] = await streamTo(own, false)
      const { closed } = handle(stream)
      peer.write(LARGE)
      stream.pause()
      stream.write([Buffer.from('last words')])
      stream.end()
      const [words] = await once(peer.resume(), 'data')
      assert.equal(String(words), 'last words')
      await closed
    }),
  )

  test('at once delivers nothing more', BOUNDED, () =>
    scoped(async (own) => {
      const [stream] = await streamTo(own, false)
      const { closed } = handle(stream)
      stream.write([LARGE])
      stream.destroy()
      await closed
    }),
  )
})

describe('a stream', () => {
  test('writes its pieces in order, and says when it takes no more and when it does again', BOUNDED, () =>
    scoped(async (own) => {
      const [stream, peer] = await streamTo(own, false)
      const { drained } = handle(stream)
      let arrived = ''
      peer.on('data', (chunk: Buffer) => {
        arrived += chunk.toString('latin1')
      })
      assert.equal(stream.write([Buffer.from('a'), Buffer.from('b'), Buffer.from('c')]), true)
      assert.equal(stream.write([LARGE, Buffer.from('d')]), false)
      peer.resume()
      await drained
      while (arrived.length < LARGE.length + 4) await once(peer, 'data')
      assert.equal(arrived.slice(0, 3), 'abc')
      assert.equal(arrived.at(-1), 'd')
    }),
  )
})

describe('a dial', () => {
  test('to a port where nobody listens fails with its reason', BOUNDED, async () => {
    await assert.rejects(dialed(portOf(await deadAddress())), { code: 'ECONNREFUSED' })
  })

  test('that is aborted calls nobody back', BOUNDED, async () => {
    const port = portOf(await deadAddress())
    const called = () => assert.fail('called back')
    dialTcp({ transport: 'tcp', host: '127.0.0.1', port }, SETTINGS, { opened: called, failed: called }).abort()
    // Another one to the same port, as the clock.
    await assert.rejects(dialed(port))
  })
})

describe('a listener', () => {
  test('names the port that it took, and leaves it when it is closed', BOUNDED, async () => {
    const endpoint = { transport: 'tcp', host: '127.0.0.1', port: 0 } as const
    const handler = { accepted: (stream: ByteStream) => stream.destroy(), failed: () => undefined }
    const listener = await TcpListener.bind(endpoint, SETTINGS, handler)
    const { host, port } = listener.address
    assert.equal(host, '127.0.0.1')
    assert.ok(port > 0)
    await assert.rejects(TcpListener.bind({ ...endpoint, port }, SETTINGS, handler), { code: 'EADDRINUSE' })
    await listener.close()
    const again = await TcpListener.bind({ ...endpoint, port }, SETTINGS, handler)
    await again.close()
  })
})
