import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command, EpochMs, MessageId, MonotonicMs, Now, QueueName } from '@eventmq-ts/emqp'
import fc from 'fast-check'
import type {
  DeviceEffect,
  DeviceEvent,
  DeviceSetup,
  DeviceState,
  Registration,
} from '../../packages/device/src/core/device-state.ts'
import { nextDeadline, transition } from '../../packages/device/src/core/transition.ts'

const worker: Registration = { role: 'worker', queues: [{ weight: 10, name: 'default' as QueueName }] }
const id = (text: string) => text as MessageId
const heartbeat: Command = { type: 'HEARTBEAT', id: id('router-hb'), sentAtSeconds: 1 }
const foreignAck: Command = { type: 'ACK', id: id('router-1'), acknowledges: id('someone-else') }

/** A device whose clock stands still until it is turned. */
class Turned {
  state: DeviceState = { at: 'idle' }
  ms = 0
  readonly setup: DeviceSetup
  #ids = 0

  constructor(changes: Partial<DeviceSetup> = {}) {
    this.setup = {
      registration: worker,
      freshRoutingIds: false,
      heartbeatIntervalMs: 3_000,
      silenceLimitMs: 15_000,
      answerTimeoutMs: 5_000,
      pauseMinMs: 100,
      pauseMaxMs: 10_000,
      newMessageId: () => id(`m${++this.#ids}`),
      random: () => 0,
      ...changes,
    }
  }

  feed(event: DeviceEvent): DeviceEffect[] {
    const now: Now = { epochMs: (1_700_000_000_000 + this.ms) as EpochMs, monotonicMs: this.ms as MonotonicMs }
    const { state, effects } = transition(this.state, event, now, this.setup)
    this.state = state
    return [...effects]
  }

  receive(command: Command): DeviceEffect[] {
    return this.feed({ type: 'received', command })
  }

  /** Turns the clock, stopping at each deadline; gives what happened on the way. */
  turn(ms: number, listening = true): DeviceEffect[] {
    const end = this.ms + ms
    const effects: DeviceEffect[] = []
    for (;;) {
      const due = nextDeadline(this.state)
      if (due === undefined || due > end) break
      this.ms = Math.max(this.ms, due)
      effects.push(...this.feed({ type: 'time', listening }))
    }
    this.ms = end
    return effects
  }

  /** Brings it to `ready` and forgets how. */
  ready(): this {
    this.feed({ type: 'start' })
    this.feed({ type: 'connected' })
    if (this.state.at === 'informing') this.receive({ type: 'ACK', id: id('a'), acknowledges: this.state.inform })
    assert.equal(this.state.at, 'ready')
    return this
  }
}

const kinds = (effects: DeviceEffect[]) =>
  effects.map((effect) => {
    if (effect.type === 'send') return `send ${effect.command.type}`
    return effect.type === 'lost' ? `lost ${effect.reason}` : effect.type
  })

test('a worker dials, registers, and is ready on the ACK of its INFORM, with a HEARTBEAT at once', () => {
  const device = new Turned()
  assert.deepEqual(kinds(device.feed({ type: 'start' })), ['dial'])
  assert.deepEqual(device.feed({ type: 'connected' }), [
    { type: 'send', command: { type: 'INFORM', id: 'm1', role: 'worker', queues: [{ weight: 10, name: 'default' }] } },
  ])
  assert.deepEqual(device.receive({ type: 'ACK', id: id('a'), acknowledges: id('m1') }), [
    { type: 'send', command: { type: 'HEARTBEAT', id: 'm2', sentAtSeconds: 1_700_000_000 } },
    { type: 'ready' },
  ])
})

test('a scheduler registers without queues, a client with nothing at all', () => {
  const scheduler = new Turned({ registration: { role: 'scheduler' } })
  scheduler.feed({ type: 'start' })
  assert.deepEqual(scheduler.feed({ type: 'connected' }), [
    { type: 'send', command: { type: 'INFORM', id: 'm1', role: 'scheduler', queues: [] } },
  ])
  const client = new Turned({ registration: undefined })
  assert.deepEqual(kinds(client.feed({ type: 'start' })), ['dial'])
  assert.deepEqual(kinds(client.feed({ type: 'connected' })), ['ready'])
})

