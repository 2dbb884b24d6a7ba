import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CONTINUE, encodeFrame, PAUSE, Violation } from 'zeromq-ts-pure/zmtp'
import { byteByByte, whole } from './chunks.ts'
import { PlayedConnection } from './played-connection.ts'
import { bytes, greeting, hexOf, opening, ready } from './wire.ts'

/** A ROUTER whose handshake with a DEALER is done. */
function established(): PlayedConnection {
  const connection = new PlayedConnection().receive(whole(opening('DEALER')))
  assert.equal(connection.peers.length, 1)
  return connection
}

describe('the opening', () => {
  test('sends signature and major version without waiting for the peer', () => {
    assert.equal(hexOf(new PlayedConnection().sent), 'ff00000000000000017f03')
  })

  test('sends the rest of the greeting once the major version of the peer is there, and READY after its greeting', () => {
    const connection = new PlayedConnection()
    const peer = greeting()
    connection.receive([peer.slice(0, 10)])
    assert.equal(connection.sent.length, 11)
    connection.receive([peer.slice(10, 11)])
    assert.equal(hexOf(connection.sent), hexOf(greeting()))
    connection.receive([peer.slice(11)])
    assert.equal(hexOf(connection.sentFrames), hexOf(ready('ROUTER', '')))
  })

  test('states a routing id in READY for the types that have one', () => {
    const routingId = bytes('"worker-1"')
    const dealer = new PlayedConnection({ socketType: 'DEALER', routingId }).receive(whole(greeting()))
    assert.equal(hexOf(dealer.sentFrames), hexOf(ready('DEALER', 'worker-1')))
    const pull = new PlayedConnection({ socketType: 'PULL', routingId }).receive(whole(greeting()))
    assert.equal(hexOf(pull.sentFrames), hexOf(ready('PULL')))
  })

  test('says who the peer is, before its first message', () => {
    const wire = bytes(hexOf(greeting({ version: [3, 0] })), hexOf(ready('DEALER', 'me')), '00 01 5a')
    for (const chunks of [whole(wire), byteByByte(wire)]) {
      const { peers, messages, connection } = new PlayedConnection().receive(chunks)
      assert.equal(peers.length, 1)
      const [peer] = peers
      assert.deepEqual([peer?.major, peer?.minor, peer?.socketType], [3, 0, 'DEALER'])
      assert.equal(hexOf(peer?.routingId ?? bytes()), hexOf(bytes('"me"')))
      assert.equal(connection.peer, peer)
      assert.deepEqual(messages, [[bytes('5a')]])
    }
  })

  test('takes a peer without a Socket-Type, as libzmq does', () => {
    const { peers } = new PlayedConnection().receive(whole(bytes(hexOf(greeting()), '04 06 05', '"READY"')))
    assert.equal(peers[0]?.socketType, undefined)
  })

  const refused = {
    'another mechanism': { wire: greeting({ mechanism: 'PLAIN' }), code: 'ERR_ZMTP_MECHANISM_MISMATCH' },
    'no mechanism': { wire: greeting({ mechanism: '' }), code: 'ERR_ZMTP_MECHANISM_MISMATCH' },
    'a type that it cannot talk to': { wire: opening('SUB'), code: 'ERR_ZMTP_INVALID_METADATA' },
    'a type that there is not': { wire: opening('TOASTER'), code: 'ERR_ZMTP_INVALID_METADATA' },
    'a routing id of 256 bytes': {
      wire: bytes(
        hexOf(greeting()),
        '06 0000000000000129 05',
        '"READY"',
        '0b',
        '"Socket-Type"',
        '00000006',
        '"DEALER"',
        '08',
        '"Identity"',
        '00000100',
        '61'.repeat(256),
      ),
      code: 'ERR_ZMTP_INVALID_METADATA',
    },
    'a handshake frame of more than 64 KiB, by its header': {
      wire: bytes(hexOf(greeting()), '06 0000000000010000'),
      code: 'ERR_ZMTP_MALFORMED_COMMAND_MESSAGE',
    },
  }
  for (const [what, { wire, code }] of Object.entries(refused)) {
    test(`refuses ${what}`, () => {
      for (const chunks of [whole(wire), byteByByte(wire)]) {
        const { violation, peers, connection } = new PlayedConnection().receive(chunks)
        assert.equal(violation?.code, code)
        assert.equal(peers.length, 0)
        assert.ok(connection.closed)
      }
    })
  }

  test('holds back nothing that a refused peer sends afterwards', () => {
    const played = new PlayedConnection().receive(whole(bytes('"GET /"')))
    const sent = played.sent.length
    played.receive(whole(opening('DEALER'))).receive(whole(bytes('00 01 5a')))
    assert.equal(played.messages.length, 0)
    assert.equal(played.peers.length, 0)
    assert.equal(played.sent.length, sent)
  })
})

