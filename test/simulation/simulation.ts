// One seeded run of the broker's core in a world that does its worst for a minute of simulated time and then heals.

import type { CoreSettings } from '@eventmq-ts/broker/core'
import type { QueueName } from '@eventmq-ts/emqp'
import { MemoryStore } from '@eventmq-ts/store'
import { BrokerProcess, type PlantedFault } from './broker-process.ts'
import { SimulatedClient } from './client.ts'
import { Ledger } from './ledger.ts'
import { Network } from './network.ts'
import { SimulatedWorker } from './worker.ts'
import { World } from './world.ts'

const badTimesMs = 60_000
const healingMs = 240_000

export interface SimulationResult {
  readonly seed: number
  /** What was broken, if anything. */
  readonly failure: string | undefined
  readonly trace: readonly string[]
  readonly jobs: number
  readonly runs: number
  readonly kills: number
}

function settings(world: World): CoreSettings {
  const { random } = world
  return {
    heartbeatIntervalMs: 3000,
    peerTimeoutMs: 10_000,
    farewellTimeoutMs: 60_000,
    drainTimeoutMs: 30_000,
    scheduleAckTimeoutMs: 30_000,
    storeLeaseMs: 20_000,
    // Nothing is forgotten, so that the end can be looked at.
    doneKeepMs: 3_600_000,
    deadKeepMs: 3_600_000,
    maxLosses: random.between(2, 6),
    queueOrder: random.pick(['strict', 'weighted']),
    unknownQueue: random.pick(['keep', 'default']),
    defaultQueues: [{ weight: 10, name: 'default' as QueueName }],
    // Short heads, so that most of what waits is in the store only.
    queueHead: random.between(2, 6),
    maxQueueDepth: 1000,
    maxQueues: 100,
    maxPeers: 100,
    maxSlots: 100,
    maxPayloadBytes: 10_000,
    addresses: { frontend: 'frontend', backend: 'backend', administration: 'administration' },
  }
}

export async function simulate(seed: number, planted?: PlantedFault): Promise<SimulationResult> {
  const world = new World(seed)
  const store = new MemoryStore()
  const broker = new BrokerProcess(world, store, settings(world), planted)
  const network = new Network(world, broker)
  broker.attach(network)
  const ledger = new Ledger(world)
  const queues = ['default', 'email', 'heavy'] as QueueName[]
  const result = (failure: string | undefined): SimulationResult => ({
    seed,
    failure,
    trace: world.trace,
    jobs: ledger.jobs,
    runs: ledger.runs,
    kills: broker.kills,
  })
  try {
    await broker.start()
    const workers = world.random.between(1, 4)
    // The first worker serves every queue, so that all can drain.
    for (let i = 0; i < workers; i++) {
      const served = i === 0 ? queues : queues.filter(() => world.random.chance(0.6))
      new SimulatedWorker(`w${i}`, world, network, ledger, served).start()
    }
    const clients = world.random.between(1, 3)
    for (let i = 0; i < clients; i++)
      new SimulatedClient(`c${i}`, world, network, ledger, queues).start(world.random.between(5, 30))
    causeTrouble(world, broker, network)
    await world.runUntil(badTimesMs)
    world.faulty = false
    world.note('the world heals')
    await world.runUntil(badTimesMs + healingMs)
    const stats = broker.stats
    const left = (stats?.waiting ?? 0) + (stats?.delayed ?? 0) + (stats?.active ?? 0)
    if (left > 0) return result(`${left} jobs are left in a healed world: ${JSON.stringify(stats)}`)
    await ledger.settle(store)
    return result(undefined)
  } catch (error) {
    return result(error instanceof Error ? `${error.message}` : String(error))
  }
}

/** Cuts connections, kills the broker and sets the wall clock, until the world heals. */
function causeTrouble(world: World, broker: BrokerProcess, network: Network): void {
  world.in(world.random.between(100, 3000), () => {
    if (!world.faulty) return
    const what = world.random.next()
    if (what < 0.5) {
      const connection = network.random()
      if (connection !== undefined) network.cut(connection, world.random.chance(0.7))
    } else if (what < 0.7) broker.killSoon()
    else if (what < 0.75) world.jumpWallClock(world.random.between(-5000, 5000))
    causeTrouble(world, broker, network)
  })
}
