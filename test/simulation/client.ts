// A client in the simulation: submits jobs with all kinds of headers, sends a guaranteed one until it is acknowledged,
// and asks again for what it has not been answered when it comes back.

import {
  type Command,
  type HeaderChanges,
  type MessageHeaders,
  type MessageId,
  makeHeaders,
  type QueueName,
} from '@eventmq-ts/emqp'
import type { RoutingId } from '@eventmq-ts/store'
import type { Ledger } from './ledger.ts'
import type { Connection, Network } from './network.ts'
import type { World } from './world.ts'

const resendMs = 2000

interface Asked {
  readonly headers: MessageHeaders
  readonly queue: QueueName
  acknowledged: boolean
  answered: boolean
}

export class SimulatedClient {
  readonly id: RoutingId
  readonly #world: World
  readonly #network: Network
  readonly #ledger: Ledger
  readonly #queues: readonly QueueName[]
  readonly #asked = new Map<MessageId, Asked>()
  #connection: Connection | undefined
  #count = 0

  constructor(name: string, world: World, network: Network, ledger: Ledger, queues: readonly QueueName[]) {
    this.id = name as RoutingId
    this.#world = world
    this.#network = network
    this.#ledger = ledger
    this.#queues = queues
  }

  start(jobs: number): void {
    this.#dial()
    for (let i = 0; i < jobs; i++) this.#world.in(this.#world.random.between(0, 40_000), () => this.#submit())
    this.#world.in(resendMs, () => this.#resend())
  }

  #submit(): void {
    const { random } = this.#world
    const id = `${this.id}-job${++this.#count}` as MessageId
    const headers: HeaderChanges = {
      guarantee: random.chance(0.7),
      replyRequested: random.chance(0.7),
      ...(random.chance(0.3) ? { retryCount: random.between(0, 3) } : {}),
      ...(random.chance(0.2) ? { delaySeconds: random.between(0, 5) } : {}),
      ...(random.chance(0.1) ? { expiresSeconds: random.between(1, 20) } : {}),
      ...(random.chance(0.3) ? { priority: random.between(0, 9) } : {}),
    }
    const asked = {
      headers: makeHeaders(headers),
      queue: random.pick(this.#queues),
      acknowledged: false,
      answered: false,
    }
    this.#asked.set(id, asked)
    this.#ask(id, asked)
  }

  #ask(id: MessageId, { headers, queue }: Asked): void {
    if (this.#connection === undefined) return
    this.#ledger.asked(this.id, id, headers)
    this.#world.note(`${this.id} asks for ${id} [${headers.text}]`)
    this.#connection.toBroker({ type: 'REQUEST', id, queue, headers, payload: new TextEncoder().encode(id) })
  }

  #resend(): void {
    for (const [id, asked] of this.#asked) if (asked.headers.guarantee && !asked.acknowledged) this.#ask(id, asked)
    this.#world.in(resendMs, () => this.#resend())
  }

  #receive(command: Command): void {
    if (command.type === 'ACK') {
      const asked = this.#asked.get(command.acknowledges)
      if (asked === undefined) return
      this.#world.note(`${this.id} has the ACK of ${command.acknowledges}`)
      asked.acknowledged = true
      this.#ledger.acknowledged(command.acknowledges)
    } else if (command.type === 'REPLY' && command.kind === 'result') {
      const answer = new TextDecoder().decode(command.payload)
      this.#world.note(`${this.id} has the REPLY of ${command.request}: ${answer}`)
      const asked = this.#asked.get(command.request)
      if (asked !== undefined) asked.answered = true
      this.#ledger.answered(this.id, command.request, answer)
    }
  }

  #dial(): void {
    const peer = {
      endpoint: 'frontend' as const,
      id: this.id,
      receive: (command: Command) => this.#receive(command),
      cut: () => {
        this.#connection = undefined
        this.#world.in(this.#world.random.between(10, 5000), () => this.#dial())
      },
    }
    this.#connection = this.#network.connect(peer)
    if (this.#connection === undefined) {
      this.#world.in(500, () => this.#dial())
      return
    }
    // A reply may have been lost with the old connection: only asking again tells.
    for (const [id, asked] of this.#asked) {
      if (asked.headers.guarantee && asked.headers.replyRequested && !asked.answered) this.#ask(id, asked)
    }
  }
}
