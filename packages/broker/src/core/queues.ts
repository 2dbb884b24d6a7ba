// All named queues, and every job that is in memory: waiting in the head of its queue, delayed, or active.

import type { MessageHeaders, MessageId, QueueName } from '@eventmq-ts/emqp'
import { NO_HEADERS, parseHeaders } from '@eventmq-ts/emqp'
import type { JobRecord } from '@eventmq-ts/store'
import { Delays } from './delays.ts'
import { Job } from './job.ts'
import { JobQueue } from './job-queue.ts'
import type { CoreSettings } from './settings.ts'
import type { Turn } from './turn.ts'

export class Queues {
  readonly #settings: CoreSettings
  readonly #byName = new Map<QueueName, JobQueue>()
  /** Every job in memory. */
  readonly jobs = new Map<MessageId, Job>()
  readonly delays: Delays
  /** Queues in which something has changed since they were last looked at. */
  #changed = new Set<JobQueue>()

  constructor(settings: CoreSettings) {
    this.#settings = settings
    this.delays = new Delays(settings.queueHead, (job) => job.state === 'waiting' && this.jobs.get(job.id) === job)
  }

  all(): IterableIterator<JobQueue> {
    return this.#byName.values()
  }

  find(name: QueueName): JobQueue | undefined {
    return this.#byName.get(name)
  }

  /** The queue of this name, a new one perhaps; undefined where there may be no more. */
  open(name: QueueName): JobQueue | undefined {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    if (this.#byName.size >= this.#settings.maxQueues && !this.#forgetIdle()) return undefined
    return this.#create(name)
  }

  /** Takes in a job that is stored, as waiting or delayed, and has a state that says so. */
  enter(job: Job): void {
    const queue = this.#byName.get(job.record.queue) ?? this.#create(job.record.queue)
    this.jobs.set(job.id, job)
    if (job.state === 'delayed') {
      queue.delayed++
      this.#leaveToStore(this.delays.add(job))
      return
    }
    this.delays.watchExpiry(job)
    this.#leaveToStore(queue.waiting.add(job))
    this.#changed.add(queue)
  }

  /** A page of a queue's waiting jobs. */
  loadWaiting(name: QueueName, records: readonly JobRecord[], more: boolean): void {
    const queue = this.#byName.get(name) ?? this.#create(name)
    this.#changed.add(queue)
    if (!queue.waiting.endRead()) return
    queue.ranks.continueFrom(records.map(({ rank }) => rank))
    const jobs = records.map((record) => this.load(record))
    for (const job of jobs) {
      queue.ranks.loaded(job.asker, job.rank)
      this.delays.watchExpiry(job)
    }
    queue.waiting.load(jobs, more)
  }

  loadDelayed(records: readonly JobRecord[], more: boolean): void {
    if (!this.delays.endRead()) return
    for (const { queue } of records) (this.#byName.get(queue) ?? this.#create(queue)).delayed++
    this.delays.load(
      records.map((record) => this.load(record)),
      more,
    )
  }

  /** A job read from the store, into memory. */
  load(record: JobRecord): Job {
    const job = new Job(record, storedHeaders(record))
    this.jobs.set(job.id, job)
    return job
  }

  /** At the start: what the store holds, of which nothing is here yet. */
  expect(waiting: ReadonlyMap<QueueName, number>): void {
    for (const [name, count] of waiting) {
      const queue = this.#byName.get(name) ?? this.#create(name)
      queue.waiting.expect(count)
      this.#changed.add(queue)
    }
  }

  /** Moves what is due now into its queue. */
  promoteDue(turn: Turn): void {
    const { epochMs } = turn.now
    for (let job = this.delays.takeDue(epochMs); job !== undefined; job = this.delays.takeDue(epochMs)) {
      const queue = this.#byName.get(job.record.queue) ?? this.#create(job.record.queue)
      queue.delayed--
      job.state = 'waiting'
      // A retry keeps its place; what was delayed from the start is as new as if it came now.
      if (job.failures === 0) job.rank = queue.ranks.next(job.asker)
      turn.write({ type: 'promote', id: job.id, rank: job.rank, at: epochMs })
      this.enter(job)
    }
    this.delays.readOn(turn)
  }

  /** The job has ended while it waited. Its `state` says so already. */
  discard(job: Job): void {
    this.jobs.delete(job.id)
    const queue = this.#byName.get(job.record.queue)
    if (queue === undefined) return
    queue.waiting.discard()
    // Its head may have run low by that.
    this.#changed.add(queue)
  }

  /** Something about the queue has changed: more jobs, fewer in memory, or a worker. */
  touch(queue: JobQueue): void {
    this.#changed.add(queue)
  }

  get hasChanged(): boolean {
    return this.#changed.size > 0
  }

  takeChanged(): ReadonlySet<JobQueue> {
    if (this.#changed.size === 0) return noQueues
    const changed = this.#changed
    this.#changed = new Set()
    return changed
  }

  /** Asks for the next page of a queue whose head runs low. */
  readOn(queue: JobQueue, turn: Turn): void {
    const page = queue.waiting.beginRead()
    if (page !== undefined) turn.read({ type: 'waiting', queue: queue.name, ...page })
  }

  #create(name: QueueName): JobQueue {
    const queue = new JobQueue(name, this.#settings.queueHead)
    this.#byName.set(name, queue)
    return queue
  }

  /** Queues stay listed when they are empty, as in EventMQ, until there are too many. */
  #forgetIdle(): boolean {
    for (const queue of this.#byName.values()) if (queue.isIdle) this.#byName.delete(queue.name)
    return this.#byName.size < this.#settings.maxQueues
  }

  #leaveToStore(jobs: readonly Job[]): void {
    for (const job of jobs) {
      this.jobs.delete(job.id)
      if (job.state !== 'delayed') continue
      const queue = this.#byName.get(job.record.queue)
      if (queue !== undefined) queue.delayed--
    }
  }
}

const noQueues: ReadonlySet<JobQueue> = new Set()

/** Headers were checked when the job was accepted; if another version's broker took what we do not, they mean nothing. */
function storedHeaders(record: JobRecord): MessageHeaders {
  const headers = parseHeaders(record.headers)
  return headers.ok ? headers.value : NO_HEADERS
}
