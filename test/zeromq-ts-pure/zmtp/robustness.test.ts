// Bytes of a stranger: whatever they are, nothing throws, nothing hangs, and what is held follows what was delivered,
// never what was announced.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  CONTINUE,
  checkGreetingPrefix,
  decodeCommand,
  decodeErrorReason,
  decodeGreeting,
  decodeMetadata,
  decodePing,
  encodeFrame,
  FrameDecoder,
  PAUSE,
  type SocketTypeName,
  Violation,
} from 'zeromq-ts-pure/zmtp'
import { MIB, usedBytes } from '../heap.ts'
import { arbitraryChunks, byteByByte, whole } from './chunks.ts'
import { FrameLog } from './frame-log.ts'
import { PlayedConnection } from './played-connection.ts'
import { bytes, greeting, hexOf, opening } from './wire.ts'

const RUNS = { numRuns: 500 }

/** Bytes that get further than noise does: frames with small flags, short lengths, names that mean something. */
const likelyBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc
        .constantFrom('READY', 'ERROR', 'PING', 'PONG', 'SUBSCRIBE', 'CANCEL')
        .map((name) => bytes(hexOf(Uint8Array.of(name.length)), `"${name}"`)),
      fc.tuple(fc.nat({ max: 7 }), fc.nat({ max: 20 })).map(([flags, length]) => Uint8Array.of(flags, length)),
      fc.tuple(fc.nat({ max: 7 }), fc.uint8Array({ maxLength: 40 })).map(([flags, body]) => encodeFrame(flags, body)),
      fc.constantFrom(bytes('02 ffffffffffffffff'), bytes('06 0000000000000100'), bytes('00 00000004')),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => new Uint8Array(Buffer.concat(pieces)))

const anyBytes = fc.oneof(fc.uint8Array({ maxLength: 600 }), likelyBytes)
const anyArrival = anyBytes.chain((wire) => fc.record({ wire: fc.constant(wire), chunks: arbitraryChunks(wire) }))

describe('any bytes', () => {
  test('decode to a command or a violation', () => {
    fc.assert(
      fc.property(anyBytes, (body) => {
        const command = decodeCommand(body)
        if (command instanceof Violation) return
        assert.equal(1 + command.name.length + command.data.length, body.length)
        decodeErrorReason(command.data)
        decodePing(command.data)
      }),
      RUNS,
    )
  })

  test('decode to metadata no larger than they are, or to a violation', () => {
    fc.assert(
      fc.property(anyBytes, (wire) => {
        const properties = decodeMetadata(wire, 'ERR_ZMTP_MALFORMED_COMMAND_READY')
        if (properties instanceof Violation) return
        const length = properties.reduce((sum, { name, value }) => sum + 5 + name.length + value.length, 0)
        assert.equal(length, wire.length)
      }),
      RUNS,
    )
  })

  test('decode to a greeting or a violation', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), (wire) => {
        checkGreetingPrefix((index) => wire[index] as number, wire.length)
        const fields = decodeGreeting(wire)
        assert.ok(fields instanceof Violation || fields.mechanism.length <= 20)
      }),
      RUNS,
    )
  })

  test('leave a decoder that holds no more than came and gave no more than came', () => {
    fc.assert(
      fc.property(anyArrival, fc.constantFrom(-1, 0, 10, 300), ({ wire, chunks }, limit) => {
        const log = new FrameLog()
        const decoder = new FrameDecoder(log)
        decoder.maxBodyLength = limit
        let arrived = 0
        for (const chunk of chunks) {
          arrived += chunk.length
          if (decoder.push(chunk) instanceof Violation) return
          const given = log.frames.reduce((sum, { flags, body }) => sum + body.length + ((flags & 2) === 0 ? 2 : 9), 0)
          assert.equal(given + decoder.buffered, arrived)
        }
        assert.equal(arrived, wire.length)
      }),
      RUNS,
    )
  })

  test('are taken alike by a decoder however they are cut', () => {
    fc.assert(
      fc.property(anyArrival, ({ wire, chunks }) => {
        const outcome = (pieces: readonly Uint8Array[]) => {
          const log = new FrameLog()
          const decoder = new FrameDecoder(log)
          decoder.maxBodyLength = 300
          const refusal = pieces.map((piece) => decoder.push(piece)).find((verdict) => verdict !== CONTINUE)
          return { frames: log.frames, refusal }
        }
        const { frames, refusal } = outcome(chunks)
        const expected = outcome(whole(wire))
        // After a refusal nobody pushes on, so only what came before it counts.
        assert.deepEqual(frames.slice(0, expected.frames.length), expected.frames)
        assert.deepEqual(refusal, expected.refusal)
      }),
      RUNS,
    )
  })

  const pairs = [
    ['ROUTER', 'DEALER'],
    ['PULL', 'PUSH'],
    ['XPUB', 'SUB'],
    ['SUB', 'PUB'],
    ['REP', 'REQ'],
    ['PAIR', 'PAIR'],
  ] as const satisfies readonly (readonly [SocketTypeName, SocketTypeName])[]
  const before: Readonly<Record<string, (peer: SocketTypeName) => Uint8Array>> = {
    'from the first byte on': () => bytes(),
    'after a good greeting': () => greeting(),
    'after a good handshake': (peer) => opening(peer),
  }
  for (const [when, start] of Object.entries(before)) {
    test(`are served or refused by a connection ${when}, alike however they are cut`, () => {
      fc.assert(
        fc.property(anyArrival, fc.constantFrom(...pairs), ({ wire, chunks }, [socketType, peer]) => {
          const play = (pieces: readonly Uint8Array[]) => {
            const { messages, violation, sentFrames, pingTtlsMs } = new PlayedConnection({ socketType })
              .receive(whole(start(peer)))
              .receive(pieces)
            return { messages, violation, sentFrames, pingTtlsMs }
          }
          assert.deepEqual(play(chunks), play(whole(wire)))
        }),
        RUNS,
      )
    })
  }

  test('that follow a good handshake never make a connection send more than it was sent', () => {
    fc.assert(
      fc.property(anyBytes, (wire) => {
        const played = new PlayedConnection().receive(whole(opening('DEALER')))
        const before = played.sent.length
        played.receive(whole(wire))
        assert.ok(played.sent.length - before <= wire.length)
      }),
      RUNS,
    )
  })
})

