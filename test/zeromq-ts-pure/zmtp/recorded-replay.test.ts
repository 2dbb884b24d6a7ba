// Our Connection in the place of each peer of each recording, against the bytes of the other one: it delivers the same
// messages, answers the same PINGs and refuses what libzmq refused. Where we differ on purpose, a table says why.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { encodeCommand, encodeFrame, GREETING_LENGTH, type SocketTypeName } from 'zeromq-ts-pure/zmtp'
import {
  type RecordedFrame,
  type RecordedStream,
  type Recording,
  readAllRecordings,
  readRecording,
} from '../../conformance/zmtp/recording.ts'
import { byteByByte, whole } from './chunks.ts'
import { PlayedConnection } from './played-connection.ts'
import { bytes, hexOf } from './wire.ts'

const COMMAND = 0x04

/** By the side that we play: with which code we close on what the other side sent. */
const REFUSED: Readonly<Record<string, string>> = {
  'null-incompatible-types, client': 'ERR_ZMTP_INVALID_METADATA',
  'null-incompatible-types, server': 'ERR_ZMTP_INVALID_METADATA',
  'null-maxmsgsize, server': 'ERR_ZMTP_MALFORMED_COMMAND_MESSAGE',
  'raw-odd-error-command, server': 'ERR_ZMTP_UNSPECIFIED',
  'raw-odd-http, server': 'ERR_ZMTP_UNSPECIFIED',
  'raw-odd-huge-length, server': 'ERR_ZMTP_MALFORMED_COMMAND_MESSAGE',
  'raw-odd-mechanism, server': 'ERR_ZMTP_MECHANISM_MISMATCH',
  'raw-odd-message-before-ready, server': 'ERR_ZMTP_UNEXPECTED_COMMAND',
  'raw-odd-ready-malformed, server': 'ERR_ZMTP_MALFORMED_COMMAND_READY',
  'raw-odd-signature, server': 'ERR_ZMTP_UNSPECIFIED',
}

/** Where we differ from libzmq on purpose. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  'raw-odd-http, server': 'libzmq waits for its handshake timeout; we close with the first byte that is no greeting',
  'null-xsub-xpub, client': 'what an XSUB application sends as 01 or 00 and a topic leaves as a command for 3.1 peers',
}

/** Closed in good order once the recorded work was done. */
const CLOSED_WHEN_DONE: ReadonlySet<string> = new Set([
  'emqp-admin-session',
  'emqp-client-session',
  'emqp-jobmanager-session',
  'emqp-scheduler-session',
])

/** What our side was told before, in the recordings where that matters. */
const MAX_MESSAGE_SIZE: Readonly<Record<string, number>> = { 'null-maxmsgsize, server': 1_000 }

/** How many messages are delivered before what is refused: the recorded peer sent 1,000 bytes, then 1,001. */
const DELIVERED_FIRST: Readonly<Record<string, number>> = { 'null-maxmsgsize, server': 1 }

interface Play {
  readonly own: RecordedStream
  readonly peer: RecordedStream
}

function plays(recording: Recording): readonly Play[] {
  const { client, server } = recording
  return [
    { own: server, peer: client },
    { own: client, peer: server },
  ]
}

function play({ own }: Play, chunks: readonly Uint8Array[]): PlayedConnection {
  const identity = own.decoded?.frames.find(({ name }) => name === 'READY')?.properties?.['Identity']
  return new PlayedConnection({
    socketType: own.socketType,
    routingId: Buffer.from(identity ?? '', 'latin1'),
    maxMessageSize: MAX_MESSAGE_SIZE[own.title] ?? -1,
  }).receive(chunks)
}

function isPublisher(type: SocketTypeName): boolean {
  return type === 'PUB' || type === 'XPUB'
}

/** A recorded message part, or what a publisher is given for a subscription command: as hex, or as a digest if long. */
function partOf(frame: RecordedFrame, reader: SocketTypeName): string | undefined {
  if (!frame.command) return frame.bodySha256 ?? hexOf(frame.bodyHex ?? bytes())
  if (!isPublisher(reader)) return undefined
  if (frame.name === 'SUBSCRIBE') return `01${hexOf(frame.dataHex ?? bytes())}`
  if (frame.name === 'CANCEL') return `00${hexOf(frame.dataHex ?? bytes())}`
  return undefined
}

/** The messages that a stream carries to a reader of this type. */
function messagesOf(stream: RecordedStream, reader: SocketTypeName): readonly (readonly string[])[] {
  const messages: string[][] = []
  let parts: string[] = []
  for (const frame of stream.decoded?.frames ?? []) {
    const part = partOf(frame, reader)
    if (part === undefined) continue
    parts.push(part)
    if (frame.more) continue
    messages.push(parts)
    parts = []
  }
  return messages
}

/** A delivered part in the form of `partOf`. */
function textOf(part: Uint8Array): string {
  return part.length > 512 ? createHash('sha256').update(part).digest('hex') : hexOf(part)
}

function commandsSent(connection: PlayedConnection, after: Uint8Array): string {
  return hexOf(connection.sent.subarray(GREETING_LENGTH + after.length))
}

function readyOf(stream: RecordedStream): Uint8Array {
  const ready = stream.decoded?.frames.find(({ name }) => name === 'READY')
  return ready?.dataHex === undefined ? bytes() : encodeFrame(COMMAND, encodeCommand('READY', ready.dataHex))
}

function pongsOf(stream: RecordedStream): string {
  const pongs = stream.decoded?.frames.filter(({ name }) => name === 'PONG') ?? []
  return pongs.map(({ dataHex }) => hexOf(encodeFrame(COMMAND, encodeCommand('PONG', dataHex ?? bytes())))).join('')
}

