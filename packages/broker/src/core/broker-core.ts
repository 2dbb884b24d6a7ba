// The broker without I/O: inputs and the time go in, effects come out. It reads no clock, sets no timer, draws no random
// number; whoever feeds it the same inputs gets the same effects. The shell feeds it sockets and a store, the simulation
// a seeded world.

import type { MessageId, MonotonicMs, Now } from '@eventmq-ts/emqp'
import type { StoreOverview, StoreWrite } from '@eventmq-ts/store'
import { Acceptance } from './acceptance.ts'
import { type BrokerStats, readStats } from './administration.ts'
import { Administrators } from './administrators.ts'
import { Backend } from './backend.ts'
import { Dispatch } from './dispatch.ts'
import type { BrokerEffects, Send } from './effects.ts'
import { Frontend } from './frontend.ts'
import type { BrokerInput, MalformedInput, MessageInput, StoreAnswer } from './input.ts'
import { type BrokerParts, makeParts } from './parts.ts'
import { printRefusal } from './refusal.ts'
import type { CoreSettings } from './settings.ts'
import { Turn } from './turn.ts'
import type { Worker } from './worker.ts'

const forgetLimit = 1000
const pageLimit = 1000

/**
 * The broker's state and its reactions.
 *
 * @example
 * const core = new BrokerCore(settings, { nextId, now })
 * core.receive({ type: 'opened', overview: await store.open() }, now)
 * core.receive({ type: 'message', endpoint: 'backend', from, command }, now)
 * const { writes, sends, reads, wakeAt } = core.takeEffects()
 */
export class BrokerCore {
  readonly #turn: Turn
  readonly #parts: BrokerParts
  readonly #frontend: Frontend
  readonly #backend: Backend
  readonly #administrators: Administrators
  readonly #dispatch: Dispatch
  /** Workers that something did not reach in this turn. */
  readonly #unreachable = new Set<Worker>()

  /** `nextId` gives a new message id at each call. */
  constructor(settings: CoreSettings, { nextId, now }: { readonly nextId: () => MessageId; readonly now: Now }) {
    this.#turn = new Turn(nextId, now)
    const parts = makeParts(settings, now.monotonicMs)
    this.#parts = parts
    this.#frontend = new Frontend(parts, new Acceptance(settings, parts.queues, parts.replies, parts.offences))
    this.#backend = new Backend(parts)
    this.#administrators = new Administrators(parts)
    this.#dispatch = new Dispatch(settings.queueOrder, parts.queues, parts.roster, parts.runs)
  }

