// A job record for tests, with what matters to the test changed.

import type { EpochMs, MessageId, QueueName } from '@eventmq-ts/emqp'
import type { JobRecord, RoutingId } from '@eventmq-ts/store'

/** Wall-clock instants for tests. */
export const at = (ms: number): EpochMs => ms as EpochMs

/** A waiting job of client `c1` in queue `default`; `seq` decides its place among others. */
export function sampleJob(id: string, seq: number, changes: Partial<JobRecord> = {}): JobRecord {
  return {
    id: id as MessageId,
    queue: 'default' as QueueName,
    addressedTo: 'default' as QueueName,
    headers: 'guarantee',
    payload: new Uint8Array([1, 2, 3]),
    asker: 'c1' as RoutingId,
    wantsReply: false,
    guarantee: true,
    priority: 0,
    rank: seq,
    seq,
    acceptedAt: at(1000),
    dueAt: at(1000),
    expiresAt: undefined,
    state: 'waiting',
    fence: 0,
    failures: 0,
    losses: 0,
    lease: undefined,
    outcome: undefined,
    ...changes,
  }
}
