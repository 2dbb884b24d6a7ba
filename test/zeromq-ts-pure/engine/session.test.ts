// One session between a pipe and a byte stream that is played by hand: what it does once the stream is over, once its
// own side has ended, and while it does not read.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KeepAlive } from '../../../packages/zeromq-ts-pure/src/engine/keep-alive.ts'
import { Monitor } from '../../../packages/zeromq-ts-pure/src/engine/monitor.ts'
import { Pipe } from '../../../packages/zeromq-ts-pure/src/engine/pipe.ts'
import { Session } from '../../../packages/zeromq-ts-pure/src/engine/session.ts'
import { defaultSettings } from '../../../packages/zeromq-ts-pure/src/socket/options.ts'
import type { SocketSettings } from '../../../packages/zeromq-ts-pure/src/socket/settings.ts'
import type { ByteStream, ByteStreamHandler } from '../../../packages/zeromq-ts-pure/src/transport/byte-stream.ts'
import { bytes, opening } from '../zmtp/wire.ts'

const PING = '"PING"'

class PlayedStream implements ByteStream {
  handler: ByteStreamHandler | undefined
  writable = true
  paused = false
  destroyed = false
  ended = false
  readonly written: Buffer[] = []
  #wrote: () => void = () => undefined

  write(pieces: readonly Uint8Array[]): boolean {
    for (const piece of pieces) this.written.push(Buffer.from(piece))
    this.#wrote()
    return true
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
  }

  end(): void {
    this.ended = true
    this.writable = false
  }

  destroy(): void {
    this.destroyed = true
    this.writable = false
  }

  get text(): string {
    return Buffer.concat(this.written).toString('latin1')
  }

  /** Resolves when so many PINGs were written. */
  async pings(count: number): Promise<void> {
    // The timers of sessions let a process end.
    const keepAlive = new KeepAlive()
    keepAlive.acquire()
    while (this.text.split('PING').length <= count) {
      await new Promise<void>((resolve) => {
        this.#wrote = resolve
      })
    }
    keepAlive.stop()
  }
}

interface Played {
  readonly session: Session
  readonly stream: PlayedStream
  readonly pipe: Pipe
}

/** A session whose handshake is done. */
function establishedSession(options: Partial<SocketSettings> = {}): Played {
  const settings = defaultSettings(options)
  const nobody = { readable: () => undefined, writable: () => undefined, ended: () => undefined }
  const pipe = new Pipe(nobody, new KeepAlive(), settings)
  const stream = new PlayedStream()
  const context = { socketType: 'DEALER', address: 'tcp://played:1', settings, monitor: new Monitor() } as const
  const session = new Session(stream, context, { established: () => pipe, ended: () => undefined })
  session.open()
  stream.handler?.data(Buffer.from(opening('DEALER')))
  return { session, stream, pipe }
}

function end({ stream, pipe }: Played): void {
  pipe.discard()
  stream.handler?.closed(undefined)
}

describe('messages', () => {
  test('stay in the pipe for the next connection once this one is over, also before its end is reported', async () => {
    const played = establishedSession()
    played.pipe.write([Buffer.from('kept')])
    played.stream.handler?.data(Buffer.from(bytes('05 00')))
    assert.equal(played.stream.destroyed, true)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(played.pipe.pending, 1)
    end(played)
  })
})

describe('heartbeats', () => {
  test('end with the stream that is being closed: nothing is written behind its end', async () => {
    const closing = establishedSession({ heartbeatInterval: 5, heartbeatTimeout: 10 })
    closing.session.end()
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(closing.stream.ended, true)
    const written = closing.stream.text
    const clock = establishedSession({ heartbeatInterval: 20, heartbeatTimeout: 60_000 })
    await clock.stream.pings(3)
    assert.equal(closing.stream.text, written)
    assert.equal(closing.stream.destroyed, false)
    for (const played of [closing, clock]) end(played)
  })

  test('do not take for dead a peer that we keep from being read', async () => {
    const options = { heartbeatInterval: 5, heartbeatTimeout: 10, receiveHighWaterMark: 1 }
    const played = establishedSession(options)
    const timeToLive = bytes('04 07 04', PING, '0001')
    played.stream.handler?.data(Buffer.from(bytes(Buffer.from(timeToLive).toString('hex'), '00 01 61 00 01 62')))
    assert.equal(played.stream.paused, true)
    const clock = establishedSession({ heartbeatInterval: 50, heartbeatTimeout: 60_000 })
    await clock.stream.pings(4)
    assert.equal(played.stream.destroyed, false)
    for (const text of ['a', 'b']) assert.equal(String(played.pipe.read()), text)
    // It is read again, and now its silence counts.
    await clock.stream.pings(8)
    assert.equal(played.stream.destroyed, true)
    for (const each of [played, clock]) end(each)
  })
})
