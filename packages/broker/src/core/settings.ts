// What an operator decides about a broker and its core must know. The shell reads it from outside and checks it; in here
// it is trusted.

import type { WeightedQueue } from '@eventmq-ts/emqp'

/** In which order a free slot looks at its worker's queues. */
export type QueueOrder =
  /** The highest weight that has a job; equal weights take turns. */
  | 'strict'
  /** In proportion to the weights, so that a low queue need not starve. */
  | 'weighted'

export interface CoreSettings {
  /** Between two HEARTBEATs to every registered peer. */
  readonly heartbeatIntervalMs: number
  /** A peer silent for longer is gone, and what it ran ended unknown. */
  readonly peerTimeoutMs: number
  /** A peer that said KBYE need not send HEARTBEATs; it is gone once silent for this long, or when it closes. */
  readonly farewellTimeoutMs: number
  /** After DISCONNECT: how long running jobs may take to finish. */
  readonly drainTimeoutMs: number
  /** How long a scheduler may take for its first ACK of an order; after that it is taken for one that never sends any. */
  readonly scheduleAckTimeoutMs: number
  /** How far ahead leases in the store are dated. They are renewed at half time. */
  readonly storeLeaseMs: number
  /** How long a finished job's id and result are kept, unless the header `keep` says otherwise. */
  readonly doneKeepMs: number
  /** How long a dead job is kept. */
  readonly deadKeepMs: number
  /** How often a guaranteed job may lose its worker before it counts as poison. */
  readonly maxLosses: number
  readonly queueOrder: QueueOrder
  /** `keep`: a queue that nobody serves keeps its jobs. `default`: they wait in the first default queue, as in EventMQ. */
  readonly unknownQueue: 'keep' | 'default'
  /** The queues of a worker that names none. */
  readonly defaultQueues: readonly WeightedQueue[]
  /** Jobs of a queue held in memory; the rest stays in the store until its turn comes. */
  readonly queueHead: number
  /** Waiting jobs a queue, and schedule orders that wait for a scheduler; what comes beyond is refused. */
  readonly maxQueueDepth: number
  /** Queues that have jobs or workers. */
  readonly maxQueues: number
  /** Registered workers and schedulers. */
  readonly maxPeers: number
  /** Free slots of one worker. */
  readonly maxSlots: number
  /** Bytes of a payload. */
  readonly maxPayloadBytes: number
  /** Where peers connect; told to a peer that knocks at the wrong door. */
  readonly addresses: Readonly<Record<Endpoint, string>>
}

/** The broker's three doors: clients and schedulers, workers, administrators. */
export type Endpoint = 'frontend' | 'backend' | 'administration'