  /** What it counts right now. */
  stats(): BrokerStats {
    return readStats(this.#parts)
  }

  /** Takes in one thing that happened. What is to be done about it gathers until {@link takeEffects}. */
  receive(input: BrokerInput, now: Now): void {
    const turn = this.#turn
    const { liveness, drain } = this.#parts
    turn.now = now
    liveness.inputComes(now.monotonicMs)
    switch (input.type) {
      case 'opened':
        this.#opened(input.overview)
        break
      case 'message':
        this.#message(input)
        break
      case 'malformed':
        this.#malformed(input)
        break
      case 'stored':
        this.#stored(input.answer)
        break
      case 'refused':
        this.#refused(input.write)
        break
      case 'undeliverable':
        this.#undeliverable(input.send)
        break
      case 'disconnected':
        liveness.gone(input.endpoint, input.peer, 'closed its connection', turn)
        break
      case 'tick':
        this.#tick()
        break
      case 'stop':
        drain.begin(turn, 'its operator asked for it')
        break
    }
    this.#proceed()
  }

  /** What is to be done, once; the next turn starts empty. */
  takeEffects(): BrokerEffects {
    if (this.#unreachable.size > 0) this.#endUnreachable()
    const { writes, sends, reads, logs } = this.#turn.take()
    return { writes, sends, reads, logs, wakeAt: this.#wakeAt(), stopped: this.#parts.drain.phase === 'stopped' }
  }

  #proceed(): void {
    const { drain } = this.#parts
    if (drain.phase === 'serving') this.#dispatch.run(this.#turn)
    else drain.proceed(this.#turn)
  }

  #opened({ nextSeq, waiting, jobs }: StoreOverview): void {
    const { queues } = this.#parts
    this.#frontend.continueFrom(nextSeq)
    queues.expect(waiting)
    queues.delays.expect(jobs.delayed)
    queues.delays.readOn(this.#turn)
    this.#turn.read({ type: 'active', after: undefined, limit: pageLimit })
    this.#turn.read({ type: 'schedules', after: undefined, limit: pageLimit })
  }

  #message(input: MessageInput): void {
    switch (input.endpoint) {
      case 'frontend':
        this.#frontend.message(input, this.#turn)
        return
      case 'backend':
        this.#backend.message(input, this.#turn)
        return
      case 'administration':
        this.#administrators.message(input, this.#turn)
        return
    }
  }

  #malformed({ endpoint, from, error, wantsAnswer }: MalformedInput): void {
    const turn = this.#turn
    const { offences, replies, roster } = this.#parts
    const { code, frame, messageId, message } = error
    offences.record(turn, { endpoint, from, kind: code, what: message, fields: { code, frame, id: messageId } })
    // It is alive, whatever it says.
    const peer = roster.find(endpoint, from)
    if (peer !== undefined) peer.lastSeen = turn.now.monotonicMs
    if (messageId === undefined) return
    if (endpoint === 'administration') {
      const refusal = code === 'EMQP_UNKNOWN_COMMAND' ? 'unknown-command' : 'bad-request'
      this.#administrators.refuse(turn, from, refusal, message)
    } else if (endpoint === 'frontend' && wantsAnswer) {
      replies.tell(turn, from, messageId, printRefusal('bad-request', message))
    }
  }

  #stored(answer: StoreAnswer): void {
    const { queues, runs, orders, replies } = this.#parts
    const turn = this.#turn
    switch (answer.type) {
      case 'waiting':
        queues.loadWaiting(answer.queue, answer.page.items, answer.page.more)
        return
      case 'delayed':
        queues.loadDelayed(answer.page.items, answer.page.more)
        return
      case 'active':
        runs.load(answer.page.items, turn)
        if (answer.page.more) turn.read({ type: 'active', after: answer.page.items.at(-1)?.id, limit: pageLimit })
        return
      case 'schedules':
        orders.load(answer.page.items, turn)
        if (answer.page.more) turn.read({ type: 'schedules', after: answer.page.items.at(-1)?.seq, limit: pageLimit })
        return
      case 'result':
        replies.tellStored(turn, answer.to, answer.job)
        return
      case 'forget':
        // As many as there may be: there may be more.
        if (answer.forgotten >= forgetLimit) turn.read({ type: 'forget', limit: forgetLimit })
        return
    }
  }

  #refused(write: StoreWrite): void {
    const { runs, roster } = this.#parts
    const what = `the store left out a ${write.type}: the job is not as this broker knew it`
    this.#turn.log('warn', { write: write.type }, what)
    if (write.type !== 'claim') return
    const worker = runs.claimRefused(write.id, write.fence)
    if (worker !== undefined) roster.slotReturned(worker)
  }

  #undeliverable(send: Send): void {
    const { command, endpoint, to } = send
    const { runs, roster, replies, liveness } = this.#parts
    if (endpoint !== 'backend') {
      liveness.gone(endpoint, to, 'cannot be reached', this.#turn)
      if (endpoint === 'frontend') replies.undelivered(send)
      return
    }
    const worker = roster.workers.get(to)
    if (worker === undefined) return
    roster.workerLeaves(worker)
    this.#unreachable.add(worker)
    if (command.type === 'REQUEST') runs.undelivered(worker, command.id, this.#turn)
  }

  /**
   * What never arrived has not begun: all of it goes back first, one input after the other; only then does its worker's
   * vanishing make the outcome of the rest unknown.
   */
  #endUnreachable(): void {
    const { roster, liveness } = this.#parts
    for (const worker of this.#unreachable) {
      // One that has registered anew meanwhile is there.
      if (roster.workers.get(worker.id) === worker) liveness.gone('backend', worker.id, 'cannot be reached', this.#turn)
    }
    this.#unreachable.clear()
    this.#proceed()
  }

  #tick(): void {
    const turn = this.#turn
    const { queues, runs, liveness } = this.#parts
    const { epochMs } = turn.now
    queues.promoteDue(turn)
    for (let job = queues.delays.takeExpired(epochMs); job !== undefined; job = queues.delays.takeExpired(epochMs)) {
      runs.expire(job, turn)
    }
    if (liveness.tick(turn)) turn.read({ type: 'forget', limit: forgetLimit })
  }

  #wakeAt(): MonotonicMs {
    const { now } = this.#turn
    const { queues, liveness, drain } = this.#parts
    const dueAt = queues.delays.nextAt
    const dueInMs = dueAt === undefined ? Number.POSITIVE_INFINITY : Math.max(0, dueAt - now.epochMs)
    return Math.min(liveness.wakeAt, drain.endBy, now.monotonicMs + dueInMs) as MonotonicMs
  }
}
