import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  CONTINUE,
  encodeFrame,
  FrameDecoder,
  FrameEncoder,
  LONG,
  MORE,
  PAUSE,
  type Verdict,
  Violation,
} from 'zeromq-ts-pure/zmtp'
import { arbitraryChunks, byteByByte, cutAt, whole } from './chunks.ts'
import { FrameLog } from './frame-log.ts'
import { bytes, hexOf } from './wire.ts'

const TOO_LONG = 'ERR_ZMTP_MALFORMED_COMMAND_MESSAGE'

/** Frames by the layout in ZMTP 3.1, "Framing". */
const FRAMES = {
  'an empty last part': { wire: bytes('00 00'), flags: 0, body: bytes() },
  'an empty part with more to come': { wire: bytes('01 00'), flags: 1, body: bytes() },
  'one byte': { wire: bytes('00 01 5a'), flags: 0, body: bytes('"Z"') },
  'the longest short body': { wire: bytes('00 ff', '79'.repeat(255)), flags: 0, body: bytes('79'.repeat(255)) },
  'the shortest long body': {
    wire: bytes('02 0000000000000100', '79'.repeat(256)),
    flags: 2,
    body: bytes('79'.repeat(256)),
  },
  'a long part with more to come': {
    wire: bytes('03 0000000000000101', '79'.repeat(257)),
    flags: 3,
    body: bytes('79'.repeat(257)),
  },
  'a small body in the long form': { wire: bytes('02 0000000000000003', '"abc"'), flags: 2, body: bytes('"abc"') },
  'an empty body in the long form': { wire: bytes('02 0000000000000000'), flags: 2, body: bytes() },
  'a short command': { wire: bytes('04 05 04', '"PONG"'), flags: 4, body: bytes('04', '"PONG"') },
  'a long command': {
    wire: bytes('06 0000000000000106 05', '"READY"', '00'.repeat(256)),
    flags: 6,
    body: bytes('05', '"READY"', '00'.repeat(256)),
  },
  'reserved flags, which are for the reader to judge': { wire: bytes('f8 01 5a'), flags: 0xf8, body: bytes('5a') },
}

function decode(chunks: readonly Uint8Array[], limit = -1) {
  const log = new FrameLog()
  const decoder = new FrameDecoder(log)
  decoder.maxBodyLength = limit
  let verdict: Verdict = CONTINUE
  for (const chunk of chunks) verdict = decoder.push(chunk)
  return { frames: log.frames, verdict, buffered: decoder.buffered }
}

for (const [name, { wire, flags, body }] of Object.entries(FRAMES)) {
  describe(name, () => {
    test('is decoded whole, byte by byte, and cut anywhere in two', () => {
      const cuts = wire.length < 12 ? Array.from(wire.keys()) : [1, 2, 5, 8, 9, 10, 11, wire.length - 1]
      for (const chunks of [whole(wire), byteByByte(wire), ...cuts.map((place) => cutAt(wire, [place]))]) {
        assert.deepEqual(decode(chunks), { frames: [{ flags, body }], verdict: CONTINUE, buffered: 0 })
      }
    })

    test('waits for its last byte', () => {
      const { frames, verdict, buffered } = decode(whole(wire.slice(0, -1)))
      assert.deepEqual({ frames, verdict, buffered }, { frames: [], verdict: CONTINUE, buffered: wire.length - 1 })
    })

    test('is followed by the start of another frame, which is held', () => {
      const tail = bytes('02 0000')
      const { frames, buffered } = decode(whole(bytes(hexOf(wire), hexOf(tail))))
      assert.deepEqual(frames, [{ flags, body }])
      assert.equal(buffered, tail.length)
    })
  })
}

test('a length of 8 bytes is not read before all 8 are there, wherever it is cut', () => {
  const wire = FRAMES['the shortest long body'].wire
  const chunks = cutAt(wire, [3, 8, 9, 109])
  assert.deepEqual(
    chunks.map(({ length }) => length),
    [3, 5, 1, 100, 156],
  )
  assert.deepEqual(decode(chunks).frames, [{ flags: LONG, body: bytes('79'.repeat(256)) }])
})

