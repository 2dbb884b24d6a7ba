// The broker's process in the simulation: the real core over a store, its turns taken step by step so that it can be
// killed between any two of them. What was committed survives; all else is gone.

import {
  answerRead,
  BrokerCore,
  type BrokerInput,
  type CoreSettings,
  type Endpoint,
  type Send,
  withKnownJobs,
} from '@eventmq-ts/broker/core'
import type { Command, MessageId, MonotonicMs } from '@eventmq-ts/emqp'
import type { MemoryStore, RoutingId, StoreWrite } from '@eventmq-ts/store'
import type { BrokerEnd, Network } from './network.ts'
import type { World } from './world.ts'

/** A mistake that is made on purpose, to see that the simulation finds it. */
export type PlantedFault = 'skip-commit' | 'promise-early' | 'drop-requeue' | 'leak-slot'

/** The process was killed here. */
class Killed extends Error {}

export class BrokerProcess implements BrokerEnd {
  readonly #world: World
  readonly #store: MemoryStore
  readonly #settings: CoreSettings
  readonly #planted: PlantedFault | undefined
  #network: Network | undefined
  #core: BrokerCore | undefined
  #inbox: BrokerInput[] = []
  #turnPlanned = false
  /** Which start of the process this is: what an earlier one had planned does not happen. */
  #incarnation = 0
  #ids = 0
  #killAt: number | undefined
  kills = 0

  constructor(world: World, store: MemoryStore, settings: CoreSettings, planted: PlantedFault | undefined) {
    this.#world = world
    this.#store = store
    this.#settings = settings
    this.#planted = planted
  }

  attach(network: Network): void {
    this.#network = network
  }

  isUp(): boolean {
    return this.#core !== undefined
  }

  message(endpoint: Endpoint, from: RoutingId, command: Command): void {
    this.#arrive({ type: 'message', endpoint, from, command })
    if (this.#planted === 'leak-slot' && command.type === 'READY' && this.#world.random.chance(0.2)) {
      this.#arrive({ type: 'message', endpoint, from, command })
    }
  }

  disconnected(endpoint: Endpoint, peer: RoutingId): void {
    this.#arrive({ type: 'disconnected', endpoint, peer })
  }

  async start(): Promise<void> {
    this.#incarnation++
    this.#world.note(`the broker starts (${this.#incarnation})`)
    this.#core = new BrokerCore(this.#settings, {
      nextId: () => `b${this.#incarnation}-${++this.#ids}` as MessageId,
      now: this.#world.now,
    })
    await this.#turn([{ type: 'opened', overview: await this.#store.open() }])
  }

  /** Kills the process some steps into one of its next turns. */
  killSoon(): void {
    this.#killAt ??= this.#world.random.between(0, 12)
  }

  /** Counts of the running core. */
  get stats() {
    return this.#core?.stats()
  }

  #arrive(input: BrokerInput): void {
    if (this.#core === undefined) return
    this.#inbox.push(input)
    this.#planTurn(this.#world.random.between(0, 3))
  }

  #planTurn(inMs: number): void {
    if (this.#turnPlanned) return
    this.#turnPlanned = true
    const incarnation = this.#incarnation
    this.#world.in(inMs, async () => {
      if (incarnation !== this.#incarnation || this.#core === undefined) return
      this.#turnPlanned = false
      const inputs = this.#inbox
      this.#inbox = []
      if (inputs.length > 0) await this.#turn(inputs)
    })
  }

  async #turn(inputs: readonly BrokerInput[]): Promise<void> {
    try {
      await this.#steps(inputs)
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      await this.#die()
    }
  }

  async #steps(inputs: readonly BrokerInput[]): Promise<void> {
    const core = this.#core
    if (core === undefined) return
    const known = await withKnownJobs(this.#store, inputs)
    for (let next: readonly BrokerInput[] = known; next.length > 0; ) {
      for (const input of next) core.receive(input, this.#world.now)
      const { writes, sends, reads, wakeAt } = core.takeEffects()
      this.#mayDie()
      if (this.#planted === 'promise-early') this.#sendAll(sends, noneRefused)
      const refused = await this.#commit(writes)
      if (this.#planted !== 'promise-early') this.#sendAll(sends, refused)
      const answers: BrokerInput[] = []
      for (const index of refused) {
        const write = writes[index]
        if (write !== undefined) answers.push({ type: 'refused', write })
      }
      for (const read of reads)
        answers.push({ type: 'stored', answer: await answerRead(this.#store, read, this.#world.now.epochMs) })
      this.#planTick(wakeAt)
      next = answers
    }
  }

  async #commit(writes: readonly StoreWrite[]): Promise<ReadonlySet<number>> {
    this.#mayDie()
    if (writes.length === 0) return noneRefused
    if (this.#planted === 'skip-commit' && this.#world.random.chance(0.02)) return noneRefused
    const wanted = this.#planted === 'drop-requeue' ? writes.filter(({ type }) => type !== 'requeue') : writes
    const { refused } = await this.#store.commit(wanted)
    this.#mayDie()
    return new Set(wanted === writes ? refused : [])
  }

  #sendAll(sends: readonly Send[], refused: ReadonlySet<number>): void {
    for (const send of sends) {
      if (send.guard !== undefined && refused.has(send.guard)) continue
      this.#mayDie()
      if (this.#network?.send(send) === false) this.#arrive({ type: 'undeliverable', send })
    }
  }

  #planTick(wakeAt: MonotonicMs): void {
    const incarnation = this.#incarnation
    // Now and then the whole process is held up for a while.
    const lateMs = this.#world.goesWrong(0.002) ? 20_000 : 0
    this.#world.in(Math.max(0, wakeAt - this.#world.nowMs) + lateMs, () => {
      if (incarnation !== this.#incarnation || this.#core === undefined || this.#world.nowMs < wakeAt) return
      this.#inbox.push({ type: 'tick' })
      this.#planTurn(0)
    })
  }

  #mayDie(): void {
    if (this.#killAt === undefined || this.#killAt-- > 0) return
    this.#killAt = undefined
    throw new Killed()
  }

  async #die(): Promise<void> {
    this.kills++
    this.#world.note('the broker is killed')
    this.#core = undefined
    this.#inbox = []
    this.#turnPlanned = false
    this.#incarnation++
    await this.#store.close()
    this.#network?.cutAll()
    this.#world.in(this.#world.random.between(10, 20_000), () => this.start())
  }
}

const noneRefused: ReadonlySet<number> = new Set()
