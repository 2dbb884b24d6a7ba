import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Command,
  type EpochMs,
  type JobFailure,
  type MessageId,
  type MonotonicMs,
  NO_HEADERS,
  type Now,
  printJobResult,
  type QueueName,
} from '@eventmq-ts/emqp'
import fc from 'fast-check'
import { InFlight } from '../../packages/client/src/core/in-flight.ts'
import type { ClientEffect, Expectation, InFlightSetup, Message } from '../../packages/client/src/core/outgoing.ts'

const withResult: Expectation = { acknowledged: true, answer: 'result' }
const ackOnly: Expectation = { acknowledged: true, answer: 'none' }
const sendOnly: Expectation = { acknowledged: false, answer: 'none' }
const oldRouter: Expectation = { acknowledged: false, answer: 'dispatch' }

const id = (text: string) => text as MessageId
const request = (name: string): Message => ({
  type: 'REQUEST',
  id: id(name),
  queue: 'default' as QueueName,
  headers: NO_HEADERS,
  payload: new Uint8Array(),
})
const ack = (name: string): Command => ({ type: 'ACK', id: id('broker'), acknowledges: id(name) })
const dispatched = (name: string): Command => ({
  type: 'REPLY',
  kind: 'dispatched',
  id: id('broker'),
  request: id(name),
})
const value = (name: string, result: unknown): Command => ({
  type: 'REPLY',
  kind: 'result',
  id: id('broker'),
  request: id(name),
  payload: printJobResult({ kind: 'value', value: result }),
})
const failure = (name: string, error: JobFailure): Command => ({
  type: 'REPLY',
  kind: 'result',
  id: id('broker'),
  request: id(name),
  payload: printJobResult({ kind: 'error', error }),
})

/** A client's core whose clock stands still until it is turned, and whose connection takes everything at once. */
class Turned {
  readonly core: InFlight
  ms = 0

  constructor(setup: Partial<InFlightSetup> = {}) {
    this.core = new InFlight({ maxInFlight: 1_000, resendMinMs: 1_000, resendMaxMs: 30_000, ...setup })
    this.core.connected(this.now)
  }

  get now(): Now {
    return { epochMs: this.ms as EpochMs, monotonicMs: this.ms as MonotonicMs }
  }

  submit(name: string, expects: Expectation = withResult): string[] {
    return this.carry(this.core.submit(request(name), expects, this.now))
  }

  receive(command: Command): string[] {
    return this.carry(this.core.received(command, this.now))
  }

  /** Turns the clock, stopping at each deadline. */
  turn(ms: number): string[] {
    const end = this.ms + ms
    const seen: string[] = []
    for (;;) {
      const due = this.core.nextDeadline()
      if (due === undefined || due > end) break
      this.ms = Math.max(this.ms, due)
      seen.push(...this.carry(this.core.time(this.now)).map((line) => `${this.ms}: ${line}`))
    }
    this.ms = end
    return seen
  }

  /** What happened, in words; what is sent is taken by the connection. */
  carry(effects: readonly ClientEffect[]): string[] {
    return effects.flatMap((effect) => {
      if (effect.type === 'unexpected') return [`unexpected ${effect.command.type}`]
      if (effect.type !== 'send') return [`${effect.type} ${effect.id}`]
      return [`send ${effect.command.id}`, ...this.carry(this.core.taken(effect.command.id, this.now))]
    })
  }
}

test('a message is sent, acknowledged and answered', () => {
  const client = new Turned()
  assert.deepEqual(client.submit('a'), ['send a'])
  assert.deepEqual(client.receive(ack('a')), ['accepted a'])
  assert.deepEqual(client.receive(value('a', 5)), ['answered a'])
  assert.equal(client.core.has(id('a')), false)
})

test('without an ACK it is sent again under its id, at 1, 3, 7, 15, 31 seconds and every 30 seconds from then on', () => {
  const client = new Turned()
  client.submit('a')
  assert.deepEqual(
    client.turn(100_000),
    [1, 3, 7, 15, 31, 61, 91].map((second) => `${second * 1_000}: send a`),
  )
  assert.deepEqual(client.receive(ack('a')), ['accepted a'])
  assert.deepEqual(client.turn(1_000_000), [])
})

