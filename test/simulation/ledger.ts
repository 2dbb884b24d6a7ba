// What must hold, whatever happens: every step of clients and workers is written down here, and what breaks a promise is
// said at once.

import type { MessageHeaders } from '@eventmq-ts/emqp'
import type { MemoryStore } from '@eventmq-ts/store'
import type { World } from './world.ts'

interface JobEntry {
  readonly headers: MessageHeaders
  acknowledged: boolean
  /** Runs that began and have not reported their end. */
  openRuns: number
  /** How often each client asked, and was answered. */
  readonly asked: Map<string, number>
  readonly answered: Map<string, number>
  answer: string | undefined
}

/** A promise was broken. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise'
}

export class Ledger {
  readonly #world: World
  readonly #jobs = new Map<string, JobEntry>()
  runs = 0

  constructor(world: World) {
    this.#world = world
  }

  get jobs(): number {
    return this.#jobs.size
  }

  asked(client: string, job: string, headers: MessageHeaders): void {
    let entry = this.#jobs.get(job)
    if (entry === undefined) {
      entry = { headers, acknowledged: false, openRuns: 0, asked: new Map(), answered: new Map(), answer: undefined }
      this.#jobs.set(job, entry)
    }
    entry.asked.set(client, (entry.asked.get(client) ?? 0) + 1)
  }

  acknowledged(job: string): void {
    this.#entry(job).acknowledged = true
  }

  /** Each reply goes to a client that asked, once for each time it asked, and always says the same. */
  answered(client: string, job: string, answer: string): void {
    const entry = this.#entry(job)
    const count = (entry.answered.get(client) ?? 0) + 1
    entry.answered.set(client, count)
    if (!entry.headers.replyRequested) this.#broken(`${client} is answered about ${job} and did not ask`)
    if (count > (entry.asked.get(client) ?? 0)) this.#broken(`${client} is answered ${count} times about ${job}`)
    if (entry.answer !== undefined && entry.answer !== answer) {
      this.#broken(`${job} has two ends: ${entry.answer} and ${answer}`)
    }
    entry.answer = answer
  }

  /** No worker runs more than its slots; no job without guarantee starts while an earlier run's end is unknown. */
  began(worker: string, job: string, running: number, slots: number): void {
    this.runs++
    const entry = this.#entry(job)
    if (running > slots) this.#broken(`${worker} is given ${running} jobs for ${slots} slots`)
    if (!entry.headers.guarantee && entry.openRuns > 0) {
      this.#broken(
        `${job} starts again on ${worker}, without guarantee and though it is unknown how its last run ended`,
      )
    }
    entry.openRuns++
  }

  /** The worker has told how the run ended, or would have if it had been asked. */
  ended(job: string): void {
    this.#entry(job).openRuns--
  }

  /** When the world has healed and time enough has passed. */
  async settle(store: MemoryStore): Promise<void> {
    for (const [job, entry] of this.#jobs) {
      const record = await store.read(job as never)
      if (entry.acknowledged && record === undefined) this.#broken(`${job} was acknowledged and is lost`)
      if (record === undefined) continue
      if (record.state !== 'done' && record.state !== 'dead')
        this.#broken(`${job} is ${record.state} in a healed world`)
      const told = new TextDecoder().decode(record.outcome?.result)
      if (entry.answer !== undefined && record.wantsReply && entry.answer !== told) {
        this.#broken(`${job} ended with ${told}, and its client was told ${entry.answer}`)
      }
      if (entry.acknowledged && entry.headers.replyRequested && entry.answer === undefined) {
        this.#broken(`${job} has ended, and the client that asked and stayed was never told`)
      }
    }
  }

  #entry(job: string): JobEntry {
    const entry = this.#jobs.get(job)
    if (entry === undefined) return this.#broken(`nobody asked for ${job}`)
    return entry
  }

  #broken(what: string): never {
    this.#world.note(`BROKEN: ${what}`)
    throw new BrokenPromise(what)
  }
}
