// Runs: from the moment a job is given to a worker until the run has ended, one of three ways. done: the worker said so.
// failed: the worker said so; the job runs again as often as `retry-count` allows, then it is dead. unknown: the worker
// vanished, or says nothing though the job's time is over; with `guarantee` the job runs again (but not for ever: it may
// be what kills them), without it is dead.

import {
  DEFAULT_BACKOFF,
  type EpochMs,
  type JobFailure,
  type MessageHeaders,
  type MessageId,
  type MonotonicMs,
  parseJobResult,
  RELEASED,
  withHeaders,
} from '@eventmq-ts/emqp'
import type { JobRecord, RoutingId } from '@eventmq-ts/store'
import { beginsLikeError } from './error-result.ts'
import type { Job } from './job.ts'
import { peerName } from './peer-name.ts'
import type { Queues } from './queues.ts'
import { printRefusal } from './refusal.ts'
import type { Replies } from './replies.ts'
import type { CoreSettings } from './settings.ts'
import type { Turn } from './turn.ts'
import type { Worker } from './worker.ts'

const noResult = new Uint8Array(0)

export class Runs {
  readonly #settings: CoreSettings
  readonly #queues: Queues
  readonly #replies: Replies
  /** Jobs under a lease, with the worker that holds it, if that one is registered. */
  readonly #active = new Map<Job, Worker | undefined>()
  /**
   * Leases that must be confirmed, by a REPLY or a PROGRESS, until then: those of a worker that registered anew, and those
   * that an earlier broker gave.
   */
  readonly #doubts = new Map<Job, MonotonicMs>()
  /**
   * Leases of jobs with a `timeout`, and when their worker should long have said that it is over. A job manager of 0.3
   * says nothing of a job whose process died.
   */
  readonly #overdueAt = new Map<Job, MonotonicMs>()
  /** REPLYs from a worker that did not, or no longer, hold the job. */
  lateReplies = 0
  #used = 0

  constructor(settings: CoreSettings, queues: Queues, replies: Replies) {
    this.#settings = settings
    this.#queues = queues
    this.#replies = replies
  }

  get active(): number {
    return this.#active.size
  }

  /** Gives a waiting job, taken out of its queue, to a worker with a free slot. */
  begin(job: Job, worker: Worker, turn: Turn): void {
    worker.slots--
    worker.used = ++this.#used
    const guard = job.needsOutcome ? this.#lease(job, worker, turn) : this.#handOver(job, worker, turn)
    const { id, addressedTo: queue, payload } = job.record
    turn.send('backend', worker.id, { type: 'REQUEST', id, queue, headers: forwardedHeaders(job), payload }, guard)
  }

