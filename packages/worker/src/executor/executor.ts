// The executor: a REQUEST comes in, a report goes out, by five stages in a row: resolve, limit, perform, classify, report.
// Each takes what the one before made; a stage that cannot go on hands on a failure instead.

import type { Log, MessageId, Request } from '@eventmq-ts/emqp'
import type { Isolate } from '../isolate/isolate.ts'
import type { JobRegistry } from '../registry/job-registry.ts'
import { jobName } from '../registry/registered-job.ts'
import { classify, failureOf } from './classify.ts'
import { limit } from './limit.ts'
import { type Report, report } from './report.ts'
import { resolve } from './resolve.ts'

/** What an executor works with. */
export interface ExecutorParts {
  readonly registry: JobRegistry
  readonly isolate: Isolate
  readonly log: Log
  /** Passes a job's progress on to the client that asked for it. */
  readonly sendProgress: (request: MessageId, value: unknown) => void
}

/** Runs a REQUEST's job to its end, whatever that is. Never rejects. */
export async function execute(parts: ExecutorParts, request: Request, cancelled: AbortSignal): Promise<Report> {
  const { id, headers, payload } = request
  const attempt = headers.attempt ?? 1
  const resolved = resolve(payload, parts.registry)
  if (!resolved.ok) {
    const failure = failureOf(resolved.error, attempt)
    parts.log.warn(
      { job: id, queue: request.queue, code: failure.code },
      `REQUEST ${id} cannot run: ${failure.message}`,
    )
    return report({ kind: 'failed', failure }, attempt)
  }
  const { job, call } = resolved
  const name = jobName(job)
  const log = withFields(parts.log, { job: id, name, attempt })
  const performed = await parts.isolate.run({
    job,
    call,
    limits: limit(headers),
    surroundings: {
      id,
      attempt,
      headers,
      log,
      progress: (value) => {
        if (headers.progress) parts.sendProgress(id, value)
      },
    },
    cancelled,
  })
  const reported = report(classify(performed, attempt), attempt)
  if (performed.kind === 'timed-out' && performed.abandoned) {
    log.error({}, `${name} does not end although its time is over; it is abandoned and may still be running`)
  } else if (reported.outcome.kind === 'failed') {
    const { failure } = reported.outcome
    log.warn({ code: failure.code, stack: failure.stack }, `${name} failed: ${failure.name}: ${failure.message}`)
  } else log.debug({}, `${name} is done`)
  return reported
}

/** The same log, with these fields on every line. */
function withFields(log: Log, fields: Readonly<Record<string, unknown>>): Log {
  return {
    debug: (more, message) => log.debug({ ...fields, ...more }, message),
    info: (more, message) => log.info({ ...fields, ...more }, message),
    warn: (more, message) => log.warn({ ...fields, ...more }, message),
    error: (more, message) => log.error({ ...fields, ...more }, message),
  }
}
