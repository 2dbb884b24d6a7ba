// The effects of one turn as they gather: every part of the core writes into it and none reads from it.

import type { Command, MessageId, Now } from '@eventmq-ts/emqp'
import type { RoutingId, StoreWrite } from '@eventmq-ts/store'
import type { LogEvent, Send, StoreRead } from './effects.ts'
import type { Endpoint } from './settings.ts'

export class Turn {
  readonly nextId: () => MessageId
  now: Now
  writes: StoreWrite[] = []
  sends: Send[] = []
  reads: StoreRead[] = []
  logs: LogEvent[] = []

  constructor(nextId: () => MessageId, now: Now) {
    this.nextId = nextId
    this.now = now
  }

  /** Gives the index of the write, for a send that rests on it. */
  write(write: StoreWrite): number {
    return this.writes.push(write) - 1
  }

  send(endpoint: Endpoint, to: RoutingId, command: Command, guard?: number): void {
    this.sends.push({ endpoint, to, command, guard })
  }

  read(read: StoreRead): void {
    this.reads.push(read)
  }

  log(level: LogEvent['level'], fields: LogEvent['fields'], message: string): void {
    this.logs.push({ level, fields, message })
  }

  ack(endpoint: Endpoint, to: RoutingId, acknowledges: MessageId, guard?: number): void {
    this.send(endpoint, to, { type: 'ACK', id: this.nextId(), acknowledges }, guard)
  }

  heartbeat(endpoint: Endpoint, to: RoutingId): void {
    this.send(endpoint, to, { type: 'HEARTBEAT', id: this.nextId(), sentAtSeconds: this.now.epochMs / 1000 })
  }
}