test('the wait before a resend does not overflow, however often it was sent', () => {
  const client = new Turned({ resendMinMs: 1, resendMaxMs: 1_000 })
  client.submit('a')
  client.turn(2_000_000)
  assert.equal(client.turn(10_000).length, 10)
})

test('while the connection is down nothing is sent; when it is back everything without an ACK is sent at once', () => {
  const client = new Turned()
  client.submit('a')
  client.submit('b')
  client.receive(ack('b'))
  client.core.lost()
  assert.deepEqual(client.turn(60_000), [])
  assert.deepEqual(client.submit('c'), [])
  assert.deepEqual(client.carry(client.core.connected(client.now)), ['send a', 'send c'])
})

test('an ACK that comes twice, as after a resend, is taken once', () => {
  const client = new Turned()
  client.submit('a')
  client.turn(1_000)
  assert.deepEqual(client.receive(ack('a')), ['accepted a'])
  assert.deepEqual(client.receive(ack('a')), [])
  assert.deepEqual(client.receive(value('a', 1)), ['answered a'])
  assert.deepEqual(client.receive(value('a', 1)), ['unexpected REPLY'])
})

test('a result whose ACK was lost acknowledges too', () => {
  const client = new Turned()
  client.submit('a')
  client.submit('b', ackOnly)
  assert.deepEqual(client.receive(value('a', 1)), ['accepted a', 'answered a'])
  assert.deepEqual(client.receive(value('b', 1)), ['accepted b'])
  assert.deepEqual(client.turn(60_000), [])
})

test('an error of a job that never ran is a refusal, one of a job that ran is its outcome', () => {
  const client = new Turned()
  for (const name of ['a', 'b', 'c']) client.submit(name)
  assert.deepEqual(client.receive(failure('a', { name: 'QueueFull', message: 'full', code: 'full' })), ['refused a'])
  const ran: JobFailure = { name: 'TypeError', message: 'x', attempts: 3 }
  assert.deepEqual(client.receive(failure('b', ran)), ['accepted b', 'answered b'])
  client.receive(ack('c'))
  assert.deepEqual(client.receive(failure('c', ran)), ['answered c'])
  client.submit('d')
  client.receive(ack('d'))
  const expired: JobFailure = { name: 'BrokerRefusal', message: 'not started in time', code: 'expired' }
  assert.deepEqual(
    client.receive(failure('d', expired)),
    ['answered d'],
    'what is acknowledged is not refused any more',
  )
  client.submit('e', { acknowledged: false, answer: 'result' })
  assert.deepEqual(client.receive(failure('e', { name: 'BrokerRefusal', message: 'full' })), ['refused e'])
})

test('without guarantee a message counts as accepted once it is sent, and is never sent again', () => {
  const client = new Turned()
  assert.deepEqual(client.submit('a', sendOnly), ['send a', 'accepted a'])
  assert.deepEqual(client.turn(600_000), [])
  assert.equal(client.core.has(id('a')), false)
})

test('a 0.3 router: nothing is sent again, and its REPLY says that a worker has the job', () => {
  const client = new Turned()
  assert.deepEqual(client.submit('a', oldRouter), ['send a', 'accepted a'])
  client.core.lost()
  assert.deepEqual(client.carry(client.core.connected(client.now)), [])
  assert.deepEqual(client.turn(600_000), [])
  assert.deepEqual(client.receive(dispatched('a')), ['dispatched a'])
  assert.deepEqual(client.receive(dispatched('a')), ['unexpected REPLY'])
})

test('a 0.3 router that a client took for ours is found out by that REPLY, and its job is not sent again', () => {
  const client = new Turned()
  client.submit('a')
  assert.deepEqual(client.receive(dispatched('a')), ['accepted a', 'dispatched a'])
  assert.deepEqual(client.turn(600_000), [])
})

