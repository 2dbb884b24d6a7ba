import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { COMMAND, encodeFrame, FrameEncoder, frameLength, MORE, writeFrameHeader } from 'zeromq-ts-pure/zmtp'
import { usedBytes } from '../heap.ts'
import { bytes, hexOf } from './wire.ts'

/** Bytes on the wire by ZMTP 3.1, "Framing": flags, length of 1 or 8 bytes, body. */
const FRAMES = [
  { name: 'an empty body', flags: 0, body: bytes(), header: '0000' },
  { name: 'one byte with more to come', flags: MORE, body: bytes('5a'), header: '0101' },
  { name: 'the longest short body', flags: 0, body: new Uint8Array(255), header: '00ff' },
  { name: 'the shortest long body', flags: 0, body: new Uint8Array(256), header: '020000000000000100' },
  { name: 'a long part with more to come', flags: MORE, body: new Uint8Array(70_000), header: '030000000000011170' },
  { name: 'a command', flags: COMMAND, body: bytes('04', '"PONG"'), header: '0405' },
  { name: 'a long command', flags: COMMAND, body: new Uint8Array(300), header: '06000000000000012c' },
]

function joined(pieces: readonly Uint8Array[]): string {
  return hexOf(Buffer.concat(pieces))
}

describe('one frame', () => {
  for (const { name, flags, body, header } of FRAMES) {
    test(`${name}: header ${header}`, () => {
      const expected = header + hexOf(body)
      assert.equal(hexOf(encodeFrame(flags, body)), expected)
      assert.equal(frameLength(body.length), expected.length / 2)
      const encoder = new FrameEncoder()
      encoder.frame(flags, body)
      assert.equal(encoder.length, expected.length / 2)
      assert.equal(joined(encoder.take()), expected)
      assert.equal(encoder.length, 0)
    })
  }

  test('a length beyond 4 GiB has all its 8 bytes', () => {
    const header = new Uint8Array(9)
    assert.equal(writeFrameHeader(header, 0, MORE, 0x12_3456_789a), 9)
    assert.equal(hexOf(header), '03 00 00 00 12 34 56 78 9a'.replaceAll(' ', ''))
  })
})

describe('an encoder', () => {
  test('marks every part of a message but the last', () => {
    const encoder = new FrameEncoder()
    encoder.message([bytes('61'), bytes(), bytes('62')])
    encoder.message([bytes('63')])
    assert.equal(joined(encoder.take()), '0101610100000162000163')
  })

  test('gives many small messages as one piece', () => {
    const encoder = new FrameEncoder()
    const burst = () => {
      for (let i = 0; i < 1_000; i++) encoder.message([bytes('61'), bytes('62')])
      return encoder.take()
    }
    // Its chunks begin small; after some bursts they are as large as they get.
    for (let i = 0; i < 20; i++) burst()
    const lengths = Array.from({ length: 10 }, () => burst().length)
    assert.ok(Math.max(...lengths) <= 2, lengths.join())
    assert.ok(lengths.filter((length) => length === 1).length >= 8, lengths.join())
  })

  test('gives a large body as it is, uncopied and in its place', () => {
    const encoder = new FrameEncoder()
    const large = new Uint8Array(8_192).fill(7)
    encoder.message([bytes('61')])
    encoder.message([large])
    encoder.message([bytes('62')])
    const pieces = encoder.take()
    assert.equal(pieces[1], large)
    assert.equal(joined(pieces), `000161020000000000002000${hexOf(large)}000162`)
  })

  test('keeps the order across its chunks, and leaves taken pieces alone', () => {
    const encoder = new FrameEncoder()
    const bodies = Array.from({ length: 200 }, (_, i) => new Uint8Array(1_000).fill(i))
    const taken: Uint8Array[] = []
    for (const [i, body] of bodies.entries()) {
      encoder.message([body])
      if (i % 7 === 0) taken.push(...encoder.take())
    }
    taken.push(...encoder.take())
    assert.equal(joined(taken), bodies.map((body) => hexOf(encodeFrame(0, body))).join(''))
  })

  test('copies small bodies: whoever sent them may use their memory again', () => {
    const encoder = new FrameEncoder()
    const small = bytes('61 62')
    encoder.message([small])
    small.fill(0)
    assert.equal(joined(encoder.take()), '00026162')
  })

  test('appends what is encoded already in its place', () => {
    const encoder = new FrameEncoder()
    encoder.message([bytes('61')])
    encoder.raw(bytes('04 05 04', '"PONG"'))
    encoder.message([bytes('62')])
    assert.equal(encoder.length, 3 + 7 + 3)
    assert.equal(joined(encoder.take()), `000161${hexOf(bytes('04 05 04', '"PONG"'))}000162`)
  })

  test('takes next to no memory before it is used, since most of many connections are idle', () => {
    const before = usedBytes()
    const encoders = Array.from({ length: 200 }, () => new FrameEncoder())
    for (const encoder of encoders) encoder.message([bytes('61')])
    const each = (usedBytes() - before) / encoders.length
    assert.ok(each < 8_192, `${each} bytes each`)
    assert.equal(encoders.length, 200)
  })

  test('has nothing to give when nothing came', () => {
    const encoder = new FrameEncoder()
    assert.deepEqual(encoder.take(), [])
    encoder.message([bytes()])
    encoder.take()
    assert.deepEqual(encoder.take(), [])
  })
})
