// The glossary of eMQP: every command as a typed value, independent of the dialect it travels in. `decode` makes them of
// frames, `encode` makes frames of them; nothing else in the system sees a frame.
//
// client: submits jobs. broker (router): holds queues and hands out jobs. worker (job manager): offers slots and runs
// jobs. scheduler: turns schedules into REQUESTs. publisher: takes PUBLISH and serves subscribers. slot: room for one
// running job, announced by one READY.

import type { MessageHeaders } from './headers.ts'
import type { MessageId, QueueName } from './identifier.ts'

/** Who registers by INFORM: a job manager or a scheduler. */
export type Role = 'worker' | 'scheduler'

/** A queue that a worker serves. Higher weight first. */
export interface WeightedQueue {
  /** A whole number from 0 to 2147483647; EventMQ's default is 10. */
  readonly weight: number
  readonly name: QueueName
}

/** Registers a peer; again: replaces its entry. Answered by {@link Ack}. */
export interface Inform {
  readonly type: 'INFORM'
  readonly id: MessageId
  readonly role: Role
  /** Empty: the broker's default queues. Always empty from a scheduler. */
  readonly queues: readonly WeightedQueue[]
}

/** Acknowledges one message. */
export interface Ack {
  readonly type: 'ACK'
  readonly id: MessageId
  /** The id of the acknowledged message. */
  readonly acknowledges: MessageId
}

/** Offers one slot. */
export interface Ready {
  readonly type: 'READY'
  readonly id: MessageId
}

/** A job, from client or scheduler to broker, and on from broker to worker. */
export interface Request {
  readonly type: 'REQUEST'
  /** The job's id. */
  readonly id: MessageId
  readonly queue: QueueName
  readonly headers: MessageHeaders
  /** Opaque bytes; a job's JSON by convention, see `parseJobCall`. */
  readonly payload: Uint8Array
}

/** A job's result, from worker to broker and from our broker to the client that asked. */
export interface ResultReply {
  readonly type: 'REPLY'
  readonly kind: 'result'
  readonly id: MessageId
  /** The id of the REQUEST that this answers. */
  readonly request: MessageId
  /** Opaque bytes; a result's JSON by convention, see `parseJobResult`. */
  readonly payload: Uint8Array
}

/** What a 0.3 broker tells a client: the job went to a worker. There will be no result. */
export interface DispatchedReply {
  readonly type: 'REPLY'
  readonly kind: 'dispatched'
  readonly id: MessageId
  /** The id of the REQUEST that was handed out. */
  readonly request: MessageId
}

/** A broker's answer to an administrator. The message id is the broker's own: answers are told apart by their order. */
export interface AdministrationReply {
  readonly type: 'REPLY'
  readonly kind: 'administration'
  readonly id: MessageId
  /** JSON, see `parseStatus` and its neighbours. */
  readonly payload: Uint8Array
}

/** The 2016 dialect's REPLY: a payload, and no frame that says which REQUEST it answers. */
export interface PayloadReply {
  readonly type: 'REPLY'
  readonly kind: 'payload'
  readonly id: MessageId
  readonly payload: Uint8Array
}

/** A REPLY in any of its shapes. Which one five frames mean depends on who receives them. */
export type Reply = ResultReply | DispatchedReply | AdministrationReply | PayloadReply

/** "I am here", both ways. Every command but DISCONNECT means this too. */
export interface Heartbeat {
  readonly type: 'HEARTBEAT'
  readonly id: MessageId
  /** The sender's wall clock: seconds (not milliseconds) since 1970-01-01T00:00Z with a fraction, as on the wire. */
  readonly sentAtSeconds: number
}

/** When a schedule fires. Whether a cron expression is one is for the scheduler to say. */
export type Timing =
  | { readonly kind: 'interval' /** A whole number from 1 on. */; readonly seconds: number }
  | { readonly kind: 'cron'; readonly expression: string }

/** A schedule to keep, from client to broker to scheduler. */
export interface Schedule {
  readonly type: 'SCHEDULE'
  readonly id: MessageId
  readonly queue: QueueName
  readonly headers: MessageHeaders
  readonly timing: Timing
  readonly payload: Uint8Array
}

/** A schedule to forget. The payload's identity says which; queue, headers and timing do not matter. */
export interface Unschedule {
  readonly type: 'UNSCHEDULE'
  readonly id: MessageId
  readonly queue: QueueName
  readonly headers: MessageHeaders
  readonly timing: Timing | undefined
  readonly payload: Uint8Array
}

/** A message for the subscribers of a topic. */
export interface Publish {
  readonly type: 'PUBLISH'
  readonly id: MessageId
  /** Subscriptions match its prefix; may be empty. */
  readonly topic: string
  /** Only the 2016 dialect has a frame for them, and none has a meaning on PUBLISH: the 0.3 layout leaves them out. */
  readonly headers: MessageHeaders
  readonly payload: Uint8Array
}

/** From an administrator: stop. */
export interface Disconnect {
  readonly type: 'DISCONNECT'
  readonly id: MessageId
}

/** Farewell, both ways (`KBAI` in the 2016 dialect). */
export interface Kbye {
  readonly type: 'KBYE'
  readonly id: MessageId
}

/** Ours: how far a job has come, from worker to broker to the client that asked by the header `progress`. */
export interface Progress {
  readonly type: 'PROGRESS'
  readonly id: MessageId
  /** The id of the REQUEST that is running. */
  readonly request: MessageId
  readonly payload: Uint8Array
}

/** An administrator's question, or its HELLO, which `emq-cli` sends first and nobody answers. */
export interface Administration {
  readonly type: 'STATUS' | 'ROUTER_SHOW_WORKERS' | 'ROUTER_SHOW_SCHEDULERS' | 'HELLO'
  readonly id: MessageId
}

/** Everything that peers say to each other. */
export type Command =
  | Inform
  | Ack
  | Ready
  | Request
  | Reply
  | Heartbeat
  | Schedule
  | Unschedule
  | Publish
  | Disconnect
  | Kbye
  | Progress
  | Administration

/** The layout on the wire: what EventMQ 0.3 sends, or what the eMQP document of January 2016 says. */
export type Dialect = '0.3' | '2016'
