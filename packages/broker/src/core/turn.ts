// The effects of one turn as they gather: every part of the core writes into it and none reads from it.

import type { Command, MessageId, Now } from '@eventmq-ts/emqp'
import type { RoutingId, StoreWrite } from '@eventmq-ts/store'
import type { LogEvent, Send, StoreRead } from './effects.ts'
import type { Endpoint } from './settings.ts'

/** The effects that have gathered. */
export interface Gathered {
  readonly writes: StoreWrite[]
  readonly sends: Send[]
  readonly reads: StoreRead[]
  readonly logs: LogEvent[]
}

export class Turn {
  readonly nextId: () => MessageId
  now: Now
  #gathered: Gathered = nothing()

  constructor(nextId: () => MessageId, now: Now) {
    this.nextId = nextId
    this.now = now
  }

  /** What has gathered; from now on it gathers anew. */
  take(): Gathered {
    const gathered = this.#gathered
    this.#gathered = nothing()
    return gathered
  }

  /** Gives the index of the write, for a send that rests on it. */
  write(write: StoreWrite): number {
    return this.#gathered.writes.push(write) - 1
  }

  send(endpoint: Endpoint, to: RoutingId, command: Command, guard?: number): void {
    this.#gathered.sends.push({ endpoint, to, command, guard })
  }

  read(read: StoreRead): void {
    this.#gathered.reads.push(read)
  }

  log(level: LogEvent['level'], fields: LogEvent['fields'], message: string): void {
    this.#gathered.logs.push({ level, fields, message })
  }

  ack(endpoint: Endpoint, to: RoutingId, acknowledges: MessageId, guard?: number): void {
    this.send(endpoint, to, { type: 'ACK', id: this.nextId(), acknowledges }, guard)
  }

  heartbeat(endpoint: Endpoint, to: RoutingId): void {
    this.send(endpoint, to, { type: 'HEARTBEAT', id: this.nextId(), sentAtSeconds: this.now.epochMs / 1000 })
  }

  kbye(endpoint: Endpoint, to: RoutingId): void {
    this.send(endpoint, to, { type: 'KBYE', id: this.nextId() })
  }

  /**
   * The answer to INFORM. A 0.3 job manager sends READY only after the first HEARTBEAT that follows its ACK: so it gets one
   * at once.
   */
  welcome(endpoint: Endpoint, to: RoutingId, inform: MessageId): void {
    this.ack(endpoint, to, inform)
    this.heartbeat(endpoint, to)
  }
}

function nothing(): Gathered {
  return { writes: [], sends: [], reads: [], logs: [] }
}