describe('every frame in every state', () => {
  const frames = {
    message: bytes('00 01 5a'),
    READY: ready('DEALER'),
    ERROR: bytes('04 0b 05', '"ERROR"', '04', '"nope"'),
    PING: bytes('04 07 04', '"PING"', '0000'),
    PONG: bytes('04 05 04', '"PONG"'),
    SUBSCRIBE: bytes('04 0b 09', '"SUBSCRIBE"', '61'),
    CANCEL: bytes('04 08 06', '"CANCEL"', '61'),
    FROB: bytes('04 05 04', '"FROB"'),
    'a command without a name': bytes('04 00'),
    'a command with the MORE flag': bytes('05 05 04', '"PONG"'),
  }
  const allowed: Readonly<Record<string, readonly string[]>> = {
    handshake: ['READY'],
    // A second READY is as meaningless as an unknown command; libzmq passes over both.
    traffic: ['message', 'READY', 'PING', 'PONG', 'SUBSCRIBE', 'CANCEL', 'FROB'],
  }
  const before: Readonly<Record<string, Uint8Array>> = { handshake: greeting(), traffic: opening('DEALER') }

  for (const [state, names] of Object.entries(allowed)) {
    for (const [name, frame] of Object.entries(frames)) {
      const legal = names.includes(name)
      test(`${name} in ${state} ${legal ? 'is served' : 'closes the connection'}`, () => {
        const played = new PlayedConnection().receive(whole(before[state] ?? bytes()))
        assert.ok(!played.connection.closed)
        played.receive(byteByByte(frame))
        assert.equal(played.violation === undefined, legal, played.violation?.reason)
        assert.equal(played.connection.closed, !legal)
      })
    }
  }
})

describe('traffic', () => {
  test('is delivered part by part with the messages whole', () => {
    const played = established().receive(whole(bytes('01 01 61 01 00 00 01 62', '00 00')))
    assert.deepEqual(played.messages, [[bytes('61'), bytes(), bytes('62')], [bytes()]])
  })

  test('may have heartbeats between the parts of a message, as libzmq sends them', () => {
    const played = established()
    const before = played.sentFrames.length
    played.receive(byteByByte(bytes('01 01 61', '04 07 04', '"PING"', '0000', '00 01 62')))
    assert.deepEqual(played.messages, [[bytes('61'), bytes('62')]])
    assert.equal(hexOf(played.sentFrames.subarray(before)), hexOf(bytes('04 05 04', '"PONG"')))
  })

  test('is limited by maxMessageSize once the handshake is done, for every part', () => {
    const served = () => new PlayedConnection({ maxMessageSize: 3 }).receive(whole(opening('DEALER')))
    assert.deepEqual(served().receive(whole(bytes('01 03 616263 00 03 646566'))).messages, [
      [bytes('616263'), bytes('646566')],
    ])
    assert.equal(served().receive(whole(bytes('00 04'))).violation?.code, 'ERR_ZMTP_MALFORMED_COMMAND_MESSAGE')
  })

  test('that comes during a pause waits, and is served in order after it', () => {
    const played = established()
    played.verdict = PAUSE
    played.receive(whole(bytes('00 01 61 00 01 62')))
    played.receive(whole(bytes('00 01 63')))
    assert.equal(played.messages.length, 1)
    assert.equal(played.resume(), PAUSE)
    played.verdict = CONTINUE
    assert.equal(played.resume(), CONTINUE)
    assert.deepEqual(played.messages, [[bytes('61')], [bytes('62')], [bytes('63')]])
  })

  test('of a paused connection can still be refused when it goes on', () => {
    const played = established()
    played.verdict = PAUSE
    played.receive(whole(bytes('00 01 61 04 00 00 01 62')))
    assert.ok(played.resume() instanceof Violation)
    assert.ok(played.connection.closed)
    assert.equal(played.messages.length, 1)
  })

  test('ends with ERROR, whose reason is told', () => {
    const played = established().receive(whole(bytes('04 0b 05', '"ERROR"', '04', '"nope"')))
    assert.equal(played.violation?.code, 'ERR_ZMTP_UNSPECIFIED')
    assert.match(played.violation?.reason ?? '', /nope/)
  })
})

