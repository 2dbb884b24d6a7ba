import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Device, type DeviceOptions, type LostReason } from '@eventmq-ts/device'
import { type Command, NO_HEADERS, type QueueName } from '@eventmq-ts/emqp'
import { RecordedLog } from './recorded-log.ts'
import { ScriptedRouter } from './scripted-router.ts'

type Happening = 'ready' | `lost ${LostReason}` | Command['type']

const queuesNamed = (names: readonly string[]) => names.map((name) => ({ weight: 10, name: name as QueueName }))

/** A device with short times, and what its role is told, to be awaited in order. */
class Peer {
  readonly device: Device
  readonly log = new RecordedLog()
  readonly commands: Command[] = []
  readonly #happened: Happening[] = []
  #waiting: (() => void) | undefined

  constructor(address: string, options: Partial<DeviceOptions> = {}) {
    this.device = new Device({
      address,
      registration: { role: 'worker', queues: [{ weight: 10, name: 'default' as QueueName }] },
      heartbeatIntervalMs: 20,
      silenceLimitMs: 2_000,
      pauseMinMs: 10,
      log: this.log,
      onCommand: (command) => {
        this.commands.push(command)
        this.#tell(command.type)
      },
      onReady: () => this.#tell('ready'),
      onLost: (reason) => this.#tell(`lost ${reason}`),
      ...options,
    })
  }

  async next(): Promise<Happening> {
    if (this.#happened.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting = resolve
      await promise
    }
    return this.#happened.shift() as Happening
  }

  #tell(happening: Happening): void {
    this.#happened.push(happening)
    this.#waiting?.()
  }
}

async function withRouter(run: (router: ScriptedRouter) => Promise<void>): Promise<void> {
  const router = await ScriptedRouter.bind()
  try {
    await run(router)
  } finally {
    router.close()
  }
}

async function withPeer(peer: Peer, run: () => Promise<void>): Promise<void> {
  try {
    await peer.device.start()
    await run()
  } finally {
    await peer.device.stop()
  }
}

const reply = (text: string): Command => ({
  type: 'REPLY',
  kind: 'result',
  id: `reply-${text}` as Command['id'],
  request: text as Command['id'],
  payload: new TextEncoder().encode(text),
})

test('a worker registers under its routing id, heartbeats, hands on commands and says KBYE', () =>
  withRouter(async (router) => {
    const peer = new Peer(router.address, { routingId: 'worker-1' })
    await withPeer(peer, async () => {
      const { from, command } = await router.admit()
      assert.equal(from, 'worker-1')
      assert.deepEqual(command, { ...command, role: 'worker', queues: [{ weight: 10, name: 'default' }] })
      assert.equal(await peer.next(), 'ready')
      await router.hearA('HEARTBEAT')
      await router.hearA('HEARTBEAT')
      await peer.device.send({ type: 'READY', id: router.newId() })
      await router.hearA('READY')
      const id = router.newId()
      const payload = new Uint8Array([0xff, 0xfe, 0])
      await router.say(from, { type: 'REQUEST', id, queue: 'default' as QueueName, headers: NO_HEADERS, payload })
      assert.equal(await peer.next(), 'REQUEST')
      const [request] = peer.commands
      assert.ok(request?.type === 'REQUEST')
      assert.deepEqual(new Uint8Array(request.payload), payload)
    })
    await router.hearA('KBYE')
    assert.equal(peer.device.status, 'stopped')
  }))

test('start and stop can be called any number of times, and a stopped device says so', () =>
  withRouter(async (router) => {
    const peer = new Peer(router.address)
    assert.equal(peer.device.start(), peer.device.start())
    await peer.device.start()
    assert.equal(peer.device.stop(), peer.device.stop())
    await peer.device.stop()
    await assert.rejects(peer.device.send(reply('a')), { code: 'DEVICE_STOPPED' })
    const never = new Peer(router.address)
    await assert.rejects(never.device.send(reply('a')), { code: 'DEVICE_NOT_STARTED' })
    await never.device.stop()
    await assert.rejects(never.device.start(), { code: 'DEVICE_STOPPED' })
  }))

test('addresses and options that cannot work are refused with what was expected', async () => {
  for (const address of ['', 'localhost', 'tcp://*:1', 'tcp://127.0.0.1:99999', 'smoke://signal']) {
    const peer = new Peer(address)
    await assert.rejects(peer.device.start(), { name: 'DeviceError', code: 'DEVICE_ADDRESS' }, address)
    assert.equal(peer.device.status, 'stopped')
  }
  const bad: Partial<DeviceOptions>[] = [
    { heartbeatIntervalMs: 0 },
    { heartbeatIntervalMs: 3_000, silenceLimitMs: 2_000 },
    { answerTimeoutMs: 1.5 },
    { routingId: '' },
    { routingId: 'x'.repeat(256) },
    { sendLimit: 0 },
    { registration: { role: 'worker', queues: queuesNamed(Array.from({ length: 1025 }, (_, i) => `q${i}`)) } },
    {
      registration: { role: 'worker', queues: queuesNamed(Array.from({ length: 600 }, (_, i) => 'q'.repeat(99) + i)) },
    },
  ]
  for (const options of bad) {
    assert.throws(() => new Peer('tcp://127.0.0.1:1', options), { code: 'DEVICE_OPTIONS' }, JSON.stringify(options))
  }
})

