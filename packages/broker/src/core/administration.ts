// What administrators ask: EventMQ's three views with EventMQ's keys, and further keys of ours.

import { printAdministrationReply, type ShowSchedulers, type ShowWorkers, type Status } from '@eventmq-ts/emqp'
import type { Phase } from './drain.ts'
import type { BrokerParts } from './parts.ts'
import { peerName } from './peer-name.ts'
import type { Turn } from './turn.ts'

/** What a broker counts; also for a program that embeds it. */
export interface BrokerStats {
  readonly phase: Phase
  readonly workers: number
  readonly schedulers: number
  readonly queues: number
  readonly waiting: number
  readonly delayed: number
  readonly active: number
  /** Schedule orders that have not reached a scheduler, or that none has acknowledged. */
  readonly scheduleOrders: number
  /** Replies whose client is not there. */
  readonly repliesOwed: number
  /** REPLYs that came too late, or for a job that there is not. */
  readonly lateReplies: number
  /** What peers did wrong, by kind. */
  readonly offences: Readonly<Record<string, number>>
}

/** One pass over the queues. */
export function readStats(parts: BrokerParts): BrokerStats {
  let queues = 0
  let waiting = 0
  for (const queue of parts.queues.all()) {
    queues++
    waiting += queue.waiting.length
  }
  return {
    phase: parts.drain.phase,
    workers: parts.roster.workers.size,
    schedulers: parts.roster.schedulers.size,
    queues,
    waiting,
    delayed: parts.queues.delays.length,
    active: parts.runs.active,
    scheduleOrders: parts.orders.pending,
    repliesOwed: parts.replies.owed,
    lateReplies: parts.runs.lateReplies,
    offences: Object.fromEntries(parts.offences.counts),
  }
}

/**
 * STATUS. As in EventMQ, a job counts as in flight from its acceptance until it has ended, and a latency is the age of
 * those in flight (of those in memory, where a queue is longer than its head).
 */
export function showStatus(parts: BrokerParts, turn: Turn): Uint8Array {
  const ages = new Map<string, { count: number; sumMs: number; maxMs: number; active: number }>()
  for (const job of parts.queues.jobs.values()) {
    if (job.state === 'delayed') continue
    const ageMs = Math.max(0, turn.now.epochMs - job.record.acceptedAt)
    const { queue } = job.record
    const age = ages.get(queue) ?? { count: 0, sumMs: 0, maxMs: 0, active: 0 }
    age.count++
    age.sumMs += ageMs
    age.maxMs = Math.max(age.maxMs, ageMs)
    if (job.state === 'active') age.active++
    ages.set(queue, age)
  }
  const status = emptyStatus()
  for (const queue of parts.queues.all()) {
    const age = ages.get(queue.name)
    const waiting = queue.waiting.length
    if (waiting > 0) status.waiting_messages_by_queue[queue.name] = waiting
    if (queue.processed > 0) status.processed_messages_by_queue[queue.name] = queue.processed
    if (waiting > 0 || age !== undefined) status.inflight_messages_by_queue[queue.name] = waiting + (age?.active ?? 0)
    if (age === undefined) continue
    status.latency_messages_by_queue[queue.name] = Math.round(age.sumMs / age.count)
    status.max_latency_messages_by_queue[queue.name] = Math.round(age.maxMs)
  }
  for (const worker of parts.roster.workers.values()) {
    if (worker.processed > 0) status.processed_messages_by_worker[peerName(worker.id)] = worker.processed
  }
  return printAdministrationReply({ ...status, broker: readStats(parts) } satisfies Status)
}

/** ROUTER_SHOW_WORKERS. A worker that said farewell is not shown; a queue without workers is. */
export function showWorkers({ roster, queues }: BrokerParts): Uint8Array {
  const view: ShowWorkers = { connected_workers: nameless(), connected_queues: nameless() }
  for (const queue of queues.all()) if (queue.known) view.connected_queues[queue.name] = []
  for (const worker of roster.workers.values()) {
    if (worker.leaving) continue
    const name = peerName(worker.id)
    view.connected_workers[name] = {
      queues: worker.queues.map((queue) => [queue.weight, queue.name]),
      hb: worker.lastSeen / 1000,
      available_slots: worker.slots,
      running_jobs: worker.jobs.size,
    }
    for (const queue of worker.queues) view.connected_queues[queue.name]?.push([queue.weight, name])
  }
  for (const workers of Object.values(view.connected_queues)) workers.sort(([a], [b]) => b - a)
  return printAdministrationReply(view)
}

/** ROUTER_SHOW_SCHEDULERS. */
export function showSchedulers({ roster }: BrokerParts): Uint8Array {
  const view: ShowSchedulers = { connected_schedulers: nameless() }
  for (const scheduler of roster.schedulers.values()) {
    if (scheduler.leaving) continue
    view.connected_schedulers[peerName(scheduler.id)] = { hb: scheduler.lastSeen / 1000, schedules: scheduler.load }
  }
  return printAdministrationReply(view)
}

function emptyStatus() {
  return {
    inflight_messages_by_queue: nameless<number>(),
    latency_messages_by_queue: nameless<number>(),
    max_latency_messages_by_queue: nameless<number>(),
    waiting_messages_by_queue: nameless<number>(),
    processed_messages_by_queue: nameless<number>(),
    processed_messages_by_worker: nameless<number>(),
  }
}

/** A record whose keys come from outside: it has no prototype, so that a queue may be called `__proto__`. */
function nameless<T>(): Record<string, T> {
  return Object.create(null)
}
