// A client's REQUEST: refused with a reason, known already, or accepted into its queue.

import { type EpochMs, LIMITS, type MessageHeaders, type QueueName, type Request } from '@eventmq-ts/emqp'
import type { JobSummary, RoutingId } from '@eventmq-ts/store'
import { Job } from './job.ts'
import type { JobQueue } from './job-queue.ts'
import type { Offences } from './offences.ts'
import type { Queues } from './queues.ts'
import { printRefusal, type RefusalCode } from './refusal.ts'
import type { Replies } from './replies.ts'
import type { CoreSettings } from './settings.ts'
import type { Turn } from './turn.ts'

export class Acceptance {
  readonly #settings: CoreSettings
  readonly #queues: Queues
  readonly #replies: Replies
  readonly #offences: Offences

  constructor(settings: CoreSettings, queues: Queues, replies: Replies, offences: Offences) {
    this.#settings = settings
    this.#queues = queues
    this.#replies = replies
    this.#offences = offences
  }

  /** `known`: what the store has under this id. `seq`: the number of this acceptance. */
  request(request: Request, asker: RoutingId, known: JobSummary | undefined, seq: number, turn: Turn): void {
    const inMemory = this.#queues.jobs.get(request.id)
    if (inMemory !== undefined || known !== undefined) {
      this.#again(request, asker, inMemory, turn)
      return
    }
    const { headers, payload } = request
    for (const [name, value] of [
      ['unique', headers.unique],
      ['debounce', headers.debounceSeconds],
    ] as const) {
      if (value === undefined) continue
      this.#refuse(request, asker, 'unsupported', `this broker does not do the header ${name} yet; leave it out`, turn)
      return
    }
    if (!hasRoomForOurs(headers)) {
      const message = `its headers leave no room for the broker's own; at most ${LIMITS.headers - ourHeaders} headers and ${LIMITS.headersBytes - ourHeadersBytes} bytes are taken`
      this.#refuse(request, asker, 'bad-request', message, turn)
      return
    }
    if (payload.length > this.#settings.maxPayloadBytes) {
      const message = `the payload has ${payload.length} bytes; at most ${this.#settings.maxPayloadBytes} (maxPayloadBytes) are taken`
      this.#refuse(request, asker, 'too-large', message, turn)
      return
    }
    const queue = this.#queueFor(request.queue)
    if (queue === undefined) {
      const message = `there are ${this.#settings.maxQueues} queues already (maxQueues); "${request.queue}" is not one of them`
      this.#refuse(request, asker, 'too-many-queues', message, turn)
      return
    }
    if (queue.waiting.length + queue.delayed >= this.#settings.maxQueueDepth) {
      const message = `queue "${queue.name}" holds ${this.#settings.maxQueueDepth} jobs (maxQueueDepth); send again later`
      this.#refuse(request, asker, 'queue-full', message, turn)
      return
    }
    this.#accept(request, asker, queue, seq, turn)
  }

  refuseDraining(request: Request, asker: RoutingId, turn: Turn): void {
    this.#refuse(request, asker, 'draining', 'the broker is about to stop and takes no more jobs', turn)
  }

  #accept(request: Request, asker: RoutingId, queue: JobQueue, seq: number, turn: Turn): void {
    const { id, headers, payload } = request
    const now = turn.now.epochMs
    const delayMs = (headers.delaySeconds ?? 0) * 1000
    const expiresMs = headers.expiresSeconds === undefined ? undefined : headers.expiresSeconds * 1000
    const job = new Job(
      {
        id,
        queue: queue.name,
        addressedTo: request.queue,
        headers: headers.text,
        payload,
        asker,
        wantsReply: headers.replyRequested,
        guarantee: headers.guarantee,
        priority: headers.priority ?? 0,
        // A delayed job gets its rank when it is due.
        rank: delayMs > 0 ? 0 : queue.ranks.next(asker),
        seq,
        acceptedAt: now,
        dueAt: (now + delayMs) as EpochMs,
        expiresAt: expiresMs === undefined ? undefined : ((now + expiresMs) as EpochMs),
        state: delayMs > 0 ? 'delayed' : 'waiting',
        fence: 0,
        failures: 0,
        losses: 0,
        lease: undefined,
        outcome: undefined,
      },
      headers,
    )
    const guard = turn.write({ type: 'add', job: job.record })
    if (headers.guarantee) turn.ack('frontend', asker, id, guard)
    this.#queues.enter(job)
  }

  /** A client may send a REQUEST until it is acknowledged, under a new routing id too: the latest one is answered. */
  #again(request: Request, asker: RoutingId, job: Job | undefined, turn: Turn): void {
    const { id, headers } = request
    if (headers.guarantee) turn.ack('frontend', asker, id)
    if (!headers.replyRequested) return
    if (job === undefined || job.asker !== asker || !job.wantsReply) {
      turn.write({ type: 'ask', id, asker, wantsReply: true })
      if (job !== undefined) {
        job.asker = asker
        job.wantsReply = true
      }
    }
    // Not in memory: it has ended, or its turn is far off. The store knows, and nothing is told of one without outcome.
    if (job === undefined) turn.read({ type: 'result', id, to: asker })
  }

  #queueFor(name: QueueName): JobQueue | undefined {
    const [fallback] = this.#settings.defaultQueues
    if (this.#settings.unknownQueue === 'default' && fallback !== undefined && !this.#queues.find(name)?.known) {
      return this.#queues.open(fallback.name)
    }
    return this.#queues.open(name)
  }

  #refuse(request: Request, asker: RoutingId, code: RefusalCode, message: string, turn: Turn): void {
    const { id, headers } = request
    this.#offences.record(turn, {
      endpoint: 'frontend',
      from: asker,
      kind: `refused-${code}`,
      what: `REQUEST ${id} is refused: ${message}`,
      fields: { job: id },
    })
    if (headers.guarantee || headers.replyRequested) this.#replies.tell(turn, asker, id, printRefusal(code, message))
  }
}

// What a worker may get beside the client's headers: reply-requested and attempt, with its digits and the commas.
const ourHeaders = 2
const ourHeadersBytes = 64

function hasRoomForOurs({ text }: MessageHeaders): boolean {
  // A name and a comma take two bytes, so a short text cannot hold too many.
  if (text.length < LIMITS.headers) return true
  if (text.split(',').length > LIMITS.headers - ourHeaders) return false
  return new TextEncoder().encode(text).length <= LIMITS.headersBytes - ourHeadersBytes
}