test('HEARTBEAT goes out every three seconds while the router is heard', () => {
  const device = new Turned().ready()
  const seen: string[] = []
  for (let second = 1; second <= 30; second++) {
    seen.push(...kinds(device.turn(1_000)).map((kind) => `${second}: ${kind}`))
    assert.deepEqual(device.receive(heartbeat), [])
  }
  assert.deepEqual(
    seen,
    [3, 6, 9, 12, 15, 18, 21, 24, 27, 30].map((second) => `${second}: send HEARTBEAT`),
  )
})

test('a client sends no HEARTBEAT and minds no silence: a 0.3 router has none for it', () => {
  const device = new Turned({ registration: undefined }).ready()
  assert.equal(nextDeadline(device.state), undefined)
  assert.deepEqual(device.turn(3_600_000), [])
  assert.deepEqual(kinds(device.feed({ type: 'disconnected' })), ['lost disconnected'])
  assert.deepEqual(kinds(device.feed({ type: 'connected' })), ['ready'])
})

test('a router silent beyond the limit is dialed anew, and told INFORM again', () => {
  const device = new Turned().ready()
  assert.deepEqual(kinds(device.turn(14_999)), Array(4).fill('send HEARTBEAT'))
  assert.deepEqual(kinds(device.turn(1)), ['lost silent', 'hang-up'])
  assert.deepEqual(kinds(device.turn(100)), ['dial'])
  assert.deepEqual(kinds(device.feed({ type: 'connected' })), ['send INFORM'])
  assert.equal(device.state.at, 'informing')
})

test('any message is a sign of life, one that cannot be read too', () => {
  const device = new Turned().ready()
  device.turn(14_000)
  device.receive(foreignAck)
  device.turn(14_000)
  device.feed({ type: 'received-offence' })
  device.turn(14_999)
  assert.equal(device.state.at, 'ready')
  device.turn(1)
  assert.equal(device.state.at, 'pausing')
})

test("while this side does not listen, silence is not the router's, and heartbeats go on", () => {
  const device = new Turned().ready()
  const seen = kinds(device.turn(60_000, false))
  assert.deepEqual(seen, Array(20).fill('send HEARTBEAT'))
  assert.equal(device.state.at, 'ready')
  device.turn(15_000)
  assert.equal(device.state.at, 'pausing')
})

