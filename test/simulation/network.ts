// The simulated network between peers and the broker: messages take time, keep their order on a connection, and are lost
// with it. A routing id that comes back takes over from its old connection.

import type { Endpoint, Send } from '@eventmq-ts/broker/core'
import type { Command } from '@eventmq-ts/emqp'
import type { RoutingId } from '@eventmq-ts/store'
import type { World } from './world.ts'

export interface PeerEnd {
  readonly endpoint: Endpoint
  readonly id: RoutingId
  readonly receive: (command: Command) => void
  /** The connection is gone; the peer dials again when it likes. */
  readonly cut: () => void
}

export interface BrokerEnd {
  readonly isUp: () => boolean
  readonly message: (endpoint: Endpoint, from: RoutingId, command: Command) => void
  readonly disconnected: (endpoint: Endpoint, peer: RoutingId) => void
}

export class Connection {
  readonly peer: PeerEnd
  readonly #world: World
  readonly #broker: BrokerEnd
  isUp = true
  #toBrokerIsUp = true
  #lastArrivalMs = { toBroker: 0, toPeer: 0 }

  constructor(world: World, broker: BrokerEnd, peer: PeerEnd) {
    this.#world = world
    this.#broker = broker
    this.peer = peer
  }

  toBroker(command: Command): void {
    this.#carry('toBroker', () => this.#broker.message(this.peer.endpoint, this.peer.id, command))
  }

  toPeer(command: Command): void {
    this.#carry('toPeer', () => this.peer.receive(command))
  }

  /** The broker's process has ended: what it had written already may still arrive. */
  brokerEnded(): void {
    this.#toBrokerIsUp = false
    const pendingMs = Math.max(0, this.#lastArrivalMs.toPeer - this.#world.nowMs)
    const arrivesFirst = this.#world.random.chance(0.5)
    const end = () => {
      if (!this.isUp) return
      this.isUp = false
      this.peer.cut()
    }
    if (arrivesFirst) this.#world.in(pendingMs, end)
    else end()
  }

  #carry(way: 'toBroker' | 'toPeer', arrive: () => void): void {
    const slow = this.#world.goesWrong(0.01) ? 4000 : 20
    const arrivalMs = Math.max(this.#lastArrivalMs[way], this.#world.nowMs + this.#world.random.between(0, slow))
    this.#lastArrivalMs[way] = arrivalMs
    this.#world.in(arrivalMs - this.#world.nowMs, () => {
      if (this.isUp && (way === 'toPeer' || this.#toBrokerIsUp)) arrive()
    })
  }
}

export class Network {
  readonly #world: World
  readonly #broker: BrokerEnd
  readonly #connections = new Map<string, Connection>()

  constructor(world: World, broker: BrokerEnd) {
    this.#world = world
    this.#broker = broker
  }

  /** Undefined while the broker is down. */
  connect(peer: PeerEnd): Connection | undefined {
    if (!this.#broker.isUp()) return undefined
    const key = `${peer.endpoint} ${peer.id}`
    const before = this.#connections.get(key)
    if (before !== undefined) before.isUp = false
    const connection = new Connection(this.#world, this.#broker, peer)
    this.#connections.set(key, connection)
    return connection
  }

  /** Gives whether there was anybody to send it to. */
  send({ endpoint, to, command }: Send): boolean {
    const connection = this.#connections.get(`${endpoint} ${to}`)
    if (connection === undefined) return false
    connection.toPeer(command)
    return true
  }

  /** Cuts a connection. The broker notices at once, or only by the silence. */
  cut(connection: Connection, brokerNotices: boolean): void {
    if (!connection.isUp) return
    connection.isUp = false
    const { endpoint, id } = connection.peer
    this.#world.note(`the connection of ${id} is cut`)
    connection.peer.cut()
    if (!brokerNotices) return
    const key = `${endpoint} ${id}`
    if (this.#connections.get(key) !== connection) return
    this.#connections.delete(key)
    this.#broker.disconnected(endpoint, id)
  }

  /** The broker's process has ended: all its connections are gone. */
  cutAll(): void {
    const connections = [...this.#connections.values()]
    this.#connections.clear()
    for (const connection of connections) connection.brokerEnded()
  }

  random(): Connection | undefined {
    const up = [...this.#connections.values()].filter(({ isUp }) => isUp)
    return up.length === 0 ? undefined : this.#world.random.pick(up)
  }
}