test('a router that restarts is told INFORM again under the same routing id, and what waited is sent then', async () => {
  const first = await ScriptedRouter.bind()
  const peer = new Peer(first.address, { routingId: 'worker-1' })
  await withPeer(peer, async () => {
    await first.admit()
    assert.equal(await peer.next(), 'ready')
    first.close()
    assert.equal(await peer.next(), 'lost disconnected')
    const sent = peer.device.send(reply('job-1'))
    await peer.device.send({ type: 'READY', id: first.newId() })
    const second = await ScriptedRouter.bind(first.address)
    try {
      assert.equal((await second.admit()).from, 'worker-1')
      assert.equal(await peer.next(), 'ready')
      await sent
      const { command } = await second.hearA('REPLY')
      assert.ok(command.kind === 'result' && command.request === 'job-1')
      await peer.device.send({ type: 'READY', id: second.newId() })
      await second.hearA('READY')
    } finally {
      second.close()
    }
  })
})

test('a router that falls silent is dialed anew: same routing id, or a fresh one for 0.3 routers', () =>
  withRouter(async (router) => {
    for (const freshRoutingIds of [false, true]) {
      const options = { routingId: 'worker-1', freshRoutingIds, silenceLimitMs: 100 }
      const peer = new Peer(router.address, options)
      await withPeer(peer, async () => {
        await router.admit()
        assert.equal(await peer.next(), 'ready')
        assert.equal(await peer.next(), 'lost silent')
        const again = await router.hearA('INFORM')
        assert.equal(again.from, freshRoutingIds ? 'worker-1.2' : 'worker-1')
        assert.equal(peer.device.routingId, again.from)
      })
    }
  }))

test('a client of a 0.3 router comes back under a routing id that the router cannot take for a known one', async () => {
  const first = await ScriptedRouter.bind()
  const peer = new Peer(first.address, { registration: undefined, freshRoutingIds: true, routingId: 'client-1' })
  await withPeer(peer, async () => {
    assert.equal(await peer.next(), 'ready')
    first.close()
    assert.equal(await peer.next(), 'lost disconnected')
    const second = await ScriptedRouter.bind(first.address)
    try {
      assert.equal(await peer.next(), 'ready')
      await peer.device.send(reply('first'))
      assert.equal((await second.hear()).from, peer.device.routingId)
      assert.match(peer.device.routingId, /^client-1\.[2-9]$/)
    } finally {
      second.close()
    }
  })
})

test('an INFORM that is not answered is repeated, and the log says what may be wrong', () =>
  withRouter(async (router) => {
    const peer = new Peer(router.address, { answerTimeoutMs: 30 })
    await withPeer(peer, async () => {
      const first = await router.hearA('INFORM')
      const second = await router.hearA('INFORM')
      assert.notEqual(first.command.id, second.command.id)
      await router.admit()
      assert.equal(await peer.next(), 'ready')
      assert.match(peer.log.at('warn')[0]?.message ?? '', /did not answer INFORM in time.*47290/)
    })
  }))

test('whatever the router sends that is no eMQP is counted, logged once a kind, and ends nothing', () =>
  withRouter(async (router) => {
    const told: string[] = []
    const peer = new Peer(router.address, { onOffence: ({ code }) => void told.push(code) })
    const odd: [string, (string | Uint8Array)[]][] = [
      ['EMQP_FRAME_COUNT', ['']],
      ['EMQP_DELIMITER', ['x', 'eMQP/1.0', 'ACK', 'm', 'a']],
      ['EMQP_VERSION', ['', 'eMQP/9.9', 'ACK', 'm', 'a']],
      ['EMQP_UNKNOWN_COMMAND', ['', 'eMQP/1.0', 'NO_SUCH', 'm']],
      ['EMQP_NOT_UTF8', ['', 'eMQP/1.0', 'ACK', new Uint8Array([0xff]), 'a']],
      ['EMQP_HEADER', ['', 'eMQP/1.0', 'REQUEST', 'm', 'default', 'retry-count:abc', '{}']],
      ['EMQP_TIME', ['', 'eMQP/1.0', 'HEARTBEAT', 'm', 'noon']],
    ]
    await withPeer(peer, async () => {
      const { from } = await router.admit()
      assert.equal(await peer.next(), 'ready')
      for (let round = 0; round < 3; round++) {
        for (const [, frames] of odd) await router.sayFrames(from, frames)
      }
      await router.say(from, { type: 'ACK', id: router.newId(), acknowledges: router.newId() })
      assert.equal(await peer.next(), 'ACK')
      assert.equal(peer.device.status, 'ready')
      assert.deepEqual([...peer.device.offences].sort(), odd.map(([code]) => [code, 3]).sort())
      assert.deepEqual(told.sort(), odd.flatMap(([code]) => [code, code, code]).sort())
      const logged = peer.log.at('warn').map((line) => line.fields['code'])
      assert.deepEqual(logged.sort(), odd.map(([code]) => code).sort())
    })
  }))

