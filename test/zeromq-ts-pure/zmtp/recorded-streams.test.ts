// Each direction of each recording through the pure codec: it decodes to what the recorder read, however it is cut, and
// what that means encodes back to the same bytes.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
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
  encodeCommand,
  encodeGreeting,
  encodeMetadata,
  encodePing,
  FrameDecoder,
  FrameEncoder,
  GREETING_LENGTH,
  type Greeting,
  type Property,
  type Verdict,
  Violation,
} from 'zeromq-ts-pure/zmtp'
import {
  type DecodedStream,
  type RecordedFrame,
  type RecordedStream,
  readAllRecordings,
} from '../../conformance/zmtp/recording.ts'
import { arbitraryChunks, byteByByte, whole } from './chunks.ts'
import { FrameLog, type LoggedFrame } from './frame-log.ts'
import { bytes, hexOf } from './wire.ts'

const streams = readAllRecordings().flatMap(({ client, server }) => [client, server])
const COMMAND = 0x04
const MORE = 0x01

/** Streams that do not encode back to the same bytes, and why. */
const NOT_CANONICAL: Readonly<Record<string, string>> = {
  'raw-odd-long-form-small, client': 'a body of 5 bytes in the long form; we write the short one',
  'raw-odd-reserved-flags, client': 'reserved flag bits are set; we never set them',
  'raw-odd-ping-long-context, client': 'a PING context of 17 bytes; we keep 16',
  'raw-odd-ready-malformed, client': 'the metadata cannot be decoded',
}

/** Streams whose end is refused as soon as its header is there, not kept. */
const REFUSED_TAILS: Readonly<Record<string, string>> = {
  'raw-odd-huge-length, client': 'ERR_ZMTP_MALFORMED_COMMAND_MESSAGE',
}

/** Streams that are refused by their first bytes. */
const REFUSED_OPENINGS: Readonly<Record<string, string>> = {
  'raw-odd-http, client': 'ERR_ZMTP_UNSPECIFIED',
  'raw-odd-signature, client': 'ERR_ZMTP_UNSPECIFIED',
}

function decodeFrames(chunks: readonly Uint8Array[]): {
  readonly frames: readonly LoggedFrame[]
  readonly verdict: Verdict
  readonly buffered: number
} {
  const log = new FrameLog()
  const decoder = new FrameDecoder(log)
  let verdict: Verdict = CONTINUE
  for (const chunk of chunks) {
    verdict = decoder.push(chunk)
    if (verdict instanceof Violation) break
  }
  return { frames: log.frames, verdict, buffered: decoder.buffered }
}

function prefixVerdict(stream: Uint8Array): Violation | undefined {
  return checkGreetingPrefix((index) => stream[index] as number, stream.length)
}

function accepted<T extends object>(value: T | Violation): T {
  assert.ok(!(value instanceof Violation), value instanceof Violation ? value.reason : '')
  return value
}

function textOf(properties: readonly Property[]): Record<string, string> {
  return Object.fromEntries(properties.map(({ name, value }) => [name, Buffer.from(value).toString('latin1')]))
}

function checkCommand(recorded: RecordedFrame, body: Uint8Array): void {
  const command = accepted(decodeCommand(body))
  assert.equal(command.name, recorded.name)
  assert.equal(hexOf(command.data), hexOf(recorded.dataHex ?? bytes()))
  if (recorded.topicHex !== undefined) assert.equal(hexOf(command.data), hexOf(recorded.topicHex))
  if (recorded.name === 'PING') {
    const ping = accepted(decodePing(command.data))
    assert.equal(ping.ttlMs, (recorded.ttlDeciseconds ?? -1) * 100)
    assert.equal(hexOf(ping.context), hexOf((recorded.contextHex ?? bytes()).subarray(0, 16)))
  }
  if (recorded.name === 'PONG') assert.equal(hexOf(command.data), hexOf(recorded.contextHex ?? bytes()))
  if (recorded.name === 'ERROR') assert.equal(decodeErrorReason(command.data), recorded.reason)
}

function checkProperties(title: string, recorded: RecordedFrame, data: Uint8Array): void {
  const properties = decodeMetadata(data, 'ERR_ZMTP_MALFORMED_COMMAND_READY')
  if (title === 'raw-odd-ready-malformed, client') {
    // The recorder read what was there of a value that is announced longer than its frame.
    assert.ok(properties instanceof Violation)
    assert.equal(properties.code, 'ERR_ZMTP_MALFORMED_COMMAND_READY')
    return
  }
  assert.deepEqual(textOf(accepted(properties)), recorded.properties)
}

function checkMessagePart(recorded: RecordedFrame, body: Uint8Array): void {
  if (typeof recorded.bodyHex?.length === 'number') {
    assert.equal(hexOf(body), hexOf(recorded.bodyHex))
    return
  }
  assert.equal(createHash('sha256').update(body).digest('hex'), recorded.bodySha256)
  assert.equal(hexOf(body.subarray(0, 16)), hexOf(recorded.bodyStartHex ?? bytes()))
}

function checkFrames(title: string, decoded: DecodedStream, frames: readonly LoggedFrame[]): void {
  assert.equal(frames.length, decoded.frames.length)
  for (const [i, recorded] of decoded.frames.entries()) {
    const frame = frames[i] as LoggedFrame
    assert.equal(frame.flags, recorded.flags)
    assert.equal(frame.body.length, recorded.length)
    if (recorded.command) checkCommand(recorded, frame.body)
    else checkMessagePart(recorded, frame.body)
    if (recorded.name === 'READY') checkProperties(title, recorded, frame.body.subarray(6))
  }
}