  /** A worker's REPLY. Gives false where it does not hold such a job. */
  reply(worker: Worker, request: MessageId, payload: Uint8Array, turn: Turn): boolean {
    const failure = failureOf(payload)
    const job = worker.jobs.get(request)
    if (job === undefined) {
      if (failure?.code === RELEASED && this.#takeBack(worker, request, turn)) return true
      this.lateReplies++
      return false
    }
    if (failure === undefined) this.#complete(job, payload, turn)
    else if (failure.code === RELEASED) this.#requeue(job, turn, { state: 'waiting', dueAt: turn.now.epochMs })
    else this.#fail(job, payload, turn)
    return true
  }

  /** A worker's PROGRESS: it runs the job still. */
  progress(worker: Worker, request: MessageId, payload: Uint8Array, turn: Turn): boolean {
    const job = worker.jobs.get(request)
    if (job === undefined) return false
    this.#doubts.delete(job)
    if (job.headers.progress) {
      turn.send('frontend', job.asker, { type: 'PROGRESS', id: turn.nextId(), request, payload })
    }
    return true
  }

  /** The worker is gone: how its runs end will never be known. */
  vanished(worker: Worker, turn: Turn): void {
    for (const job of [...worker.jobs.values()]) this.#endUnknown(job, 'vanished while it ran the job', turn)
  }

  /** The worker registered anew under the same routing id. Whatever it ran is in doubt until it speaks of it. */
  registeredAnew(before: Worker | undefined, worker: Worker, turn: Turn): void {
    const confirmBy = (turn.now.monotonicMs + this.#settings.peerTimeoutMs) as MonotonicMs
    for (const job of before?.jobs.values() ?? this.#orphansOf(worker.id)) {
      this.#active.set(job, worker)
      worker.jobs.set(job.id, job)
      this.#doubts.set(job, confirmBy)
    }
  }

  /** Active jobs read from the store at the start: an earlier broker gave them out. */
  load(records: readonly JobRecord[], turn: Turn): void {
    const confirmBy = (turn.now.monotonicMs + this.#settings.peerTimeoutMs) as MonotonicMs
    for (const record of records) {
      const job = this.#queues.load(record)
      this.#active.set(job, undefined)
      this.#doubts.set(job, confirmBy)
    }
  }

  /** A REQUEST did not reach its worker: so the job has not started, whoever promised what. */
  undelivered(worker: Worker, id: MessageId, turn: Turn): void {
    const job = worker.jobs.get(id)
    if (job === undefined) this.#takeBack(worker, id, turn)
    else this.#requeue(job, turn, { state: 'waiting', dueAt: turn.now.epochMs })
  }

  /** Another broker was faster: the job is none of ours. Gives the worker whose slot is free again. */
  claimRefused(id: MessageId, fence: number): Worker | undefined {
    const job = this.#queues.jobs.get(id)
    if (job?.state !== 'active' || job.fence !== fence) return undefined
    const worker = this.#active.get(job)
    this.#release(job)
    this.#queues.jobs.delete(id)
    return worker
  }

  /** The broker itself was not there for so long: what workers said meanwhile is still to be read. */
  forgive(gapMs: number): void {
    for (const deadlines of [this.#doubts, this.#overdueAt]) {
      for (const [job, at] of deadlines) deadlines.set(job, (at + gapMs) as MonotonicMs)
    }
  }

  /** Ends what nobody confirmed and what is overdue, and dates leases anew. */
  sweep(turn: Turn): void {
    const now = turn.now.monotonicMs
    for (const [job, confirmBy] of [...this.#doubts]) {
      if (confirmBy <= now) this.#endUnknown(job, 'does not say that it still runs the job', turn)
    }
    for (const [job, overdueAt] of [...this.#overdueAt]) {
      if (overdueAt <= now) this.#endUnknown(job, 'says nothing of the job long after its timeout', turn)
    }
    const renewBefore = turn.now.epochMs + this.#settings.storeLeaseMs / 2
    for (const [job, worker] of this.#active) {
      if (worker === undefined || (job.leaseUntil ?? 0) > renewBefore) continue
      job.leaseUntil = this.#leaseEnd(turn)
      turn.write({ type: 'renew', id: job.id, fence: job.fence, until: job.leaseUntil })
    }
  }

  /** A waiting or delayed job that may have outlived its patience. Gives whether it has. */
  expire(job: Job, turn: Turn): boolean {
    const { expiresAt } = job.record
    // One that has run, and waits to run again, did start in time.
    const waits = job.state === 'waiting' && job.failures + job.losses === 0 && this.#queues.jobs.get(job.id) === job
    if (!waits || expiresAt === undefined || expiresAt > turn.now.epochMs) return false
    job.state = 'dead'
    this.#queues.discard(job)
    const message = `the job did not start within the ${(expiresAt - job.record.acceptedAt) / 1000} s that its header expires gave it`
    this.#finish(job, turn, 'expired', printRefusal('expired', message))
    return true
  }

  #lease(job: Job, worker: Worker, turn: Turn): number {
    job.state = 'active'
    job.fence++
    job.leasedTo = worker.id
    job.leaseUntil = this.#leaseEnd(turn)
    worker.jobs.set(job.id, job)
    this.#active.set(job, worker)
    const { timeoutSeconds = 0 } = job.headers
    if (timeoutSeconds > 0) {
      const overdueMs = timeoutSeconds * 1000 + this.#settings.peerTimeoutMs
      this.#overdueAt.set(job, (turn.now.monotonicMs + overdueMs) as MonotonicMs)
    }
    const lease = { worker: worker.id, until: job.leaseUntil }
    return turn.write({ type: 'claim', id: job.id, fence: job.fence, lease, at: turn.now.epochMs })
  }

  #handOver(job: Job, worker: Worker, turn: Turn): number {
    job.state = 'done'
    this.#queues.jobs.delete(job.id)
    worker.handedOver.add(job)
    return this.#write(job, turn, 'handed-over', noResult, turn.now.epochMs)
  }

  /** A job whose end nobody had asked to know comes back: its worker leaves, or never got it. */
  #takeBack(worker: Worker, id: MessageId, turn: Turn): boolean {
    const job = worker.handedOver.take(id)
    if (job === undefined || this.#queues.jobs.has(id)) return false
    job.state = 'waiting'
    job.fence = 0
    const { failures, losses, rank, dueAt } = job
    turn.write({ type: 'add', job: { ...job.record, state: 'waiting', fence: 0, failures, losses, rank, dueAt } })
    this.#queues.enter(job)
    return true
  }

  #complete(job: Job, payload: Uint8Array, turn: Turn): void {
    this.#release(job)
    job.state = 'done'
    this.#finish(job, turn, 'completed', payload)
  }

  #fail(job: Job, payload: Uint8Array, turn: Turn): void {
    job.failures++
    if (job.failures <= (job.headers.retryCount ?? 0)) {
      const pauseMs = backoffMs(job.headers, job.failures)
      const dueAt = (turn.now.epochMs + pauseMs) as EpochMs
      this.#requeue(job, turn, { state: pauseMs > 0 ? 'delayed' : 'waiting', dueAt })
      return
    }
    this.#release(job)
    job.state = 'dead'
    this.#finish(job, turn, 'failed', payload)
  }

  /** `what`: what its worker did. */
  #endUnknown(job: Job, what: string, turn: Turn): void {
    const worker = peerName(job.leasedTo ?? ('' as RoutingId))
    const { id, guarantee } = job.record
    if (guarantee) {
      job.losses++
      if (job.losses < this.#settings.maxLosses) {
        turn.log('info', { job: id, worker, losses: job.losses }, `job ${id} runs again: its worker ${worker} ${what}`)
        this.#requeue(job, turn, { state: 'waiting', dueAt: turn.now.epochMs })
        return
      }
    }
    this.#release(job)
    job.state = 'dead'
    const reason = guarantee ? 'poison' : 'lost'
    const message = guarantee
      ? `how its ${job.losses} runs ended is not known, of the last because the worker ${worker} ${what}; it is not run again`
      : `the worker ${worker} ${what}; without the header guarantee it is not run again`
    turn.log('warn', { job: id, worker, queue: job.record.queue, reason }, `job ${id} is dead: ${message}`)
    this.#finish(job, turn, reason, printRefusal(reason, message, job.fence))
  }

  #requeue(job: Job, turn: Turn, to: { readonly state: 'waiting' | 'delayed'; readonly dueAt: EpochMs }): void {
    this.#release(job)
    job.state = to.state
    job.dueAt = to.dueAt
    const { id, fence, failures, losses } = job
    turn.write({ type: 'requeue', id, fence, ...to, failures, losses, at: turn.now.epochMs })
    this.#queues.enter(job)
  }