test('a body that lies whole in its chunk is handed on without a copy', () => {
  const chunk = bytes('00 01 5a 00 01 5b')
  let seen: Uint8Array | undefined
  const decoder = new FrameDecoder({
    frame: (_flags, body) => {
      seen = body
      return CONTINUE
    },
  })
  decoder.push(chunk)
  assert.equal(seen?.buffer, chunk.buffer)
})

describe('the limit', () => {
  const header = bytes('02 0000000000000401')

  test('lets a body of just that length pass', () => {
    const body = new Uint8Array(0x400)
    assert.equal(decode(whole(encodeFrame(0, body)), 0x400).frames.length, 1)
  })

  test('is checked when the header is there, before any byte of the body', () => {
    for (const chunks of [whole(header), byteByByte(header), cutAt(header, [1]), cutAt(header, [8])]) {
      const { frames, verdict } = decode(chunks, 0x400)
      assert.ok(verdict instanceof Violation)
      assert.equal(verdict.code, TOO_LONG)
      assert.match(verdict.reason, /1025 bytes.*limit is 1024.*maxMessageSize/)
      assert.equal(frames.length, 0)
    }
  })

  test('counts a body in the short form too', () => {
    const { verdict } = decode(whole(bytes('00 0b')), 10)
    assert.ok(verdict instanceof Violation && verdict.code === TOO_LONG)
  })

  test('of 0 lets only empty bodies pass', () => {
    assert.equal(decode(whole(bytes('00 00 02 0000000000000000')), 0).frames.length, 2)
    assert.ok(decode(whole(bytes('00 01')), 0).verdict instanceof Violation)
  })

  test('is there even when none is set: no length beyond 2^53 is waited for', () => {
    for (const length of ['ffffffffffffffff', '8000000000000000', '0020000000000000']) {
      const { verdict } = decode(whole(bytes('02', length)))
      assert.ok(verdict instanceof Violation && verdict.code === TOO_LONG, length)
    }
    const { verdict, buffered } = decode(whole(bytes('02 001fffffffffffff')))
    assert.equal(verdict, CONTINUE)
    assert.equal(buffered, 9)
  })

  test('set between two chunks holds for the frame that is not complete yet', () => {
    const decoder = new FrameDecoder(new FrameLog())
    decoder.push(bytes('02 00000000'))
    decoder.maxBodyLength = 10
    assert.ok(decoder.push(bytes('0000000b')) instanceof Violation)
  })
})

