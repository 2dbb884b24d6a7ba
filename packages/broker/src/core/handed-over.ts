// Jobs that a worker took and whose end nobody asked to know: not guaranteed, no reply, no retries. The broker forgets
// them in its store when they leave. The latest ones are kept here for as long as their worker stays, so that it can give
// them back when it has to go before they are finished.

import type { MessageId } from '@eventmq-ts/emqp'
import type { Job } from './job.ts'

const maxJobs = 1024
const maxBytes = 4 * 1024 * 1024

export class HandedOver {
  readonly #jobs = new Map<MessageId, Job>()
  #bytes = 0

  add(job: Job): void {
    this.#jobs.set(job.id, job)
    this.#bytes += job.record.payload.length
    for (const [id, oldest] of this.#jobs) {
      if (this.#jobs.size <= maxJobs && this.#bytes <= maxBytes) break
      this.#jobs.delete(id)
      this.#bytes -= oldest.record.payload.length
    }
  }

  /** Takes one out, if it is still here. */
  take(id: MessageId): Job | undefined {
    const job = this.#jobs.get(id)
    if (job === undefined) return undefined
    this.#jobs.delete(id)
    this.#bytes -= job.record.payload.length
    return job
  }
}
