// Everything that can happen to a broker, as values. The shell makes them of sockets, timers and the store.

import type { Command, EmqpError, QueueName } from '@eventmq-ts/emqp'
import type {
  JobRecord,
  JobSummary,
  Page,
  RoutingId,
  ScheduleRecord,
  StoreOverview,
  StoreWrite,
} from '@eventmq-ts/store'
import type { Send } from './effects.ts'
import type { Endpoint } from './settings.ts'

/** A peer said something. */
export interface MessageInput {
  readonly type: 'message'
  readonly endpoint: Endpoint
  readonly from: RoutingId
  readonly command: Command
  /** With a REQUEST: what the store knows of a job with this id. */
  readonly known?: JobSummary | undefined
}

/** A peer said something that is not eMQP. */
export interface MalformedInput {
  readonly type: 'malformed'
  readonly endpoint: Endpoint
  readonly from: RoutingId
  readonly error: EmqpError
  /** Whether its headers, as far as they can be read, ask for an answer. */
  readonly wantsAnswer: boolean
}

/** What a read of {@link BrokerEffects} brought. */
export type StoreAnswer =
  | { readonly type: 'waiting'; readonly queue: QueueName; readonly page: Page<JobRecord> }
  | { readonly type: 'delayed'; readonly page: Page<JobRecord> }
  | { readonly type: 'active'; readonly page: Page<JobRecord> }
  | { readonly type: 'schedules'; readonly page: Page<ScheduleRecord> }
  | { readonly type: 'result'; readonly to: RoutingId; readonly job: JobRecord | undefined }
  | { readonly type: 'forget'; readonly forgotten: number }

export type BrokerInput =
  | MessageInput
  | MalformedInput
  /** The store is open; comes first, once. */
  | { readonly type: 'opened'; readonly overview: StoreOverview }
  /** A read that an earlier turn asked for. Must come before any other input that follows that turn. */
  | { readonly type: 'stored'; readonly answer: StoreAnswer }
  /** The store left this write out: the job was not as the write says. */
  | { readonly type: 'refused'; readonly write: StoreWrite }
  /** A send that found no peer. */
  | { readonly type: 'undeliverable'; readonly send: Send }
  /** A peer's connection is gone, and no new one has taken over its routing id. */
  | { readonly type: 'disconnected'; readonly endpoint: Endpoint; readonly peer: RoutingId }
  /** Time has passed; due when {@link BrokerEffects.wakeAt} is reached. */
  | { readonly type: 'tick' }
  /** The operator asks for an orderly end, as DISCONNECT does. */
  | { readonly type: 'stop' }