test('an INFORM that nobody answers is sent again by a new dial, after pauses that double up to their limit', () => {
  const device = new Turned()
  device.feed({ type: 'start' })
  const pauses: number[] = []
  for (let attempt = 1; attempt <= 60; attempt++) {
    assert.deepEqual(kinds(device.feed({ type: 'connected' })), ['send INFORM'])
    assert.deepEqual(kinds(device.turn(4_999)), [])
    assert.deepEqual(kinds(device.turn(1)), ['not-registered', 'hang-up'])
    const dialAt = nextDeadline(device.state)
    assert.ok(dialAt !== undefined)
    pauses.push(dialAt - device.ms)
    assert.deepEqual(kinds(device.turn(dialAt - device.ms)), ['dial'])
  }
  // Half of 100, 200, 400, ...: the random part is 0 here.
  assert.deepEqual(pauses.slice(0, 9), [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
  assert.equal(pauses.at(-1), 5_000)
})

test('after a registration the pauses start from the first again', () => {
  const device = new Turned()
  device.feed({ type: 'start' })
  for (let attempt = 1; attempt <= 5; attempt++) {
    device.feed({ type: 'connected' })
    device.turn(5_000)
    const dialAt = nextDeadline(device.state) ?? Number.NaN
    device.turn(dialAt - device.ms)
  }
  device.feed({ type: 'connected' })
  assert.equal(device.state.at, 'informing')
  if (device.state.at === 'informing') device.receive({ type: 'ACK', id: id('a'), acknowledges: device.state.inform })
  device.turn(15_000)
  assert.equal((nextDeadline(device.state) ?? Number.NaN) - device.ms, 50)
})

test('the random part of a pause never makes it longer than its limit nor shorter than half', () => {
  for (const random of [0, 0.5, 0.999999]) {
    const device = new Turned({ random: () => random }).ready()
    device.turn(15_000)
    const pauseMs = (nextDeadline(device.state) ?? Number.NaN) - device.ms
    assert.ok(pauseMs >= 50 && pauseMs <= 100, String(pauseMs))
  }
})

test('a REPLY to the INFORM is its refusal; the ACK of something else is not its ACK', () => {
  const device = new Turned()
  device.feed({ type: 'start' })
  device.feed({ type: 'connected' })
  assert.deepEqual(kinds(device.receive(foreignAck)), ['deliver'])
  assert.equal(device.state.at, 'informing')
  const refusal: Command = {
    type: 'REPLY',
    kind: 'result',
    id: id('r'),
    request: id('m1'),
    payload: new TextEncoder().encode('{"error":{"name":"WrongEndpoint","message":"workers dial 47290"}}'),
  }
  assert.deepEqual(device.receive(refusal), [{ type: 'not-registered', answer: refusal }, { type: 'hang-up' }])
})

test('a connection that comes back is a router that knows nothing: INFORM again, then ready again', () => {
  const device = new Turned().ready()
  assert.deepEqual(kinds(device.feed({ type: 'disconnected' })), ['lost disconnected'])
  assert.equal(nextDeadline(device.state), undefined)
  assert.deepEqual(kinds(device.feed({ type: 'connected' })), ['send INFORM'])
  assert.deepEqual(kinds(device.receive({ type: 'ACK', id: id('a'), acknowledges: id('m3') })), [
    'send HEARTBEAT',
    'ready',
  ])
})

test('where the router hands no routing id over, a lost connection is hung up and dialed anew', () => {
  for (const registration of [worker, undefined]) {
    const device = new Turned({ registration, freshRoutingIds: true }).ready()
    assert.deepEqual(kinds(device.feed({ type: 'disconnected' })), ['lost disconnected', 'hang-up'])
    assert.deepEqual(kinds(device.turn(100)), ['dial'])
  }
})

test('a reconnect that was not announced is one all the same', () => {
  const device = new Turned().ready()
  assert.deepEqual(kinds(device.feed({ type: 'connected' })), ['lost disconnected', 'send INFORM'])
})

test('KBYE from the router: no more work, but answers still go out and come in until it hangs up', () => {
  const device = new Turned().ready()
  assert.deepEqual(kinds(device.receive({ type: 'KBYE', id: id('k') })), ['lost farewell'])
  assert.deepEqual(kinds(device.receive({ type: 'KBYE', id: id('k2') })), [])
  assert.deepEqual(kinds(device.turn(3_000)), ['send HEARTBEAT'])
  assert.deepEqual(kinds(device.receive(foreignAck)), ['deliver'])
  assert.deepEqual(kinds(device.feed({ type: 'disconnected' })), [])
  assert.deepEqual(kinds(device.feed({ type: 'connected' })), ['send INFORM'])
})

test('a router that said KBYE and then falls silent is dialed anew, without a second loss', () => {
  const device = new Turned().ready()
  device.receive({ type: 'KBYE', id: id('k') })
  const seen = kinds(device.turn(15_000))
  assert.deepEqual(
    seen.filter((kind) => kind !== 'send HEARTBEAT'),
    ['hang-up'],
  )
  assert.equal(device.state.at, 'pausing')
})

test('leaving says KBYE once, keeps the connection and its heartbeats, and minds no silence', () => {
  const device = new Turned().ready()
  assert.deepEqual(kinds(device.feed({ type: 'leave' })), ['send KBYE'])
  assert.deepEqual(kinds(device.turn(60_000)), Array(20).fill('send HEARTBEAT'))
  assert.deepEqual(kinds(device.receive(foreignAck)), ['deliver'])
  assert.deepEqual(kinds(device.feed({ type: 'leave' })), [])
  assert.deepEqual(kinds(device.feed({ type: 'stop' })), ['hang-up'])
})

test('stop says KBYE wherever a router may know the device, and hangs up', () => {
  const registered = new Turned().ready()
  assert.deepEqual(kinds(registered.feed({ type: 'stop' })), ['send KBYE', 'hang-up'])
  const informing = new Turned()
  informing.feed({ type: 'start' })
  informing.feed({ type: 'connected' })
  assert.deepEqual(kinds(informing.feed({ type: 'stop' })), ['send KBYE', 'hang-up'])
  const dialing = new Turned()
  dialing.feed({ type: 'start' })
  assert.deepEqual(kinds(dialing.feed({ type: 'stop' })), ['hang-up'])
  const client = new Turned({ registration: undefined }).ready()
  assert.deepEqual(kinds(client.feed({ type: 'stop' })), ['hang-up'])
})

test('nothing moves a stopped device', () => {
  const device = new Turned().ready()
  device.feed({ type: 'stop' })
  const events: DeviceEvent[] = [
    { type: 'start' },
    { type: 'connected' },
    { type: 'disconnected' },
    { type: 'broken' },
    { type: 'received', command: foreignAck },
    { type: 'time', listening: true },
    { type: 'leave' },
    { type: 'stop' },
  ]
  for (const event of events) assert.deepEqual(device.feed(event), [], event.type)
  assert.equal(nextDeadline(device.state), undefined)
})

test('a socket that breaks is replaced after a pause, in every state that has one', () => {
  const starts: [string, (device: Turned) => void][] = [
    ['dialing', (device) => device.feed({ type: 'start' })],
    ['informing', (device) => [device.feed({ type: 'start' }), device.feed({ type: 'connected' })]],
    ['ready', (device) => device.ready()],
    ['dismissed', (device) => device.ready().receive({ type: 'KBYE', id: id('k') })],
  ]
  for (const [at, bring] of starts) {
    const device = new Turned()
    bring(device)
    assert.equal(device.state.at, at)
    assert.ok(kinds(device.feed({ type: 'broken' })).includes('hang-up'), at)
    assert.deepEqual(kinds(device.turn(100)), ['dial'], at)
  }
})

test('turned through random events, a device dials only when it holds no connection and hangs up only one it holds', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...everyEvent), { maxLength: 60 }), (names) => {
      const device = new Turned()
      let connections = 0
      let ready = false
      for (const name of names) {
        const effects = name === 'turn' ? device.turn(4_000) : device.feed(eventNamed(name, device))
        for (const effect of effects) {
          if (effect.type === 'dial') connections++
          if (effect.type === 'hang-up') connections--
          assert.ok(connections === 0 || connections === 1, `${connections} connections`)
          if (effect.type === 'ready') {
            assert.equal(ready, false)
            ready = true
          }
          if (effect.type === 'lost') {
            assert.equal(ready, true)
            ready = false
          }
        }
        if (device.state.at === 'stopped' || device.state.at === 'pausing') assert.equal(connections, 0)
      }
    }),
  )
})

const everyEvent = ['start', 'connected', 'disconnected', 'broken', 'ack', 'kbye', 'turn', 'leave', 'stop'] as const

function eventNamed(name: Exclude<(typeof everyEvent)[number], 'turn'>, { state }: Turned): DeviceEvent {
  if (name === 'kbye') return { type: 'received', command: { type: 'KBYE', id: id('k') } }
  if (name !== 'ack') return { type: name }
  const acknowledges = state.at === 'informing' ? state.inform : id('unknown')
  return { type: 'received', command: { type: 'ACK', id: id('a'), acknowledges } }
}
