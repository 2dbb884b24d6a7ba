import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkGreetingPrefix, decodeGreeting, encodeGreeting, Violation } from 'zeromq-ts-pure/zmtp'
import { bytes, greeting, hexOf } from './wire.ts'

function prefixVerdict(start: Uint8Array): string | undefined {
  return checkGreetingPrefix((index) => start[index] as number, start.length)?.code
}

const GREETINGS = [
  { name: '3.1 with NULL', fields: { major: 3, minor: 1, mechanism: 'NULL', asServer: false } },
  { name: '3.0 with PLAIN, as server', fields: { major: 3, minor: 0, mechanism: 'PLAIN', asServer: true } },
  { name: '3.1 with CURVE', fields: { major: 3, minor: 1, mechanism: 'CURVE', asServer: false } },
  {
    name: 'a mechanism of the full 20 characters',
    fields: { major: 3, minor: 1, mechanism: 'ABCDEFGHIJ0123456789', asServer: false },
  },
]

describe('a greeting', () => {
  for (const { name, fields } of GREETINGS) {
    test(`of ${name} is 64 bytes in the places that ZMTP 3.1 names, and is read back`, () => {
      const wire = encodeGreeting(fields)
      assert.equal(wire.length, 64)
      const name = Buffer.from(fields.mechanism)
      assert.equal(hexOf(wire.subarray(0, 1)) + hexOf(wire.subarray(9, 10)), 'ff7f')
      assert.equal(hexOf(wire.subarray(10, 12)), hexOf(Uint8Array.of(fields.major, fields.minor)))
      assert.equal(hexOf(wire.subarray(12, 32)), hexOf(Buffer.concat([name, Buffer.alloc(20 - name.length)])))
      assert.equal(hexOf(wire.subarray(32)), (fields.asServer ? '01' : '00') + '00'.repeat(31))
      assert.equal(prefixVerdict(wire), undefined)
      assert.deepEqual(decodeGreeting(wire), fields)
    })
  }

  const served = {
    'the padding of another implementation': { signature: 'ff00000000000004647f' },
    'padding of ff': { signature: 'ffffffffffffffffff7f' },
    'minor version 9': { version: [3, 9] as const },
    'major version 4': { version: [4, 0] as const },
    'major version 255': { version: [255, 255] as const },
    'a filler that is not zero': { filler: 0xaa },
  }
  for (const [name, fields] of Object.entries(served)) {
    test(`with ${name} is accepted`, () => {
      const wire = greeting(fields)
      assert.equal(prefixVerdict(wire), undefined)
      const decoded = decodeGreeting(wire)
      assert.ok(!(decoded instanceof Violation))
      assert.equal(decoded.mechanism, 'NULL')
    })
  }

  test('whose mechanism name goes on after a zero byte is refused', () => {
    const decoded = decodeGreeting(greeting({ mechanism: 'NULL\0X' }))
    assert.ok(decoded instanceof Violation)
    assert.equal(decoded.code, 'ERR_ZMTP_MECHANISM_MISMATCH')
  })
})

describe('the start of a stream', () => {
  test('is no reason to refuse as long as it can become a greeting', () => {
    const wire = greeting()
    for (let length = 0; length <= 64; length++) assert.equal(prefixVerdict(wire.subarray(0, length)), undefined)
  })

  const refused = {
    'text, by its first byte': { start: bytes('"G"'), long: bytes('"GET / HTTP/1.1"') },
    'a ZMTP 1.0 peer, by its first byte': { start: bytes('01'), long: bytes('01 00 04 00 616263') },
    'a signature without 7f, by its tenth byte': {
      start: bytes('ff00000000000000017e'),
      long: greeting({ signature: 'ff00000000000000017e' }),
    },
    'revision 0, by its eleventh byte': {
      start: bytes('ff00000000000000017f 00'),
      long: greeting({ version: [0, 0] }),
    },
    'revision 2, by its eleventh byte': {
      start: bytes('ff00000000000000017f 02'),
      long: greeting({ version: [2, 1] }),
    },
  }
  for (const [name, { start, long }] of Object.entries(refused)) {
    test(`is refused when it is ${name}`, () => {
      assert.equal(prefixVerdict(start.subarray(0, -1)), undefined)
      assert.equal(prefixVerdict(start), 'ERR_ZMTP_UNSPECIFIED')
      assert.equal(prefixVerdict(long), 'ERR_ZMTP_UNSPECIFIED')
    })
  }
})
