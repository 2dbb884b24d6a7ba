// The jobs that a worker runs, and nothing else: entries come in at the start, a call's two names come in later, the
// entry or an error that names what is allowed goes out.

import { WorkerError } from '../worker-error.ts'
import { jobName, type RegisteredJob } from './registered-job.ts'

// An error's message goes over the wire and into logs: it names enough to find a typing mistake, and stays short.
const namesInMessage = 20

export class JobRegistry {
  readonly #jobs = new Map<string, Map<string, RegisteredJob>>()

  /** @throws WorkerError `WORKER_DUPLICATE_JOB` */
  constructor(jobs: readonly RegisteredJob[]) {
    for (const job of jobs) {
      const ofPath = this.#jobs.get(job.path) ?? new Map<string, RegisteredJob>()
      const other = ofPath.get(job.callable)
      if (other !== undefined) {
        const message = `${jobName(job)} stands in ${other.source} and in ${job.source}; rename one, or load one of them`
        throw new WorkerError('WORKER_DUPLICATE_JOB', message)
      }
      ofPath.set(job.callable, job)
      this.#jobs.set(job.path, ofPath)
    }
  }

  /** Every job's name, sorted. */
  get names(): readonly string[] {
    return [...this.#jobs.values()].flatMap((ofPath) => [...ofPath.values()].map(jobName)).sort()
  }

  /** The job of that path and callable, or the error that a client is told. */
  find(path: string, callable: string): RegisteredJob | WorkerError {
    const job = this.#jobs.get(path)?.get(callable)
    if (job !== undefined) return job
    const { names } = this
    const shown = names.slice(0, namesInMessage).join(', ')
    const more = names.length > namesInMessage ? ` and ${names.length - namesInMessage} more` : ''
    const asked = JSON.stringify(jobName({ path, callable }))
    return new WorkerError(
      'WORKER_UNKNOWN_JOB',
      `this worker does not run ${asked}; it runs ${shown || 'nothing'}${more}`,
    )
  }
}
