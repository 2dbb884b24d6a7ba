// Kinds of fault that other implementations had with odd or slow peers, each at the level of one connection without
// I/O. The names begin with the report that first told of the kind.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { byteByByte, cutAt, whole } from './chunks.ts'
import { PlayedConnection } from './played-connection.ts'
import { bytes, type GreetingFields, greeting, hexOf, opening, ready } from './wire.ts'

function pull(): PlayedConnection {
  return new PlayedConnection({ socketType: 'PULL' })
}

function texts({ messages }: PlayedConnection): readonly (readonly string[])[] {
  return messages.map((parts) => parts.map((part) => Buffer.from(part).toString()))
}

describe('jeromq#430: a handshake that depends on how its bytes are cut', () => {
  const wire = bytes(hexOf(opening('PUSH')), '01 01 41 00 00')

  test('works in one piece and byte by byte', () => {
    for (const chunks of [whole(wire), byteByByte(wire)]) {
      const connection = pull().receive(chunks)
      assert.deepEqual(texts(connection), [['A', '']])
      assert.equal(connection.sent.length, 64 + 28)
    }
  })

  test('works for every cut into two, and for cuts at every two places of the greeting', () => {
    for (let place = 0; place <= wire.length; place++) {
      assert.deepEqual(texts(pull().receive(cutAt(wire, [place]))), [['A', '']], `cut at ${place}`)
    }
    const twoPlaces = fc.tuple(fc.nat({ max: 64 }), fc.nat({ max: wire.length }))
    fc.assert(
      fc.property(twoPlaces, (places) => {
        assert.deepEqual(texts(pull().receive(cutAt(wire, places))), [['A', '']])
      }),
    )
  })

  test('does not wait for a peer that waits: signature and version are there from the start', () => {
    const connection = pull().receive([bytes('ff 00000000000000 01 7f')])
    assert.equal(hexOf(connection.sent), 'ff00000000000000017f03')
    connection.receive([bytes('03')])
    assert.equal(connection.sent.length, 64)
  })
})

describe('netty-zmtp#17: a length that is read before all of it is there', () => {
  const cases = {
    'the long form, cut inside its length': cutAt(bytes('02 0000000000000100', '79'.repeat(256)), [3, 8, 9, 109]),
    'the long form, cut behind its flags': cutAt(bytes('02 0000000000000100', '79'.repeat(256)), [1]),
    'the long form, byte by byte': byteByByte(bytes('02 0000000000000100', '79'.repeat(256))),
    'the short form, cut behind its flags': cutAt(bytes('00 ff', '79'.repeat(255)), [1]),
    'the short form, cut behind its length': cutAt(bytes('00 ff', '79'.repeat(255)), [2]),
  }
  for (const [what, chunks] of Object.entries(cases)) {
    test(`waits for all of it: ${what}`, () => {
      const connection = pull().receive(whole(opening('PUSH')))
      for (const chunk of chunks.slice(0, -1)) {
        connection.receive([chunk])
        assert.equal(connection.messages.length, 0)
      }
      connection.receive(chunks.slice(-1))
      assert.match(texts(connection)[0]?.[0] ?? '', /^y{255,256}$/)
      assert.equal(connection.messages.length, 1)
    })
  }
})

describe('zmq.rs#286: lengths in a handshake that go beyond its body', () => {
  const refused = {
    'a property name longer than its body': bytes('04 12 05 5245414459 3f 536f636b65742d54797065'),
    'a property value of 4 GiB': bytes('04 1a 05 5245414459 0b 536f636b65742d54797065 ffffffff 50555348'),
    'a property value of 2 GiB': bytes('04 1a 05 5245414459 0b 536f636b65742d54797065 80000000 50555348'),
    'a property value one byte too long': bytes('04 1a 05 5245414459 0b 536f636b65742d54797065 00000005 50555348'),
    'half of a value length': bytes('04 14 05 5245414459 0b 536f636b65742d54797065 0000'),
    'a command name longer than its body': bytes('04 03 09 5245'),
    'a command without a byte': bytes('04 00'),
    'an empty command name': bytes('04 01 00'),
    'an empty property name': bytes('04 0b 05 5245414459 00 00000000'),
    'a READY in a message frame': bytes('00 1a 05 5245414459 0b 536f636b65742d54797065 00000004 50555348'),
    'an ERROR whose reason is longer than its body': bytes('04 07 05', '"ERROR"', 'ff'),
  }
  for (const [what, frame] of Object.entries(refused)) {
    test(`${what} closes the connection, however it is cut`, () => {
      const wire = bytes(hexOf(greeting()), hexOf(frame), '00 01 5a')
      for (const chunks of [whole(wire), byteByByte(wire)]) {
        const connection = pull().receive(chunks)
        assert.ok(connection.connection.closed)
        assert.notEqual(connection.violation, undefined)
        assert.deepEqual(connection.messages, [])
      }
    })
  }

  for (const name of ['socket-type', 'SOCKET-TYPE', 'sOcKeT-tYpE']) {
    test(`a property name written ${name} is the same property`, () => {
      const frame = bytes('04 1a 05', '"READY"', '0b', `"${name}"`, '00000004', '"PUSH"')
      const connection = pull().receive(whole(bytes(hexOf(greeting()), hexOf(frame), '00 01 5a')))
      assert.equal(connection.peers[0]?.socketType, 'PUSH')
      assert.deepEqual(texts(connection), [['Z']])
    })
  }
})

