// The store that forgets when its process ends. For development, for tests, and for those who want a broker as EventMQ's
// own was; it is the model that the other implementations are measured against.

import type { EpochMs, MessageId, QueueName } from '@eventmq-ts/emqp'
import {
  compareDuePositions,
  compareQueuePositions,
  type DuePosition,
  type JobRecord,
  type JobState,
  type JobSummary,
  type QueuePosition,
  TRANSITIONS,
} from './job-record.ts'
import { type JobStore, PAGE_LIMIT, type Page, type StoreOverview } from './job-store.ts'
import type { ScheduleRecord } from './schedule-record.ts'
import { SortedList } from './sorted-list.ts'
import { StoreError } from './store-error.ts'
import type { CommitResult, StoreWrite } from './store-write.ts'

export class MemoryStore implements JobStore {
  readonly #jobs = new Map<MessageId, JobRecord>()
  readonly #waiting = new Map<QueueName, SortedList<QueuePosition & { readonly id?: MessageId }>>()
  readonly #delayed = new SortedList<DuePosition & { readonly id?: MessageId }>(compareDuePositions)
  readonly #active = new Set<MessageId>()
  readonly #finished = new SortedList<{ readonly forgetAt: EpochMs; readonly seq: number; readonly id: MessageId }>(
    (a, b) => a.forgetAt - b.forgetAt || a.seq - b.seq,
  )
  readonly #schedules = new Map<string, ScheduleRecord>()
  readonly #counts: Record<JobState, number> = { waiting: 0, delayed: 0, active: 0, done: 0, dead: 0 }
  #nextSeq = 1
  #phase: 'new' | 'open' | 'closed' = 'new'

  async open(): Promise<StoreOverview> {
    if (this.#phase === 'open') throw new StoreError('STORE_OPTION', 'the store is open already; open it once')
    // Closed and opened again it has what it had: within one process, that is what a restart of a broker looks like.
    this.#phase = 'open'
    const waiting = new Map<QueueName, number>()
    for (const [queue, list] of this.#waiting) if (list.length > 0) waiting.set(queue, list.length)
    return { nextSeq: this.#nextSeq, waiting, jobs: { ...this.#counts }, schedules: this.#schedules.size }
  }

  async commit(batch: readonly StoreWrite[]): Promise<CommitResult> {
    this.#checkOpen()
    const refused: number[] = []
    for (let i = 0; i < batch.length; i++) {
      if (!this.#apply(batch[i] as StoreWrite)) refused.push(i)
    }
    return { refused }
  }

  async lookup(ids: readonly MessageId[]): Promise<ReadonlyMap<MessageId, JobSummary>> {
    this.#checkOpen()
    const known = new Map<MessageId, JobSummary>()
    for (const id of ids) {
      const job = this.#jobs.get(id)
      if (job !== undefined) known.set(id, job)
    }
    return known
  }

  async read(id: MessageId): Promise<JobRecord | undefined> {
    this.#checkOpen()
    return this.#jobs.get(id)
  }

  async waiting(query: {
    readonly queue: QueueName
    readonly after?: QueuePosition | undefined
    readonly limit: number
  }): Promise<Page<JobRecord>> {
    this.#checkRead(query.limit)
    const list = this.#waiting.get(query.queue)
    return this.#page(list === undefined ? [] : list.after(query.after), query.limit)
  }

  async delayed(query: { readonly after?: DuePosition | undefined; readonly limit: number }): Promise<Page<JobRecord>> {
    this.#checkRead(query.limit)
    return this.#page(this.#delayed.after(query.after), query.limit)
  }

  async active(query: { readonly after?: MessageId | undefined; readonly limit: number }): Promise<Page<JobRecord>> {
    this.#checkRead(query.limit)
    // A page that starts after a job which is no longer active must still start after its place: hence sorted ids.
    const ids = [...this.#active].sort().filter((id) => query.after === undefined || id > query.after)
    return this.#page(
      ids.map((id) => ({ id })),
      query.limit,
    )
  }

  async schedules(query: {
    readonly after?: number | undefined
    readonly limit: number
  }): Promise<Page<ScheduleRecord>> {
    this.#checkRead(query.limit)
    const after = query.after ?? Number.NEGATIVE_INFINITY
    const found = [...this.#schedules.values()].filter(({ seq }) => seq > after).sort((a, b) => a.seq - b.seq)
    return { items: found.slice(0, query.limit), more: found.length > query.limit }
  }

  async forget(now: EpochMs, limit: number): Promise<number> {
    this.#checkOpen()
    const due: { readonly forgetAt: EpochMs; readonly seq: number; readonly id: MessageId }[] = []
    for (const entry of this.#finished.after(undefined)) {
      if (entry.forgetAt > now || due.length >= limit) break
      due.push(entry)
    }
    for (const entry of due) {
      this.#finished.remove(entry)
      const job = this.#jobs.get(entry.id)
      if (job !== undefined) this.#drop(job)
    }
    return due.length
  }

  async close(): Promise<void> {
    this.#phase = 'closed'
  }

  #checkOpen(): void {
    if (this.#phase !== 'open') throw new StoreError('STORE_CLOSED', `the store is ${this.#phase}; call open() first`)
  }

  #checkRead(limit: number): void {
    this.#checkOpen()
    if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_LIMIT) {
      throw new StoreError('STORE_OPTION', `limit is ${limit}; expected a whole number from 1 to ${PAGE_LIMIT}`)
    }
  }

  #page(entries: Iterable<{ readonly id?: MessageId }>, limit: number): Page<JobRecord> {
    const items: JobRecord[] = []
    for (const { id } of entries) {
      const job = id === undefined ? undefined : this.#jobs.get(id)
      if (job === undefined) continue
      if (items.length === limit) return { items, more: true }
      items.push(job)
    }
    return { items, more: false }
  }

  #apply(write: StoreWrite): boolean {
    switch (write.type) {
      case 'add':
        return this.#add(write.job)
      case 'ask': {
        const job = this.#jobs.get(write.id)
        if (job === undefined) return false
        this.#jobs.set(job.id, { ...job, asker: write.asker, wantsReply: write.wantsReply })
        return true
      }
      case 'put-schedule':
        this.#schedules.set(write.schedule.identity, write.schedule)
        this.#nextSeq = Math.max(this.#nextSeq, write.schedule.seq + 1)
        return true
      case 'remove-schedule':
        if (this.#schedules.get(write.identity)?.id !== write.id) return false
        return this.#schedules.delete(write.identity)
      default: {
        const job = this.#jobs.get(write.id)
        const from: readonly JobState[] = TRANSITIONS[write.type].from
        if (job === undefined || !from.includes(job.state)) return false
        return this.#transition(job, write)
      }
    }
  }

  #add(job: JobRecord): boolean {
    if (this.#jobs.has(job.id) || (job.state !== 'waiting' && job.state !== 'delayed')) return false
    this.#nextSeq = Math.max(this.#nextSeq, job.seq + 1)
    this.#enter(job)
    return true
  }

  #transition(job: JobRecord, write: Extract<StoreWrite, { readonly type: keyof typeof TRANSITIONS }>): boolean {
    switch (write.type) {
      case 'promote':
        this.#move(job, { ...job, state: 'waiting', rank: write.rank })
        return true
      case 'claim':
        if (write.fence !== job.fence + 1) return false
        this.#move(job, { ...job, state: 'active', fence: write.fence, lease: write.lease })
        return true
      case 'renew':
        if (write.fence !== job.fence || job.lease === undefined) return false
        this.#move(job, { ...job, lease: { ...job.lease, until: write.until } })
        return true
      case 'requeue': {
        if (write.fence !== job.fence) return false
        const { state, dueAt, failures, losses } = write
        this.#move(job, { ...job, state, dueAt, failures, losses, lease: undefined })
        return true
      }
      case 'finish': {
        if (write.fence !== job.fence) return false
        const { state, at, reason, result, forgetAt } = write
        if (forgetAt <= at) {
          this.#leave(job)
          this.#drop(job)
          return true
        }
        const payload = state === 'done' ? noBytes : job.payload
        this.#move(job, { ...job, payload, state, lease: undefined, outcome: { at, reason, result, forgetAt } })
        return true
      }
    }
  }

  #move(before: JobRecord, after: JobRecord): void {
    this.#leave(before)
    this.#enter(after)
  }

  /** Into the map and the index of its state. */
  #enter(job: JobRecord): void {
    this.#jobs.set(job.id, job)
    this.#counts[job.state]++
    switch (job.state) {
      case 'waiting': {
        let list = this.#waiting.get(job.queue)
        if (list === undefined) {
          list = new SortedList(compareQueuePositions)
          this.#waiting.set(job.queue, list)
        }
        list.insert({ priority: job.priority, rank: job.rank, seq: job.seq, id: job.id })
        break
      }
      case 'delayed':
        this.#delayed.insert({ dueAt: job.dueAt, seq: job.seq, id: job.id })
        break
      case 'active':
        this.#active.add(job.id)
        break
      case 'done':
      case 'dead':
        if (job.outcome !== undefined)
          this.#finished.insert({ forgetAt: job.outcome.forgetAt, seq: job.seq, id: job.id })
    }
  }

  /** Out of the index of its state; it stays in the map. */
  #leave(job: JobRecord): void {
    this.#counts[job.state]--
    switch (job.state) {
      case 'waiting': {
        const list = this.#waiting.get(job.queue)
        list?.remove(job)
        if (list?.length === 0) this.#waiting.delete(job.queue)
        break
      }
      case 'delayed':
        this.#delayed.remove(job)
        break
      case 'active':
        this.#active.delete(job.id)
        break
      case 'done':
      case 'dead':
        break
    }
  }

  #drop(job: JobRecord): void {
    if (job.outcome !== undefined) this.#counts[job.state]--
    this.#jobs.delete(job.id)
  }
}

const noBytes = new Uint8Array(0)
