import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayTalk, type SocketTypeName, statesIdentity } from 'zeromq-ts-pure/zmtp'

/** Every pair that ZMTP 3.1, "The Socket Type Property", allows; no other may talk. */
const ALLOWED: readonly (readonly [SocketTypeName, SocketTypeName])[] = [
  ['PAIR', 'PAIR'],
  ['PUB', 'SUB'],
  ['PUB', 'XSUB'],
  ['XPUB', 'SUB'],
  ['XPUB', 'XSUB'],
  ['REQ', 'REP'],
  ['REQ', 'ROUTER'],
  ['REP', 'DEALER'],
  ['DEALER', 'DEALER'],
  ['DEALER', 'ROUTER'],
  ['ROUTER', 'ROUTER'],
  ['PUSH', 'PULL'],
]
const TYPES = [...new Set(ALLOWED.flat())]

for (const own of TYPES) {
  const peers = TYPES.filter((peer) => ALLOWED.some(([a, b]) => (a === own && b === peer) || (a === peer && b === own)))
  test(`a ${own} talks to ${peers.join(', ')} and to nobody else`, () => {
    for (const peer of TYPES) assert.equal(mayTalk(own, peer), peers.includes(peer), peer)
    for (const stranger of ['', 'pair', own.toLowerCase(), 'STREAM', 'toString']) assert.ok(!mayTalk(own, stranger))
  })
}

test('REQ, DEALER and ROUTER state an identity', () => {
  assert.deepEqual(TYPES.filter(statesIdentity).sort(), ['DEALER', 'REQ', 'ROUTER'])
})