/** Bytes that a function's result holds. */
function retained(make: () => unknown): number {
  const before = usedBytes()
  const kept = make()
  const after = usedBytes()
  assert.notEqual(kept, undefined)
  return after - before
}

describe('memory', () => {
  test('is not taken for a body that was only announced', () => {
    const size = retained(() =>
      Array.from({ length: 100 }, () => {
        const played = new PlayedConnection().receive(whole(opening('DEALER')))
        return played.receive(whole(bytes('02 000000ffffffffff', '"only these"')))
      }),
    )
    assert.ok(size < 30 * MIB, `${size} bytes for 100 connections`)
  })

  test('for a long body that drips in single bytes is that of its bytes, not of their number', () => {
    const count = MIB
    const size = retained(() => {
      const log = new FrameLog()
      const decoder = new FrameDecoder(log)
      decoder.push(bytes('02 00000000ffffffff'))
      const byte = bytes('79')
      for (let i = 0; i < count; i++) decoder.push(byte)
      assert.equal(decoder.buffered, 9 + count)
      return decoder
    })
    // A chunk object a byte would take over 100 MiB.
    assert.ok(size < 8 * MIB, `${size} bytes for ${count} single bytes`)
  })

  test('for bytes that drip in during a pause is that of the bytes too', () => {
    const count = MIB
    const size = retained(() => {
      const played = new PlayedConnection().receive(whole(opening('DEALER')))
      played.verdict = PAUSE
      played.receive(whole(bytes('00 00')))
      const drop = [bytes('00')]
      for (let i = 0; i < count; i++) played.receive(drop)
      assert.equal(played.messages.length, 1)
      return played
    })
    assert.ok(size < 8 * MIB, `${size} bytes for ${count} single bytes`)
  })

  test('held by a handshake is bounded: a peer that never ends its READY is refused at 64 KiB', () => {
    const played = new PlayedConnection().receive(whole(greeting()))
    played.receive(byteByByte(bytes('06 0000000000010000')))
    assert.equal(played.violation?.code, 'ERR_ZMTP_MALFORMED_COMMAND_MESSAGE')
  })
})

test('the time that dripping takes grows with its bytes, not with their square', () => {
  const timed = (count: number) => {
    const decoder = new FrameDecoder(new FrameLog())
    decoder.push(bytes('02', count.toString(16).padStart(16, '0')))
    const byte = bytes('79')
    const start = performance.now()
    for (let i = 0; i < count; i++) decoder.push(byte)
    assert.equal(decoder.buffered, 0)
    return performance.now() - start
  }
  timed(100_000)
  const small = Math.max(1, timed(100_000))
  const large = timed(1_600_000)
  // 16 times the bytes: 16 times the time, or 256 times if it were the square. In between lies a busy machine.
  assert.ok(large < small * 100, `${large} ms for 16 times what took ${small} ms`)
})

test('a connection that was closed takes no more bytes and sends none', () => {
  const played = new PlayedConnection().receive(whole(bytes('"X"')))
  assert.ok(played.connection.closed)
  const { length } = played.sent
  fc.assert(fc.property(anyBytes, (wire) => assert.equal(played.connection.receive(wire), CONTINUE)))
  assert.equal(played.resume(), CONTINUE)
  assert.equal(played.sent.length, length)
  assert.deepEqual([played.messages, played.peers], [[], []])
})