/** Encodes from what a frame means, not from its body. */
function encodeMeaning(encoder: FrameEncoder, { flags, body }: LoggedFrame): void {
  if ((flags & COMMAND) === 0) {
    encoder.frame(flags & MORE, body)
    return
  }
  const { name, data } = accepted(decodeCommand(body))
  if (name === 'READY') {
    const properties = accepted(decodeMetadata(data, 'ERR_ZMTP_MALFORMED_COMMAND_READY'))
    encoder.frame(COMMAND, encodeCommand(name, encodeMetadata(properties)))
  } else if (name === 'PING') {
    const { ttlMs, context } = accepted(decodePing(data))
    encoder.frame(COMMAND, encodePing(ttlMs, context))
  } else {
    encoder.frame(COMMAND, encodeCommand(name, data))
  }
}

function encodeAll(frames: readonly LoggedFrame[]): Uint8Array {
  const encoder = new FrameEncoder()
  for (const frame of frames) encodeMeaning(encoder, frame)
  return new Uint8Array(Buffer.concat(encoder.take()))
}

/** A greeting without its padding, which carries no meaning (libzmq puts the length of its routing id there). */
function withoutPadding(greeting: Uint8Array): string {
  return hexOf(greeting.subarray(0, 1)) + hexOf(greeting.subarray(9))
}

function describeStream({ title, bytes: stream, decoded }: RecordedStream): void {
  const refused = REFUSED_OPENINGS[title]
  if (refused !== undefined) {
    test('is refused by its first bytes', () => assert.equal(prefixVerdict(stream)?.code, refused))
    return
  }
  if (decoded === undefined) {
    test('is the start of a greeting, and nothing in it is refused', () => {
      assert.ok(stream.length < GREETING_LENGTH)
      assert.equal(prefixVerdict(stream), undefined)
    })
    return
  }
  const greeting = stream.slice(0, GREETING_LENGTH)
  const traffic = stream.slice(GREETING_LENGTH)
  const frameBytes = traffic.slice(0, traffic.length - decoded.undecodedTail)

  test('has the greeting that was recorded, and we would send the same', () => {
    for (let length = 0; length <= greeting.length; length++) {
      assert.equal(prefixVerdict(greeting.subarray(0, length)), undefined)
    }
    const recorded = decoded.greeting
    const [major, minor] = recorded.version.split('.').map(Number)
    const expected = { major, minor, mechanism: recorded.mechanism, asServer: recorded.asServer === 1 }
    const fields = decodeGreeting(greeting)
    assert.deepEqual(fields, expected)
    assert.equal(withoutPadding(encodeGreeting(fields as Greeting)), withoutPadding(greeting))
  })

  test('decodes to the frames that were recorded: whole, byte by byte, and cut anywhere', () => {
    for (const chunks of [whole(frameBytes), byteByByte(frameBytes)]) {
      const { frames, verdict, buffered } = decodeFrames(chunks)
      checkFrames(title, decoded, frames)
      assert.equal(verdict, CONTINUE)
      assert.equal(buffered, 0)
    }
    const expected = decodeFrames(whole(frameBytes))
    const everyCut = fc.property(arbitraryChunks(frameBytes), (chunks) => {
      assert.deepEqual(decodeFrames(chunks), expected)
    })
    fc.assert(everyCut, { numRuns: 25 })
  })

  test('is decoded alike when the start of another frame follows, and that is held', () => {
    for (const tail of [bytes('01'), bytes('00 05', '"ab"'), bytes('02 00 00 00'), bytes('03 00000000 00000100 79')]) {
      const { frames, verdict, buffered } = decodeFrames(whole(bytes(hexOf(frameBytes), hexOf(tail))))
      checkFrames(title, decoded, frames)
      assert.equal(verdict, CONTINUE)
      assert.equal(buffered, tail.length)
    }
  })

  const refusedTail = REFUSED_TAILS[title]
  if (refusedTail !== undefined) {
    test('ends in a header that is refused without waiting for its body', () => {
      for (const chunks of [whole(traffic), byteByByte(traffic)]) {
        const { verdict } = decodeFrames(chunks)
        assert.ok(verdict instanceof Violation)
        assert.equal(verdict.code, refusedTail)
      }
    })
  }

  const notCanonical = NOT_CANONICAL[title]
  if (notCanonical === undefined) {
    test('encodes back to the same bytes', () => {
      const { frames } = decodeFrames(whole(frameBytes))
      assert.equal(hexOf(encodeAll(frames)), hexOf(frameBytes))
    })
  } else {
    test(`does not encode back to the same bytes: ${notCanonical}`, () => {
      const { frames } = decodeFrames(whole(frameBytes))
      if (title === 'raw-odd-ready-malformed, client') assert.throws(() => encodeAll(frames))
      else assert.notEqual(hexOf(encodeAll(frames)), hexOf(frameBytes))
    })
  }
}

test('every exception names a stream that is there', () => {
  const titles = new Set(streams.map(({ title }) => title))
  for (const title of Object.keys({ ...NOT_CANONICAL, ...REFUSED_TAILS, ...REFUSED_OPENINGS })) {
    assert.ok(titles.has(title), title)
  }
})

for (const stream of streams) describe(stream.title, () => describeStream(stream))
