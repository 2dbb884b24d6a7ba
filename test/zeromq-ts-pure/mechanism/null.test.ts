import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NullMechanism } from 'zeromq-ts-pure/mechanism/null'
import { SOCKET_TYPE, Violation } from 'zeromq-ts-pure/zmtp'
import { bytes, hexOf } from '../zmtp/wire.ts'

const PUSH = { name: SOCKET_TYPE, value: bytes('"PUSH"') }

test('NULL opens with READY and what this side states of itself', () => {
  const mechanism = new NullMechanism()
  assert.equal(mechanism.name, 'NULL')
  assert.equal(mechanism.asServer, false)
  const { send, peer } = mechanism.start([PUSH])
  assert.deepEqual(send.map(hexOf), ['0552454144590b536f636b65742d547970650000000450555348'])
  assert.equal(peer, undefined)
})

test('NULL is done with the READY of the peer and answers nothing', () => {
  const data = bytes('0b 536f636b65742d54797065 00000004 50555348')
  assert.deepEqual(new NullMechanism().receive({ name: 'READY', data }), { send: [], peer: [PUSH] })
})

const refused = {
  'READY with broken metadata': {
    command: { name: 'READY', data: bytes('3f 53') },
    code: 'ERR_ZMTP_MALFORMED_COMMAND_READY',
    reason: /property name of 63 bytes/,
  },
  'ERROR, with its reason': {
    command: { name: 'ERROR', data: bytes('04', '"nope"') },
    code: 'ERR_ZMTP_UNSPECIFIED',
    reason: /nope/,
  },
  'ERROR that is broken itself': {
    command: { name: 'ERROR', data: bytes('09', '"nope"') },
    code: 'ERR_ZMTP_MALFORMED_COMMAND_ERROR',
    reason: /longer than its body/,
  },
  'a command of another mechanism': {
    command: { name: 'HELLO', data: bytes() },
    code: 'ERR_ZMTP_UNEXPECTED_COMMAND',
    reason: /"HELLO" where READY was expected/,
  },
  'a heartbeat before READY': {
    command: { name: 'PING', data: bytes('0000') },
    code: 'ERR_ZMTP_UNEXPECTED_COMMAND',
    reason: /"PING" where READY was expected/,
  },
  'a name that would write lines of its own into a log': {
    command: { name: '\nERROR\u001b[31m', data: bytes() },
    code: 'ERR_ZMTP_UNEXPECTED_COMMAND',
    reason: /^command "\?ERROR\?\[31m" where/,
  },
  'a name in another case': {
    command: { name: 'Ready', data: bytes() },
    code: 'ERR_ZMTP_UNEXPECTED_COMMAND',
    reason: /"Ready" where READY was expected/,
  },
}
for (const [what, { command, code, reason }] of Object.entries(refused)) {
  test(`NULL refuses ${what}`, () => {
    const step = new NullMechanism().receive(command)
    assert.ok(step instanceof Violation)
    assert.equal(step.code, code)
    assert.match(step.reason, reason)
  })
}