test('no more than the limit are out without an ACK; the others follow in order as places come free', () => {
  const client = new Turned({ maxInFlight: 2 })
  assert.deepEqual(client.submit('a'), ['send a'])
  assert.deepEqual(client.submit('b'), ['send b'])
  assert.deepEqual(client.submit('c'), [])
  assert.deepEqual(client.submit('d'), [])
  assert.equal(client.core.unaccepted, 4)
  assert.deepEqual(client.receive(ack('b')), ['accepted b', 'send c'])
  assert.deepEqual(client.receive(value('a', 1)), ['accepted a', 'answered a', 'send d'])
  assert.equal(client.core.unaccepted, 2)
})

test("what is forgotten frees its place, and what comes of it is nobody's", () => {
  const client = new Turned({ maxInFlight: 1 })
  client.submit('a')
  client.submit('b')
  client.submit('c')
  assert.deepEqual(client.carry(client.core.forget(id('b'), client.now)), [])
  assert.deepEqual(client.carry(client.core.forget(id('a'), client.now)), ['send c'])
  assert.deepEqual(client.receive(ack('a')), ['unexpected ACK'])
  assert.deepEqual(client.carry(client.core.forget(id('a'), client.now)), [])
})

test('commands that are not for a client change nothing', () => {
  const client = new Turned()
  client.submit('a')
  const odd: Command[] = [
    request('a'),
    { type: 'READY', id: id('x') },
    { type: 'DISCONNECT', id: id('x') },
    { type: 'REPLY', kind: 'payload', id: id('x'), payload: new Uint8Array() },
    ack('never-sent'),
    value('never-sent', 1),
  ]
  for (const command of odd) assert.deepEqual(client.receive(command), [`unexpected ${command.type}`])
  assert.deepEqual(client.receive(ack('a')), ['accepted a'])
})

test('whatever happens in whatever order, each message is accepted or refused at most once, answered at most once, after that', () => {
  const names = ['a', 'b', 'c', 'd']
  const step = fc.oneof(
    fc.tuple(fc.constantFrom('submit', 'ack', 'value', 'refuse', 'dispatch', 'forget'), fc.constantFrom(...names)),
    fc.tuple(fc.constantFrom('turn', 'lost', 'connected'), fc.constant('')),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), fc.constantFrom(1, 2, 10), (steps, maxInFlight) => {
      const client = new Turned({ maxInFlight })
      const open = new Map<string, 'out' | 'accepted'>()
      const out = new Set<string>()
      for (const [what, name] of steps) {
        if (what === 'submit' && client.core.has(id(name))) continue
        if (what === 'submit') open.set(name, 'out')
        if (what === 'forget') open.delete(name)
        for (const line of take(client, what, name)) {
          const [kind, of = ''] = line.split(': ').at(-1)?.split(' ') ?? []
          if (kind === 'send') assert.ok(open.has(of), `sent ${of}, which is over`)
          if (kind === 'send') out.add(of)
          else out.delete(of)
          if (kind === 'accepted') {
            assert.equal(open.get(of), 'out')
            open.set(of, 'accepted')
          }
          if (kind === 'answered' || kind === 'dispatched') {
            assert.equal(open.get(of), 'accepted')
            open.delete(of)
          }
          if (kind === 'refused') assert.ok(open.delete(of))
        }
        if (what === 'forget') out.delete(name)
        assert.ok(out.size <= maxInFlight, `${out.size} are out`)
      }
    }),
  )
})

function take(client: Turned, what: string, name: string): string[] {
  switch (what) {
    case 'submit':
      return client.submit(name)
    case 'ack':
      return client.receive(ack(name))
    case 'value':
      return client.receive(value(name, 1))
    case 'refuse':
      return client.receive(failure(name, { name: 'Refused', message: 'no' }))
    case 'dispatch':
      return client.receive(dispatched(name))
    case 'forget':
      return client.carry(client.core.forget(id(name), client.now))
    case 'lost':
      client.core.lost()
      return []
    case 'connected':
      return client.carry(client.core.connected(client.now))
    default:
      return client.turn(5_000)
  }
}