describe('a pause', () => {
  test('keeps what follows the frame, also what arrives later, until it is over', () => {
    const log = new FrameLog((count) => (count === 1 ? PAUSE : CONTINUE))
    const decoder = new FrameDecoder(log)
    assert.equal(decoder.push(bytes('00 01 61 00 01 62 00')), PAUSE)
    assert.equal(decoder.push(bytes('01')), PAUSE)
    assert.equal(decoder.push(bytes('63')), PAUSE)
    assert.equal(log.frames.length, 1)
    assert.equal(decoder.buffered, 6)
    assert.equal(decoder.resume(), CONTINUE)
    assert.deepEqual(
      log.frames.map(({ body }) => hexOf(body)),
      ['61', '62', '63'],
    )
    assert.equal(decoder.buffered, 0)
  })

  test('at the end of a chunk holds too: nothing is handed on before it is over', () => {
    const log = new FrameLog((count) => (count === 1 ? PAUSE : CONTINUE))
    const decoder = new FrameDecoder(log)
    assert.equal(decoder.push(bytes('00 01 61')), PAUSE)
    assert.equal(decoder.push(bytes('00 01 62')), PAUSE)
    assert.equal(log.frames.length, 1)
    assert.equal(decoder.resume(), CONTINUE)
    assert.equal(log.frames.length, 2)
  })

  test('may be asked for again while it ends', () => {
    const log = new FrameLog(() => PAUSE)
    const decoder = new FrameDecoder(log)
    decoder.push(bytes('00 01 61 00 01 62 00 01 63'))
    assert.equal(decoder.resume(), PAUSE)
    assert.equal(decoder.resume(), PAUSE)
    assert.equal(log.frames.length, 3)
    assert.equal(decoder.resume(), CONTINUE)
  })

  test('that nobody asked for does not end', () => {
    assert.equal(new FrameDecoder(new FrameLog()).resume(), CONTINUE)
  })

  test('at any frames, over any chunks, loses and reorders nothing', () => {
    const bodies = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 12 })
    const stream = bodies.map((parts) => {
      const encoder = new FrameEncoder()
      for (const part of parts) encoder.message([part])
      return { parts, wire: new Uint8Array(Buffer.concat(encoder.take())) }
    })
    const arrival = stream.chain(({ parts, wire }) =>
      fc.record({
        parts: fc.constant(parts),
        chunks: arbitraryChunks(wire),
        pauses: fc.array(fc.boolean(), { minLength: parts.length, maxLength: parts.length }),
        // How many chunks come in before each pause is ended.
        patience: fc.nat({ max: 3 }),
      }),
    )
    fc.assert(
      fc.property(arrival, ({ parts, chunks, pauses, patience }) => {
        const log = new FrameLog((count) => (pauses[count - 1] === true ? PAUSE : CONTINUE))
        const decoder = new FrameDecoder(log)
        let waited = 0
        for (const chunk of chunks) {
          const before = log.frames.length
          const paused = decoder.push(chunk) === PAUSE
          if (waited > 0) assert.equal(log.frames.length, before, 'a frame was handed on during a pause')
          waited = paused ? waited + 1 : 0
          if (waited > patience) waited = decoder.resume() === PAUSE ? 1 : 0
        }
        while (decoder.resume() === PAUSE);
        assert.deepEqual(
          log.frames.map(({ body }) => hexOf(body)),
          parts.map(hexOf),
        )
        assert.equal(decoder.buffered, 0)
      }),
    )
  })
})

test('a violation of the sink ends the decoding at that frame', () => {
  const violation = new Violation('ERR_ZMTP_UNSPECIFIED', 'enough')
  const log = new FrameLog((count) => (count === 2 ? violation : CONTINUE))
  for (const chunks of [whole(bytes('00 00 00 00 00 00')), byteByByte(bytes('00 00 00 00'))]) {
    log.frames.length = 0
    const decoder = new FrameDecoder(log)
    assert.equal(chunks.map((chunk) => decoder.push(chunk)).at(-1), violation)
    assert.equal(log.frames.length, 2)
  }
})

test('any messages survive any cuts of their stream', () => {
  const length = fc.oneof(
    fc.nat({ max: 70_000 }),
    fc.constantFrom(0, 1, 31, 32, 33, 254, 255, 256, 1_023, 1_024, 1_025, 8_191, 8_192, 65_535, 65_536, 70_000),
    fc.nat({ max: 40 }),
  )
  // A body's content follows from its length and place, so that shrinking stays fast.
  const messages = fc.array(fc.array(length, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 })
  const arrival = messages.chain((lengths) => {
    const sent = lengths.map((parts, i) => parts.map((size, j) => new Uint8Array(size).map((_, k) => k * 7 + i + j)))
    const encoder = new FrameEncoder()
    for (const message of sent) encoder.message(message)
    const wire = new Uint8Array(Buffer.concat(encoder.take()))
    return fc.record({ sent: fc.constant(sent), chunks: arbitraryChunks(wire) })
  })
  fc.assert(
    fc.property(arrival, ({ sent, chunks }) => {
      const { frames, verdict, buffered } = decode(chunks)
      const messages: Uint8Array[][] = [[]]
      for (const { flags, body } of frames) {
        messages.at(-1)?.push(body)
        if ((flags & MORE) === 0) messages.push([])
      }
      assert.deepEqual(messages.pop(), [])
      assert.equal(verdict, CONTINUE)
      assert.equal(buffered, 0)
      assert.deepEqual(messages, sent)
    }),
    { numRuns: 60 },
  )
})