  /** Its lease is over. */
  #release(job: Job): void {
    this.#active.get(job)?.jobs.delete(job.id)
    job.leasedTo = undefined
    this.#active.delete(job)
    this.#doubts.delete(job)
    this.#overdueAt.delete(job)
  }

  #finish(job: Job, turn: Turn, reason: Exclude<JobEnd, 'handed-over'>, result: Uint8Array): void {
    this.#queues.jobs.delete(job.id)
    const { keepSeconds } = job.headers
    const usualMs = job.state === 'dead' ? this.#settings.deadKeepMs : this.#settings.doneKeepMs
    const askedMs = keepSeconds === undefined ? usualMs : keepSeconds * 1000
    // A client may send a guaranteed REQUEST again until it has the ACK: its id must not be forgotten too soon.
    const keepMs = job.record.guarantee ? Math.max(usualMs, askedMs) : askedMs
    const kept = job.wantsReply || job.state === 'dead' || keepSeconds !== undefined ? result : noResult
    const guard = this.#write(job, turn, reason, kept, (turn.now.epochMs + keepMs) as EpochMs)
    if (job.wantsReply) this.#replies.tell(turn, job.asker, job.id, result, guard)
  }

  #write(job: Job, turn: Turn, reason: JobEnd, result: Uint8Array, forgetAt: EpochMs): number {
    const { id, fence } = job
    const state = job.state === 'dead' ? 'dead' : 'done'
    return turn.write({ type: 'finish', id, fence, state, reason, result, at: turn.now.epochMs, forgetAt })
  }

  *#orphansOf(worker: RoutingId): Iterable<Job> {
    for (const job of this.#doubts.keys()) {
      if (this.#active.get(job) === undefined && job.leasedTo === worker) yield job
    }
  }

  #leaseEnd(turn: Turn): EpochMs {
    return (turn.now.epochMs + this.#settings.storeLeaseMs) as EpochMs
  }
}

type JobEnd = 'completed' | 'handed-over' | 'failed' | 'lost' | 'poison' | 'expired'

/** The pause before retry n: min(MAX, BASE * 2^(n-1)), whatever n. */
export function backoffMs(headers: MessageHeaders, n: number): number {
  const { baseSeconds, maxSeconds } = headers.backoff ?? DEFAULT_BACKOFF
  return Math.min(maxSeconds, baseSeconds * 2 ** Math.min(n - 1, 64)) * 1000
}

// Few different header texts are on the way at a time, and adding to one costs more than all the rest of a hand-out.
const askingHeaders = new WeakMap<MessageHeaders, MessageHeaders>()

/** What the worker gets: the client's headers, a request for the outcome if the broker needs it, and which run it is. */
function forwardedHeaders(job: Job): MessageHeaders {
  const { headers } = job
  const attempt = job.failures + job.losses + 1
  const ask = job.needsOutcome && !headers.replyRequested
  if (attempt > 1) return withHeaders(headers, { attempt, ...(ask ? { replyRequested: true } : {}) })
  if (!ask) return headers
  let asking = askingHeaders.get(headers)
  if (asking === undefined) {
    asking = withHeaders(headers, { replyRequested: true })
    askingHeaders.set(headers, asking)
  }
  return asking
}

function failureOf(payload: Uint8Array): JobFailure | undefined {
  if (!beginsLikeError(payload)) return undefined
  const result = parseJobResult(payload)
  return result.kind === 'error' ? result.error : undefined
}