test('a role that throws is logged, and the device goes on', () =>
  withRouter(async (router) => {
    const seen = Promise.withResolvers<void>()
    let calls = 0
    const peer = new Peer(router.address, {
      onReady: () => {
        throw new Error('ready went wrong')
      },
      onCommand: () => {
        calls++
        if (calls === 1) throw new Error('the first went wrong')
        if (calls === 2) return Promise.reject(new Error('the second went wrong'))
        seen.resolve()
        return undefined
      },
    })
    await withPeer(peer, async () => {
      const { from } = await router.admit()
      for (let i = 0; i < 3; i++)
        await router.say(from, { type: 'ACK', id: router.newId(), acknowledges: router.newId() })
      await seen.promise
      assert.deepEqual(
        peer.log.at('error').map((line) => String(line.fields['err'])),
        ['Error: ready went wrong', 'Error: the first went wrong', 'Error: the second went wrong'],
      )
    })
  }))

test('while the role holds a command the next one is not taken', () =>
  withRouter(async (router) => {
    const held: { release: () => void }[] = []
    const arrivals = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const peer = new Peer(router.address, {
      onCommand: () => {
        const { promise, resolve } = Promise.withResolvers<void>()
        arrivals[held.length]?.resolve()
        held.push({ release: resolve })
        return promise
      },
    })
    await withPeer(peer, async () => {
      const { from } = await router.admit()
      for (let i = 0; i < 2; i++)
        await router.say(from, { type: 'ACK', id: router.newId(), acknowledges: router.newId() })
      await arrivals[0]?.promise
      // Both messages have been on their way for two of the device's heartbeats.
      await router.hearA('HEARTBEAT')
      await router.hearA('HEARTBEAT')
      assert.equal(held.length, 1)
      held[0]?.release()
      await arrivals[1]?.promise
      held[1]?.release()
    })
  }))

test('a flood of sends that nobody awaits is bounded: those over the limit are refused, the others arrive in order', () =>
  withRouter(async (router) => {
    const peer = new Peer(router.address, { sendLimit: 100 })
    await withPeer(peer, async () => {
      const outcomes = Array.from({ length: 150 }, (_, i) => peer.device.send(reply(`job-${i}`)))
      const settled = Promise.allSettled(outcomes)
      await router.admit()
      for (let i = 0; i < 100; i++) {
        const { command } = await router.hearA('REPLY')
        assert.ok(command.kind === 'result')
        assert.equal(command.request, `job-${i}`)
      }
      const refused = (await settled).filter((outcome) => outcome.status === 'rejected')
      assert.equal(refused.length, 50)
      for (const { reason } of refused) assert.equal(reason.code, 'DEVICE_FULL')
    })
  }))

test('what was given to send before stop still goes out; what cannot is rejected', async () => {
  await withRouter(async (router) => {
    const peer = new Peer(router.address)
    await withPeer(peer, async () => {
      await router.admit()
      assert.equal(await peer.next(), 'ready')
      const sends = Array.from({ length: 50 }, (_, i) => peer.device.send(reply(`job-${i}`)))
      await peer.device.stop()
      await Promise.all(sends)
      for (let i = 0; i < 50; i++) await router.hearA('REPLY')
      await router.hearA('KBYE')
    })
  })
  const nobody = new Peer('tcp://127.0.0.1:1')
  await nobody.device.start()
  const waiting = assert.rejects(nobody.device.send(reply('job')), { code: 'DEVICE_STOPPED' })
  await nobody.device.stop()
  await waiting
})

test('leaving: KBYE first, REPLYs of what runs afterwards, and no READY any more', () =>
  withRouter(async (router) => {
    const peer = new Peer(router.address)
    await withPeer(peer, async () => {
      await router.admit()
      assert.equal(await peer.next(), 'ready')
      peer.device.leave()
      await router.hearA('KBYE')
      await peer.device.send({ type: 'READY', id: router.newId() })
      await peer.device.send(reply('job-1'))
      const seen: string[] = []
      do seen.push((await router.hear()).command.type)
      while (!seen.includes('REPLY'))
      assert.ok(!seen.includes('READY'))
    })
  }))

test('a client is ready as soon as it is connected, and sends nothing of its own', () =>
  withRouter(async (router) => {
    const peer = new Peer(router.address, { registration: undefined, routingId: 'client-1' })
    await withPeer(peer, async () => {
      assert.equal(await peer.next(), 'ready')
      await peer.device.send(reply('first'))
      const { from, command } = await router.hear()
      assert.equal(from, 'client-1')
      assert.equal(command.type, 'REPLY')
    })
  }))
