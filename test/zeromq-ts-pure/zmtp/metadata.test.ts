import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  decodeMetadata,
  encodeMetadata,
  IDENTITY,
  type Property,
  propertyValue,
  SOCKET_TYPE,
  Violation,
} from 'zeromq-ts-pure/zmtp'
import { bytes, hexOf } from './wire.ts'

const CODE = 'ERR_ZMTP_MALFORMED_COMMAND_READY'

/** ZMTP 3.1, "metadata": a name with its length of 1 byte, a value with its length of 4. */
const METADATA: readonly { readonly properties: readonly Property[]; readonly wire: Uint8Array }[] = [
  { properties: [], wire: bytes() },
  {
    properties: [{ name: SOCKET_TYPE, value: bytes('"PUSH"') }],
    wire: bytes('0b 536f636b65742d54797065 00000004 50555348'),
  },
  {
    properties: [
      { name: SOCKET_TYPE, value: bytes('"DEALER"') },
      { name: IDENTITY, value: bytes() },
    ],
    wire: bytes('0b 536f636b65742d54797065 00000006 4445414c4552 08 4964656e74697479 00000000'),
  },
  {
    properties: [
      { name: 'X-Twice', value: bytes('01') },
      { name: 'X-Twice', value: bytes('00 ff') },
    ],
    wire: bytes('07', '"X-Twice"', '00000001 01', '07', '"X-Twice"', '00000002 00 ff'),
  },
  {
    properties: [{ name: 'n'.repeat(255), value: new Uint8Array(300).fill(1) }],
    wire: bytes('ff', '6e'.repeat(255), '0000012c', '01'.repeat(300)),
  },
]

describe('metadata', () => {
  for (const { properties, wire } of METADATA) {
    test(`of ${properties.length} properties is ${hexOf(wire).slice(0, 40) || '(nothing)'}, both ways`, () => {
      assert.equal(hexOf(encodeMetadata(properties)), hexOf(wire))
      assert.deepEqual(decodeMetadata(wire, CODE), properties)
    })
  }

  test('is read from the middle of a larger buffer too', () => {
    const wire = bytes('ff ff 01', '"a"', '00000001 05 ff')
    assert.deepEqual(decodeMetadata(wire.subarray(2, -1), CODE), [{ name: 'a', value: bytes('05') }])
  })

  const malformed = {
    'a name longer than what is there': bytes('3f 536f636b65742d54797065'),
    'a name with nothing behind it': bytes('01', '"a"'),
    'a name with half the length of its value': bytes('01', '"a"', '0000'),
    'a value of 2^32 - 1 bytes': bytes('0b 536f636b65742d54797065 ffffffff 50555348'),
    'a value of 2^31 bytes': bytes('0b 536f636b65742d54797065 80000000 50555348'),
    'a value one byte longer than what is there': bytes('0b 536f636b65742d54797065 00000005 50555348'),
    'an empty name': bytes('00 00000001 61'),
    'a good property and a byte more': bytes('01', '"a"', '00000000 01'),
  }
  for (const [what, wire] of Object.entries(malformed)) {
    test(`with ${what} is malformed, under the code that was asked for`, () => {
      const decoded = decodeMetadata(wire, CODE)
      assert.ok(decoded instanceof Violation)
      assert.equal(decoded.code, CODE)
    })
  }

  test('cut anywhere but between two properties is malformed', () => {
    const wire = METADATA[2]?.wire ?? bytes()
    for (let length = 1; length < wire.length; length++) {
      const decoded = decodeMetadata(wire.subarray(0, length), CODE)
      if (length === 22) assert.deepEqual(decoded, METADATA[2]?.properties.slice(0, 1))
      else assert.ok(decoded instanceof Violation, `${length} bytes`)
    }
  })

  test('is found by name, whatever its case; the first of several counts', () => {
    const properties = [
      { name: 'SOCKET-type', value: bytes('01') },
      { name: SOCKET_TYPE, value: bytes('02') },
    ]
    assert.deepEqual(propertyValue(properties, SOCKET_TYPE), bytes('01'))
    assert.equal(propertyValue(properties, IDENTITY), undefined)
    assert.equal(propertyValue([], 'constructor'), undefined)
  })

  test('of any properties comes back as it was', () => {
    const name = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 255 })
    const properties = fc.array(fc.record({ name, value: fc.uint8Array({ maxLength: 300 }) }), { maxLength: 6 })
    fc.assert(
      fc.property(properties, (own) => {
        assert.deepEqual(
          decodeMetadata(encodeMetadata(own), CODE),
          own.map((property) => ({ ...property })),
        )
      }),
    )
  })
})
