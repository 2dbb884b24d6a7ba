// The broker without I/O: inputs and the time go in, effects come out. It reads no clock, sets no timer, draws no random
// number; whoever feeds it the same inputs gets the same effects. The shell feeds it sockets and a store, the simulation
// a seeded world.

import type { Command, MessageId, MonotonicMs, Now } from '@eventmq-ts/emqp'
import type { RoutingId, StoreWrite } from '@eventmq-ts/store'
import { Acceptance } from './acceptance.ts'
import {
  type BrokerParts,
  type BrokerStats,
  readStats,
  showSchedulers,
  showStatus,
  showWorkers,
} from './administration.ts'
import { Dispatch } from './dispatch.ts'
import type { BrokerEffects, Send } from './effects.ts'
import type { BrokerInput, MalformedInput, MessageInput, StoreAnswer } from './input.ts'
import { Offences } from './offences.ts'
import { peerName } from './peer-name.ts'
import { Queues } from './queues.ts'
import { printRefusal } from './refusal.ts'
import { Replies } from './replies.ts'
import { Roster } from './roster.ts'
import { Runs } from './runs.ts'
import { ScheduleOrders } from './schedule-orders.ts'
import type { Scheduler } from './scheduler.ts'
import type { CoreSettings, Endpoint } from './settings.ts'
import { Turn } from './turn.ts'
import { Worker } from './worker.ts'

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
  readonly #settings: CoreSettings
  readonly #turn: Turn
  readonly #parts: BrokerParts
  readonly #acceptance: Acceptance
  readonly #dispatch: Dispatch
  #phase: BrokerStats['phase'] = 'serving'
  #nextSeq = 1
  #lastInputAt: MonotonicMs
  #nextHeartbeatAt: MonotonicMs
  #nextSweepAt: MonotonicMs
  #drainBy = Number.POSITIVE_INFINITY as MonotonicMs

  /** `nextId` gives a new message id at each call. */
  constructor(settings: CoreSettings, { nextId, now }: { readonly nextId: () => MessageId; readonly now: Now }) {
    this.#settings = settings
    this.#turn = new Turn(nextId, now)
    const offences = new Offences()
    const replies = new Replies()
    const queues = new Queues(settings)
    const roster = new Roster(settings, queues)
    const runs = new Runs(settings, queues, replies)
    const orders = new ScheduleOrders(settings, roster.schedulers)
    this.#parts = { queues, roster, runs, orders, replies, offences }
    this.#acceptance = new Acceptance(settings, queues, replies, offences)
    this.#dispatch = new Dispatch(settings.queueOrder, queues, roster, runs)
    this.#lastInputAt = now.monotonicMs
    this.#nextHeartbeatAt = (now.monotonicMs + settings.heartbeatIntervalMs) as MonotonicMs
    this.#nextSweepAt = now.monotonicMs
  }

  /** What it counts right now. */
  stats(): BrokerStats {
    return readStats(this.#parts, this.#phase)
  }

  /** Takes in one thing that happened. What is to be done about it gathers until {@link takeEffects}. */
  receive(input: BrokerInput, now: Now): void {
    this.#turn.now = now
    this.#forgiveAbsence(now.monotonicMs)
    switch (input.type) {
      case 'opened': {
        const { overview } = input
        this.#nextSeq = overview.nextSeq
        this.#parts.queues.expect(overview.waiting)
        this.#parts.queues.delays.expect(overview.jobs.delayed)
        this.#parts.queues.delays.readOn(this.#turn)
        this.#turn.read({ type: 'active', after: undefined, limit: pageLimit })
        this.#turn.read({ type: 'schedules', after: undefined, limit: pageLimit })
        break
      }
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
        this.#gone(input.endpoint, input.peer, 'closed its connection')
        break
      case 'tick':
        this.#tick()
        break
      case 'stop':
        this.#drain('the operator stops the broker')
        break
    }
    if (this.#phase === 'serving') this.#dispatch.run(this.#turn)
    this.#endDrained()
  }

  /** What is to be done, once; the next turn starts empty. */
  takeEffects(): BrokerEffects {
    const turn = this.#turn
    const { writes, sends, reads, logs } = turn
    turn.writes = []
    turn.sends = []
    turn.reads = []
    turn.logs = []
    return { writes, sends, reads, logs, wakeAt: this.#wakeAt(), stopped: this.#phase === 'stopped' }
  }

  #message(input: MessageInput): void {
    switch (input.endpoint) {
      case 'frontend':
        this.#fromFrontend(input)
        return
      case 'backend':
        this.#fromBackend(input)
        return
      case 'administration':
        this.#fromAdministrator(input)
        return
    }
  }

  #fromFrontend({ from, command, known }: MessageInput): void {
    const { roster, orders, replies } = this.#parts
    const turn = this.#turn
    replies.seen(turn, from)
    const scheduler = roster.schedulers.get(from)
    // Every command but DISCONNECT counts as a heartbeat.
    if (scheduler !== undefined && command.type !== 'DISCONNECT') scheduler.lastSeen = turn.now.monotonicMs
    switch (command.type) {
      case 'REQUEST':
        if (this.#phase === 'serving') this.#acceptance.request(command, from, known, this.#nextSeq++, turn)
        else this.#acceptance.refuseDraining(command, from, turn)
        return
      case 'SCHEDULE':
      case 'UNSCHEDULE':
        this.#scheduleOrder(command, from)
        return
      case 'INFORM':
        if (command.role === 'worker') {
          this.#wrongDoor('frontend', 'backend', from, 'worker')
          return
        }
        this.#informScheduler(command.id, from)
        return
      case 'HEARTBEAT':
        if (scheduler === undefined) this.#unregistered('frontend', from, command)
        return
      case 'ACK':
        if (scheduler === undefined) {
          this.#unregistered('frontend', from, command)
          return
        }
        orders.acknowledged(from, command.acknowledges, turn)
        return
      case 'KBYE':
        // A client's farewell: it has nothing here to forget.
        if (scheduler === undefined) return
        scheduler.leaving = true
        orders.schedulerLeft(from, turn)
        return
      case 'DISCONNECT':
        this.#notAllowed('frontend', from, command, 'only an administrator may stop the broker')
        return
      default:
        this.#notAllowed('frontend', from, command, 'clients and schedulers do not send it')
        return
    }
  }

  #fromBackend({ from, command }: MessageInput): void {
    const { roster, runs } = this.#parts
    const turn = this.#turn
    if (command.type === 'INFORM') {
      if (command.role === 'scheduler') {
        this.#wrongDoor('backend', 'frontend', from, 'scheduler')
        return
      }
      this.#informWorker(command, from)
      return
    }
    const worker = roster.workers.get(from)
    if (worker === undefined) {
      this.#unregistered('backend', from, command)
      return
    }
    if (command.type !== 'DISCONNECT') worker.lastSeen = turn.now.monotonicMs
    switch (command.type) {
      case 'READY':
        // After its farewell it gets nothing more, whatever it still says.
        if (worker.leaving) return
        if (!roster.addSlot(worker))
          this.#notAllowed('backend', from, command, `it has ${worker.slots} free slots (maxSlots)`)
        return
      case 'REPLY':
        this.#workerReply(worker, command)
        return
      case 'PROGRESS':
        runs.progress(worker, command.request, command.payload, turn)
        return
      case 'HEARTBEAT':
        return
      case 'KBYE':
        if (!worker.leaving) roster.workerLeaves(worker)
        return
      default:
        this.#notAllowed('backend', from, command, 'workers do not send it')
        return
    }
  }

  #fromAdministrator({ from, command }: MessageInput): void {
    const turn = this.#turn
    switch (command.type) {
      case 'STATUS':
        this.#answer(from, showStatus(this.#parts, this.#phase, turn))
        return
      case 'ROUTER_SHOW_WORKERS':
        this.#answer(from, showWorkers(this.#parts))
        return
      case 'ROUTER_SHOW_SCHEDULERS':
        this.#answer(from, showSchedulers(this.#parts))
        return
      case 'DISCONNECT':
        turn.ack('administration', from, command.id)
        this.#drain(`administrator ${peerName(from)} asked for it`)
        return
      case 'HELLO':
      case 'KBYE':
        return
      default:
        this.#notAllowed('administration', from, command, 'administrators do not send it')
        this.#answer(
          from,
          printRefusal('unknown-command', `${command.type} is no command of the administration endpoint`),
        )
        return
    }
  }

  #answer(to: RoutingId, payload: Uint8Array): void {
    const turn = this.#turn
    turn.send('administration', to, { type: 'REPLY', kind: 'administration', id: turn.nextId(), payload })
  }

  #malformed({ endpoint, from, error, wantsAnswer }: MalformedInput): void {
    const { code, frame, messageId } = error
    const fields = { code, frame, id: messageId }
    this.#parts.offences.record(this.#turn, { endpoint, from, kind: code, what: error.message, fields })
    const { workers, schedulers } = this.#parts.roster
    // It is alive, whatever it says.
    const peer = endpoint === 'backend' ? workers.get(from) : endpoint === 'frontend' ? schedulers.get(from) : undefined
    if (peer !== undefined) peer.lastSeen = this.#turn.now.monotonicMs
    if (messageId === undefined) return
    if (endpoint === 'administration') {
      const refusal = code === 'EMQP_UNKNOWN_COMMAND' ? 'unknown-command' : 'bad-request'
      this.#answer(from, printRefusal(refusal, error.message))
    } else if (endpoint === 'frontend' && wantsAnswer) {
      this.#parts.replies.tell(this.#turn, from, messageId, printRefusal('bad-request', error.message))
    }
  }

  #scheduleOrder(command: Extract<Command, { readonly type: 'SCHEDULE' | 'UNSCHEDULE' }>, from: RoutingId): void {
    const { maxPayloadBytes } = this.#settings
    const tooLarge = command.payload.length > maxPayloadBytes
    if (this.#phase === 'serving' && !tooLarge) {
      this.#parts.orders.take(command, from, this.#nextSeq++, this.#turn)
      return
    }
    const code = tooLarge ? 'too-large' : 'draining'
    const message = tooLarge
      ? `the payload has ${command.payload.length} bytes; at most ${maxPayloadBytes} (maxPayloadBytes) are taken`
      : 'the broker is about to stop and takes no more schedules'
    const what = `${command.type} ${command.id} is refused: ${message}`
    this.#parts.offences.record(this.#turn, { endpoint: 'frontend', from, kind: `refused-${code}`, what })
    if (command.headers.guarantee) this.#parts.replies.tell(this.#turn, from, command.id, printRefusal(code, message))
  }

  #informWorker(command: Extract<Command, { readonly type: 'INFORM' }>, from: RoutingId): void {
    const turn = this.#turn
    if (this.#phase !== 'serving') {
      turn.send('backend', from, { type: 'KBYE', id: turn.nextId() })
      return
    }
    const { roster, runs } = this.#parts
    const before = roster.workers.get(from)
    const worker = roster.addWorker(from, command.queues, turn)
    if (typeof worker === 'string') {
      this.#notAllowed('backend', from, command, worker)
      return
    }
    runs.registeredAnew(before, worker, turn)
    this.#welcome('backend', from, command.id)
    const queues = worker.queues.map(({ weight, name }) => `${name} (${weight})`).join(', ')
    turn.log('info', { worker: peerName(from), queues: worker.queues }, `worker ${peerName(from)} serves ${queues}`)
  }

  #informScheduler(id: MessageId, from: RoutingId): void {
    const turn = this.#turn
    if (this.#phase !== 'serving') {
      turn.send('frontend', from, { type: 'KBYE', id: turn.nextId() })
      return
    }
    const { roster, orders } = this.#parts
    if (roster.schedulers.has(from)) orders.schedulerLeft(from, turn)
    const scheduler = roster.addScheduler(from, turn)
    if (typeof scheduler === 'string') {
      const what = `its INFORM is refused: ${scheduler}`
      this.#parts.offences.record(turn, { endpoint: 'frontend', from, kind: 'too-many-peers', what })
      return
    }
    this.#welcome('frontend', from, id)
    turn.log('info', { scheduler: peerName(from) }, `scheduler ${peerName(from)} is here`)
    orders.schedulerCame(turn)
  }

  /** A 0.3 job manager sends READY only after the first HEARTBEAT that follows its ACK: so it gets one at once. */
  #welcome(endpoint: Endpoint, to: RoutingId, inform: MessageId): void {
    this.#turn.ack(endpoint, to, inform)
    this.#turn.heartbeat(endpoint, to)
  }

  #workerReply(worker: Worker, command: Extract<Command, { readonly type: 'REPLY' }>): void {
    const turn = this.#turn
    if (command.kind !== 'result' && command.kind !== 'payload') {
      this.#notAllowed('backend', worker.id, command, 'workers do not send this kind')
      return
    }
    // The 2016 layout has no frame for the REQUEST's id: it stands where the message's own does.
    const request = command.kind === 'result' ? command.request : command.id
    if (this.#parts.runs.reply(worker, request, command.payload, turn)) return
    this.#parts.offences.record(turn, {
      endpoint: 'backend',
      from: worker.id,
      kind: 'reply-without-lease',
      what: `its REPLY for job ${request} changes nothing: it does not hold that job (any more)`,
      fields: { job: request },
    })
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
    this.#turn.log(
      'warn',
      { write: write.type },
      `the store left out a ${write.type}: the job is not as this broker knew it`,
    )
    if (write.type !== 'claim') return
    const worker = runs.claimRefused(write.id, write.fence)
    if (worker !== undefined) roster.slotReturned(worker)
  }

  #undeliverable(send: Send): void {
    const { command, endpoint, to } = send
    const { runs, replies, roster } = this.#parts
    if (command.type === 'REQUEST' && endpoint === 'backend') runs.undelivered(to, command.id, this.#turn)
    const registered = endpoint === 'backend' ? roster.workers.has(to) : roster.schedulers.has(to)
    if (registered) this.#gone(endpoint, to, 'cannot be reached')
    if (endpoint === 'frontend') replies.undelivered(send)
  }

  #gone(endpoint: Endpoint, id: RoutingId, how: string): void {
    const { roster } = this.#parts
    const peer =
      endpoint === 'backend' ? roster.workers.get(id) : endpoint === 'frontend' ? roster.schedulers.get(id) : undefined
    if (peer !== undefined) this.#remove(peer, how)
  }

  #remove(peer: Worker | Scheduler, how: string): void {
    const { roster, runs, orders } = this.#parts
    const turn = this.#turn
    const name = peerName(peer.id)
    if (peer instanceof Worker) {
      roster.removeWorker(peer)
      turn.log('info', { worker: name, running: peer.jobs.size }, `worker ${name} ${how}`)
      runs.vanished(peer, turn)
    } else {
      roster.schedulers.delete(peer.id)
      turn.log('info', { scheduler: name }, `scheduler ${name} ${how}`)
      orders.schedulerLeft(peer.id, turn)
    }
  }

  #tick(): void {
    const turn = this.#turn
    const { queues, runs, orders, roster } = this.#parts
    const now = turn.now.monotonicMs
    queues.promoteDue(turn)
    for (
      let job = queues.delays.takeExpired(turn.now.epochMs);
      job !== undefined;
      job = queues.delays.takeExpired(turn.now.epochMs)
    ) {
      runs.expire(job, turn)
    }
    if (now >= this.#nextSweepAt) {
      this.#nextSweepAt = (now + this.#sweepIntervalMs) as MonotonicMs
      for (const peer of [...roster.silent(now)])
        this.#remove(peer, `was silent for ${Math.round(now - peer.lastSeen)} ms`)
      runs.sweep(turn)
      orders.sweep(turn)
    }
    if (now >= this.#nextHeartbeatAt) {
      this.#nextHeartbeatAt = (now + this.#settings.heartbeatIntervalMs) as MonotonicMs
      for (const { id } of roster.workers.values()) turn.heartbeat('backend', id)
      for (const { id } of roster.schedulers.values()) turn.heartbeat('frontend', id)
      turn.read({ type: 'forget', limit: forgetLimit })
    }
    if (this.#phase === 'draining' && now >= this.#drainBy) {
      turn.log(
        'warn',
        { running: runs.active },
        `the broker stops with ${runs.active} jobs still running; they stay in the store`,
      )
      this.#phase = 'stopped'
    }
  }

  /** No more jobs in, none out; what runs may finish. */
  #drain(why: string): void {
    if (this.#phase !== 'serving') return
    const turn = this.#turn
    const { roster, runs } = this.#parts
    this.#phase = 'draining'
    this.#drainBy = (turn.now.monotonicMs + this.#settings.drainTimeoutMs) as MonotonicMs
    for (const { id } of roster.schedulers.values()) turn.send('frontend', id, { type: 'KBYE', id: turn.nextId() })
    for (const { id } of roster.workers.values()) turn.send('backend', id, { type: 'KBYE', id: turn.nextId() })
    turn.log('info', { running: runs.active }, `the broker is about to stop: ${why}`)
  }

  #endDrained(): void {
    if (this.#phase === 'draining' && this.#parts.runs.active === 0) this.#phase = 'stopped'
  }

  /**
   * Ticks come at the latest when asked for. If time has passed far beyond that, the broker itself was held up, and what
   * its peers said meanwhile has not been read yet.
   */
  #forgiveAbsence(now: MonotonicMs): void {
    const gapMs = now - this.#lastInputAt
    this.#lastInputAt = now
    const { heartbeatIntervalMs } = this.#settings
    if (gapMs > 2 * heartbeatIntervalMs) this.#parts.roster.forgive(gapMs - heartbeatIntervalMs)
  }

  get #sweepIntervalMs(): number {
    return Math.min(this.#settings.heartbeatIntervalMs, this.#settings.peerTimeoutMs / 4)
  }

  #wakeAt(): MonotonicMs {
    const { now } = this.#turn
    let wakeAt = Math.min(this.#nextHeartbeatAt, this.#nextSweepAt)
    if (this.#phase === 'draining') wakeAt = Math.min(wakeAt, this.#drainBy)
    const dueAt = this.#parts.queues.delays.nextAt
    if (dueAt !== undefined) wakeAt = Math.min(wakeAt, now.monotonicMs + Math.max(0, dueAt - now.epochMs))
    return wakeAt as MonotonicMs
  }

  #wrongDoor(at: Endpoint, right: Endpoint, from: RoutingId, role: string): void {
    this.#parts.offences.record(this.#turn, {
      endpoint: at,
      from,
      kind: 'wrong-endpoint',
      what: `INFORM of a ${role} is refused here; ${role}s connect to the ${right}, ${this.#settings.addresses[right]}`,
    })
  }

  #unregistered(endpoint: Endpoint, from: RoutingId, command: Command): void {
    this.#parts.offences.record(this.#turn, {
      endpoint,
      from,
      kind: 'unregistered',
      what: `its ${command.type} is not obeyed: it is not registered (any more); it must INFORM first`,
      fields: { command: command.type, id: command.id },
    })
  }

  #notAllowed(endpoint: Endpoint, from: RoutingId, command: Command, why: string): void {
    this.#parts.offences.record(this.#turn, {
      endpoint,
      from,
      kind: `refused-${command.type}`,
      what: `its ${command.type} is refused: ${why}`,
      fields: { command: command.type, id: command.id },
    })
  }
}