describe('subscriptions', () => {
  const asMessages = bytes('00 02 01 61', '00 02 00 61', '00 01 01')
  const asCommands = bytes('04 0b 09', '"SUBSCRIBE"', '61', '04 08 06', '"CANCEL"', '61', '04 0a 09', '"SUBSCRIBE"')

  for (const socketType of ['PUB', 'XPUB'] as const) {
    for (const [form, wire] of Object.entries({ messages: asMessages, commands: asCommands })) {
      test(`reach a ${socketType} alike when they come as ${form}`, () => {
        const played = new PlayedConnection({ socketType }).receive(whole(opening('SUB'))).receive(byteByByte(wire))
        assert.deepEqual(played.messages, [[bytes('01 61')], [bytes('00 61')], [bytes('01')]])
      })
    }
  }

  test('sent to any other type mean nothing', () => {
    assert.equal(established().receive(whole(asCommands)).messages.length, 0)
  })

  test('between the parts of an upstream message do not mix with it', () => {
    const played = new PlayedConnection({ socketType: 'XPUB' }).receive(whole(opening('XSUB')))
    played.receive(whole(bytes('01 01 78', '04 0b 09', '"SUBSCRIBE"', '61', '00 01 79')))
    assert.deepEqual(played.messages, [[bytes('01 61')], [bytes('78'), bytes('79')]])
  })

  const forms = [
    { peer: [3, 0] as const, subscribe: '000201' + '61', cancel: '000200' + '61' },
    { peer: [3, 1] as const, subscribe: hexOf(asCommands.slice(0, 13)), cancel: hexOf(asCommands.slice(13, 23)) },
    { peer: [3, 9] as const, subscribe: hexOf(asCommands.slice(0, 13)), cancel: hexOf(asCommands.slice(13, 23)) },
    { peer: [4, 0] as const, subscribe: hexOf(asCommands.slice(0, 13)), cancel: hexOf(asCommands.slice(13, 23)) },
  ]
  for (const { peer, subscribe, cancel } of forms) {
    test(`leave a SUB for a ${peer.join('.')} publisher as ${subscribe.startsWith('04') ? 'commands' : 'messages'}`, () => {
      const played = new PlayedConnection({ socketType: 'SUB' }).receive(whole(opening('PUB', { version: peer })))
      assert.equal(hexOf(played.encode([bytes('01 61')])), subscribe)
      assert.equal(hexOf(played.encode([bytes('00 61')])), cancel)
    })
  }

  test('are what a SUB or XSUB sends; a PUSH may send bytes that look alike', () => {
    const push = new PlayedConnection({ socketType: 'PUSH' }).receive(whole(opening('PULL')))
    assert.equal(hexOf(push.encode([bytes('01 61')])), '00020161')
    const xsub = new PlayedConnection({ socketType: 'XSUB' }).receive(whole(opening('XPUB')))
    assert.equal(hexOf(xsub.encode([bytes('02 61')])), '00020261')
    assert.equal(hexOf(xsub.encode([bytes('01'), bytes('61')])), '010101000161')
    assert.equal(hexOf(xsub.encode([bytes()])), hexOf(encodeFrame(0, bytes())))
  })
})