function describePlay(played: Play): void {
  const { own, peer } = played
  const refused = REFUSED[own.title]
  const ways = { whole: whole(peer.bytes), 'byte by byte': byteByByte(peer.bytes), 'as recorded': peer.chunks }

  for (const [way, chunks] of Object.entries(ways)) {
    test(`${refused === undefined ? 'serves' : 'refuses'} the ${peer.socketType} when its bytes come ${way}`, () => {
      const connection = play(played, chunks)
      assert.equal(connection.violation?.code, refused)
      assert.equal(connection.connection.closed, refused !== undefined)
      const all = messagesOf(peer, own.socketType)
      const delivered = refused === undefined ? all : all.slice(0, DELIVERED_FIRST[own.title] ?? 0)
      assert.deepEqual(
        connection.messages.map((parts) => parts.map(textOf)),
        delivered,
      )
    })
  }

  if (own.libzmq && own.decoded !== undefined) {
    test('opens as libzmq does, and answers every PING alike', () => {
      const connection = play(played, whole(peer.bytes))
      const { sent } = connection
      assert.equal(hexOf(sent.subarray(9, GREETING_LENGTH)), hexOf(own.bytes.subarray(9, GREETING_LENGTH)))
      const ready = readyOf(own)
      assert.equal(hexOf(sent.subarray(GREETING_LENGTH, GREETING_LENGTH + ready.length)), hexOf(ready))
      assert.equal(commandsSent(connection, ready), pongsOf(own))
    })
  }

  if (own.libzmq && refused === undefined && DIFFERENCES[own.title] === undefined) {
    test('sends the same messages in the same bytes', () => {
      const connection = play(played, whole(peer.bytes))
      const traffic = own.bytes.subarray(GREETING_LENGTH)
      const sides = own.decoded?.frames ?? []
      let message: Uint8Array[] = []
      for (const frame of sides) {
        const header = frame.long ? 9 : 2
        const body = traffic.slice(frame.offset + header, frame.offset + header + frame.length)
        const subscription = partOf(frame, 'XPUB')
        if (subscription === undefined) continue
        message.push(frame.command ? bytes(subscription) : body)
        if (frame.more) continue
        const encoded = hexOf(connection.encode(message))
        const start = frame.offset + header + frame.length - encoded.length / 2
        assert.equal(encoded, hexOf(traffic.slice(start, frame.offset + header + frame.length)))
        message = []
      }
    })
  }
}

const recordings = readAllRecordings()

for (const recording of recordings) {
  for (const played of plays(recording)) describe(`in the place of ${played.own.title}`, () => describePlay(played))
}

describe('what libzmq did', () => {
  test('we refuse what it refused and nothing else, but for the differences in the table', () => {
    for (const { name, closedBy, expectation } of recordings) {
      if (CLOSED_WHEN_DONE.has(name)) continue
      for (const side of ['client', 'server'] as const) {
        const title = `${name}, ${side}`
        // A reset while it was recorded is the close of a server that had unread bytes.
        const closedByReset = side === 'server' && closedBy?.includes('ConnectionResetError')
        const serverClosed = side === 'server' && expectation.serverClosed
        const closed = closedBy === side || closedByReset || serverClosed
        // Either peer of a pair that does not fit closes; the client was first.
        if (title === 'null-incompatible-types, server' || DIFFERENCES[title] !== undefined) continue
        assert.equal(REFUSED[title] !== undefined, closed === true, title)
      }
    }
  })

  test('its ROUTER application was given what ours is given', () => {
    const seen = recordings.filter(({ expectation }) => expectation.routerDelivered)
    assert.ok(seen.length >= 8)
    for (const recording of seen) {
      const [served] = plays(recording)
      assert.ok(served)
      const [, ...parts] = recording.expectation.routerDelivered ?? []
      const { messages } = play(served, whole(served.peer.bytes))
      assert.deepEqual(
        messages.map((message) => message.map(textOf)),
        [parts.map(textOf)],
        recording.name,
      )
    }
  })

  test('its XPUB application was given what ours is given, whichever form the subscriptions had', () => {
    const seen = recordings.filter(({ expectation }) => expectation.xpubSawSubscribe ?? expectation.xpubReceived)
    assert.equal(seen.length, 5)
    for (const recording of seen) {
      const [served] = plays(recording)
      assert.ok(served)
      const { xpubReceived, xpubSawSubscribe, xpubSawCancel } = recording.expectation
      const expected = xpubReceived ?? [[xpubSawSubscribe ?? bytes()], [xpubSawCancel ?? bytes()]]
      const { messages } = play(served, whole(served.peer.bytes))
      assert.deepEqual(
        messages.map((message) => message.map(textOf)),
        expected.map((message) => message.map(textOf)),
      )
    }
  })

  test('an XSUB application that sends 01 and a topic subscribes with a command, where libzmq sends the message', () => {
    const recording = readRecording('null-xsub-xpub')
    const [, asClient] = plays(recording)
    assert.ok(asClient)
    const connection = play(asClient, whole(asClient.peer.bytes))
    assert.equal(hexOf(connection.encode([bytes('01 74')])), hexOf(bytes('04 0b 09', '"SUBSCRIBE"', '74')))
    assert.equal(hexOf(connection.encode([bytes('00 74')])), hexOf(bytes('04 08 06', '"CANCEL"', '74')))
    assert.equal(hexOf(connection.encode([bytes('"up"')])), hexOf(bytes('00 02', '"up"')))
  })
})

test('every exception names a stream that is there', () => {
  const titles = new Set(recordings.flatMap(({ client, server }) => [client.title, server.title]))
  const named = { ...REFUSED, ...DIFFERENCES, ...MAX_MESSAGE_SIZE, ...DELIVERED_FIRST }
  for (const title of Object.keys(named)) assert.ok(titles.has(title), title)
})
