// A worker in the simulation: runs jobs for a while, fails some, and does what workers do to a broker: dies in the middle
// of a job, falls silent and comes back late, loses its connection, answers twice, leaves in order.

import {
  type Command,
  type MessageId,
  printJobResult,
  type QueueName,
  RELEASED,
  type Request,
  type WeightedQueue,
} from '@eventmq-ts/emqp'
import type { RoutingId } from '@eventmq-ts/store'
import type { Ledger } from './ledger.ts'
import type { Connection, Network } from './network.ts'
import type { World } from './world.ts'

const heartbeatMs = 3000
const silenceLimitMs = 15_000

export class SimulatedWorker {
  readonly #name: string
  readonly #world: World
  readonly #network: Network
  readonly #ledger: Ledger
  readonly #queues: readonly WeightedQueue[]
  readonly #slots: number
  /** Jobs it runs, with the number of the run: an end that comes after the process has died is none. */
  readonly #running = new Map<MessageId, number>()
  #id: RoutingId
  #connection: Connection | undefined
  #registered = false
  #leaving = false
  #silentUntilMs = 0
  #heardAtMs = 0
  #lives = 0
  #ids = 0
  #runs = 0

  constructor(name: string, world: World, network: Network, ledger: Ledger, queues: readonly QueueName[]) {
    this.#name = name
    this.#world = world
    this.#network = network
    this.#ledger = ledger
    this.#queues = queues.map((queue) => ({ name: queue, weight: world.random.between(1, 3) * 10 }))
    this.#slots = world.random.between(1, 3)
    this.#id = name as RoutingId
  }

  start(): void {
    this.#dial()
    this.#world.in(heartbeatMs, () => this.#beat())
  }

  #beat(): void {
    this.#world.in(heartbeatMs, () => this.#beat())
    if (this.#world.goesWrong(0.01)) {
      this.#silentUntilMs = this.#world.nowMs + this.#world.random.between(5000, 30_000)
      this.#world.note(`${this.#id} falls silent`)
    }
    if (this.#world.goesWrong(0.01)) this.#die()
    if (this.#world.goesWrong(0.01)) this.#leave()
    if (this.#connection === undefined || this.#isSilent) return
    if (this.#world.nowMs - this.#heardAtMs > silenceLimitMs) {
      this.#network.cut(this.#connection, true)
      return
    }
    this.#say({ type: 'HEARTBEAT', id: this.#newId(), sentAtSeconds: this.#world.nowMs / 1000 })
    if (this.#world.goesWrong(0.05)) this.#lie()
  }

  /** Says something about a job that it does not have. */
  #lie(): void {
    const payload = printJobResult({ kind: 'value', value: 'a lie' })
    this.#say({ type: 'REPLY', kind: 'result', id: this.#newId(), request: `lie-${this.#ids}` as MessageId, payload })
  }

  #receive(command: Command): void {
    this.#heardAtMs = this.#world.nowMs
    if (command.type === 'ACK') {
      this.#registered = true
      for (const job of this.#running.keys()) {
        this.#say({ type: 'PROGRESS', id: this.#newId(), request: job, payload: new Uint8Array(0) })
      }
      for (let free = this.#slots - this.#running.size; free > 0; free--) this.#ready()
    } else if (command.type === 'REQUEST') this.#begin(command)
  }

  #begin(request: Request): void {
    const { id, headers } = request
    // The same job given again while it runs here still takes a slot of its own.
    const running = this.#running.size + (this.#running.has(id) ? 0 : 1)
    this.#world.note(`${this.#id} begins ${id} [${headers.text}], ${running} of ${this.#slots} slots`)
    this.#ledger.began(this.#name, id, running, this.#slots)
    const run = ++this.#runs
    this.#running.set(id, run)
    this.#world.in(this.#world.random.between(1, this.#world.random.chance(0.1) ? 20_000 : 500), () =>
      this.#end(request, run),
    )
  }

  #end(request: Request, run: number): void {
    if (this.#running.get(request.id) !== run) return
    // A silent worker is one that is suspended: its jobs end when it goes on.
    if (this.#isSilent || (this.#connection === undefined && !this.#leaving) || (!this.#registered && !this.#leaving)) {
      this.#world.in(200, () => this.#end(request, run))
      return
    }
    this.#running.delete(request.id)
    this.#ledger.ended(request.id)
    const failed = this.#world.random.chance(0.2)
    const payload = failed
      ? printJobResult({ kind: 'error', error: { name: 'Error', message: `run ${run} of ${this.#name}` } })
      : printJobResult({ kind: 'value', value: `run ${run} of ${this.#name}` })
    this.#world.note(`${this.#id} ends ${request.id}${failed ? ' with a failure' : ''}`)
    if (request.headers.replyRequested) {
      const reply = { type: 'REPLY', kind: 'result', request: request.id, payload } as const
      this.#say({ ...reply, id: this.#newId() })
      if (this.#world.goesWrong(0.05)) this.#say({ ...reply, id: this.#newId() })
    }
    if (!this.#leaving) this.#ready()
  }

  /** SIGKILL: all that ran here is gone; a new process takes its place, under the same routing id or a new one. */
  #die(): void {
    this.#world.note(`${this.#id} dies with ${this.#running.size} jobs`)
    this.#running.clear()
    this.#restart()
  }

  /** SIGTERM: gives back what does not finish in time. */
  #leave(): void {
    if (this.#connection === undefined || !this.#registered) return
    this.#world.note(`${this.#id} leaves`)
    this.#leaving = true
    this.#say({ type: 'KBYE', id: this.#newId() })
    this.#world.in(2000, () => {
      const payload = printJobResult({ kind: 'error', error: { name: 'Released', message: 'leaving', code: RELEASED } })
      for (const job of this.#running.keys()) {
        this.#ledger.ended(job)
        this.#say({ type: 'REPLY', kind: 'result', id: this.#newId(), request: job, payload })
      }
      this.#running.clear()
      this.#world.in(500, () => this.#restart())
    })
  }

  #restart(): void {
    this.#lives++
    const connection = this.#connection
    this.#leaving = false
    this.#silentUntilMs = 0
    if (connection !== undefined) this.#network.cut(connection, this.#world.random.chance(0.8))
    if (this.#world.random.chance(0.5)) this.#id = `${this.#name}.${this.#lives}` as RoutingId
  }

  #ready(): void {
    this.#say({ type: 'READY', id: this.#newId() })
  }

  #say(command: Command): void {
    this.#connection?.toBroker(command)
  }

  get #isSilent(): boolean {
    return this.#world.nowMs < this.#silentUntilMs
  }

  #dial(): void {
    this.#registered = false
    this.#heardAtMs = this.#world.nowMs
    const peer = {
      endpoint: 'backend' as const,
      id: this.#id,
      receive: (command: Command) => this.#receive(command),
      cut: () => {
        this.#connection = undefined
        this.#registered = false
        this.#world.in(this.#world.random.between(10, 5000), () => this.#dial())
      },
    }
    this.#connection = this.#network.connect(peer)
    if (this.#connection === undefined) this.#world.in(500, () => this.#dial())
    else this.#say({ type: 'INFORM', id: this.#newId(), role: 'worker', queues: this.#queues })
  }

  #newId(): MessageId {
    return `${this.#id}-${++this.#ids}` as MessageId
  }
}