describe('libzmq#3061: the context of a PING', () => {
  for (const length of [0, 4, 15, 16, 17, 200, 300]) {
    test(`of ${length} bytes comes back, but never more than 16 of them`, () => {
      const context = Uint8Array.from({ length }, (_, i) => i)
      const connection = pull().receive(whole(opening('PUSH')))
      const before = connection.sent.length
      const body = bytes('04', '"PING"', '0000', hexOf(context))
      const header =
        body.length > 255
          ? `06 ${body.length.toString(16).padStart(16, '0')}`
          : `04 ${hexOf(Uint8Array.of(body.length))}`
      connection.receive(byteByByte(bytes(header, hexOf(body))))
      const echoed = context.subarray(0, 16)
      const pong = bytes('04', hexOf(Uint8Array.of(5 + echoed.length)), '04', '"PONG"', hexOf(echoed))
      assert.equal(hexOf(connection.sent.subarray(before)), hexOf(pong))
    })
  }
})

describe('libzmq#4226: a time to live that does not fit 16 bits when it is counted in milliseconds', () => {
  for (const [wire, ttlMs] of [
    ['0000', 0],
    ['0001', 100],
    ['0290', 65_600],
    ['8000', 3_276_800],
    ['ffff', 6_553_500],
  ] as const) {
    test(`${wire} asks for ${ttlMs} ms`, () => {
      const connection = pull().receive(whole(opening('PUSH')))
      connection.receive(whole(bytes('04 07 04', '"PING"', wire)))
      assert.deepEqual(connection.pingTtlsMs, [ttlMs])
      assert.ok(!connection.connection.closed)
    })
  }
})

describe('zmq.rs#100: greetings of other versions and implementations', () => {
  const accepted: Readonly<Record<string, GreetingFields>> = {
    'another padding in the signature': { signature: 'ff00000000000004647f' },
    'a padding of ff': { signature: 'ffffffffffffffffff7f' },
    'minor version 9': { version: [3, 9] },
    'minor version 255': { version: [3, 255] },
    'major version 4': { version: [4, 0] },
    'major version 255': { version: [255, 0] },
    'a filler that is not zero': { filler: 0x5a },
    'as-server set, which means nothing with NULL': { asServer: 1 },
    'an as-server of 7': { asServer: 7 },
  }
  for (const [what, fields] of Object.entries(accepted)) {
    test(`${what} is accepted`, () => {
      const connection = pull().receive(byteByByte(bytes(hexOf(opening('PUSH', fields)), '00 01 5a')))
      assert.deepEqual(texts(connection), [['Z']])
    })
  }

  const refused: Readonly<Record<string, GreetingFields>> = {
    'mechanism null': { mechanism: 'null' },
    'mechanism PLAIN': { mechanism: 'PLAIN' },
    'mechanism CURVE': { mechanism: 'CURVE' },
    'no mechanism': { mechanism: '' },
    'mechanism NULL with a blank': { mechanism: 'NULL ' },
    'mechanism NUL': { mechanism: 'NUL' },
    'mechanism NULLNULLNULLNULLNULL, to the last byte': { mechanism: 'NULLNULLNULLNULLNULL' },
    'version 0': { version: [0, 0] },
    'version 1': { version: [1, 0] },
    'version 2': { version: [2, 1] },
    'a signature that ends in 7e': { signature: 'ff00000000000000017e' },
    'a signature that begins with fe': { signature: 'fe00000000000000017f' },
  }
  for (const [what, fields] of Object.entries(refused)) {
    test(`${what} is refused`, () => {
      const connection = pull().receive(byteByByte(bytes(hexOf(opening('PUSH', fields)), '00 01 5a')))
      assert.ok(connection.connection.closed)
      assert.deepEqual(connection.messages, [])
    })
  }
})

describe('libzmq#4932: bytes that are no ZMTP', () => {
  const garbage = {
    'an HTTP request': bytes('"GET / HTTP/1.1"', '0d0a0d0a'),
    'a TLS hello': bytes('16 03 01 00 c8 01 00 00 c4 03 03'),
    'an SSH banner': bytes('"SSH-2.0-OpenSSH_9.6"', '0d0a'),
    'a message of ZMTP 1.0, which libzmq delivers': bytes('01 00 04 00 616263'),
    'nothing but zero bytes': new Uint8Array(100),
  }
  for (const [what, wire] of Object.entries(garbage)) {
    test(`${what} closes the connection with its first byte, and no message comes of it`, () => {
      const connection = pull().receive([wire.slice(0, 1)])
      assert.equal(connection.violation?.code, 'ERR_ZMTP_UNSPECIFIED')
      connection
        .receive([wire.slice(1)])
        .receive(whole(opening('PUSH')))
        .receive([bytes('00 01 5a')])
      assert.deepEqual(connection.messages, [])
    })
  }

  test('100 bytes of anything give no message', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 100, maxLength: 100 }), (wire) => {
        assert.deepEqual(pull().receive(whole(wire)).messages, [])
      }),
    )
  })

  test('anything after a good greeting gives no message without a good READY', () => {
    const noReady = fc
      .uint8Array({ maxLength: 300 })
      .filter((wire) => hexOf(wire.subarray(0, 27)) !== hexOf(ready('PUSH')))
    fc.assert(
      fc.property(noReady, (wire) => {
        assert.deepEqual(pull().receive([greeting(), wire]).messages, [])
      }),
    )
  })
})
