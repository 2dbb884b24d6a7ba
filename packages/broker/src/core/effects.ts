// What the core wants done. The shell commits the writes, and only when they are durable do the sends leave, in order;
// then it does the reads and hands in what they brought, before anything else.

import type { Command, MessageId, MonotonicMs, QueueName } from '@eventmq-ts/emqp'
import type { DuePosition, QueuePosition, RoutingId, StoreWrite } from '@eventmq-ts/store'
import type { Endpoint } from './settings.ts'

/** One message to one peer. */
export interface Send {
  readonly endpoint: Endpoint
  readonly to: RoutingId
  readonly command: Command
  /** The index of the write that this promises or rests on: if the store refuses it, this must not leave. */
  readonly guard?: number | undefined
}

/** Something the core wants to know from the store. */
export type StoreRead =
  | {
      readonly type: 'waiting'
      readonly queue: QueueName
      readonly after: QueuePosition | undefined
      readonly limit: number
    }
  | { readonly type: 'delayed'; readonly after: DuePosition | undefined; readonly limit: number }
  | { readonly type: 'active'; readonly after: MessageId | undefined; readonly limit: number }
  | { readonly type: 'schedules'; readonly after: number | undefined; readonly limit: number }
  | { readonly type: 'result'; readonly id: MessageId; readonly to: RoutingId }
  | { readonly type: 'forget'; readonly limit: number }

export interface LogEvent {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

export interface BrokerEffects {
  readonly writes: readonly StoreWrite[]
  readonly sends: readonly Send[]
  readonly reads: readonly StoreRead[]
  readonly logs: readonly LogEvent[]
  /** Hand in a tick then, at the latest. */
  readonly wakeAt: MonotonicMs
  /** The broker has drained: nothing more will come of it. */
  readonly stopped: boolean
}
