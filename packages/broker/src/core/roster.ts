// Who is registered: workers and schedulers, by routing id. And who is silent for too long.

import type { MonotonicMs, QueueName, WeightedQueue } from '@eventmq-ts/emqp'
import type { RoutingId } from '@eventmq-ts/store'
import { HandedOver } from './handed-over.ts'
import type { Queues } from './queues.ts'
import { Scheduler } from './scheduler.ts'
import type { CoreSettings, Endpoint } from './settings.ts'
import type { Turn } from './turn.ts'
import { Worker } from './worker.ts'

export class Roster {
  readonly #settings: CoreSettings
  readonly #queues: Queues
  readonly workers = new Map<RoutingId, Worker>()
  readonly schedulers = new Map<RoutingId, Scheduler>()
  #joined = 0
  /** Workers that have got a slot since they were last looked at. */
  #ready = new Set<Worker>()

  constructor(settings: CoreSettings, queues: Queues) {
    this.#settings = settings
    this.#queues = queues
  }

  /** Workers and schedulers. */
  get size(): number {
    return this.workers.size + this.schedulers.size
  }

  /**
   * Puts a worker on the list, in the place of one with the same routing id. Its slots start at 0.
   *
   * @returns the worker, or why not
   */
  addWorker(id: RoutingId, asked: readonly WeightedQueue[], turn: Turn): Worker | string {
    const before = this.workers.get(id)
    if (before === undefined && this.size >= this.#settings.maxPeers) return this.#tooMany()
    const queues = withoutDoubles(asked.length === 0 ? this.#settings.defaultQueues : asked)
    const opened = queues.map(({ name }) => this.#queues.open(name))
    if (opened.includes(undefined)) return `there are ${this.#settings.maxQueues} queues already (maxQueues)`
    if (before !== undefined) this.removeWorker(before)
    const worker = new Worker(id, queues, ++this.#joined, turn.now.monotonicMs, before?.handedOver ?? new HandedOver())
    this.workers.set(id, worker)
    for (const queue of opened) {
      if (queue === undefined) continue
      queue.workers++
      queue.known = true
      this.#queues.touch(queue)
    }
    return worker
  }

  /** Whoever is registered at this door under this routing id. */
  find(endpoint: Endpoint, id: RoutingId): Worker | Scheduler | undefined {
    if (endpoint === 'backend') return this.workers.get(id)
    return endpoint === 'frontend' ? this.schedulers.get(id) : undefined
  }

  /** Takes a worker and its slots off the list. What it runs is for others to see to. */
  removeWorker(worker: Worker): void {
    this.workers.delete(worker.id)
    this.#stopOffering(worker)
  }

  /** It said KBYE, or is not reached: no new jobs, but it stays until it is gone. */
  workerLeaves(worker: Worker): void {
    worker.leaving = true
    this.#stopOffering(worker)
  }

  /** READY. Gives false where it has as many slots as it may. */
  addSlot(worker: Worker): boolean {
    if (worker.slots >= this.#settings.maxSlots) return false
    worker.slots++
    this.#ready.add(worker)
    return true
  }

  /** What took a slot of it never left: the slot is free again without a READY. */
  slotReturned(worker: Worker): void {
    if (worker.leaving || this.workers.get(worker.id) !== worker) return
    worker.slots++
    this.#ready.add(worker)
  }

  takeReady(): ReadonlySet<Worker> {
    if (this.#ready.size === 0) return noWorkers
    const ready = this.#ready
    this.#ready = new Set()
    return ready
  }

  /** The scheduler, or why not. */
  addScheduler(id: RoutingId, turn: Turn): Scheduler | string {
    const before = this.schedulers.get(id)
    if (before === undefined && this.size >= this.#settings.maxPeers) return this.#tooMany()
    const scheduler = new Scheduler(id, ++this.#joined, turn.now.monotonicMs)
    this.schedulers.set(id, scheduler)
    return scheduler
  }

  /** Who has been silent for too long. One that said farewell may be silent for longer. */
  *silent(now: MonotonicMs): Iterable<Worker | Scheduler> {
    for (const peers of [this.workers, this.schedulers]) {
      for (const peer of peers.values()) {
        const { farewellTimeoutMs, peerTimeoutMs } = this.#settings
        if (now - peer.lastSeen > (peer.leaving ? farewellTimeoutMs : peerTimeoutMs)) yield peer
      }
    }
  }

  /** The broker itself was not there for so long (a suspended machine, a long pause): nobody is to blame for that. */
  forgive(gapMs: number): void {
    for (const peers of [this.workers, this.schedulers]) {
      for (const peer of peers.values()) peer.lastSeen = (peer.lastSeen + gapMs) as MonotonicMs
    }
  }

  #stopOffering(worker: Worker): void {
    worker.slots = 0
    this.#ready.delete(worker)
    if (!worker.counted) return
    worker.counted = false
    for (const { name } of worker.queues) {
      const queue = this.#queues.find(name)
      if (queue !== undefined) queue.workers--
    }
  }

  #tooMany(): string {
    return `there are ${this.#settings.maxPeers} workers and schedulers already (maxPeers)`
  }
}

const noWorkers: ReadonlySet<Worker> = new Set()

/** A queue named twice counts once, as first named. */
function withoutDoubles(queues: readonly WeightedQueue[]): readonly WeightedQueue[] {
  const byName = new Map<QueueName, WeightedQueue>()
  for (const queue of queues) if (!byName.has(queue.name)) byName.set(queue.name, queue)
  return [...byName.values()]
}
