// SCHEDULE and UNSCHEDULE on their way to schedulers. A SCHEDULE goes to one: the one that holds that schedule already,
// else the least loaded. An UNSCHEDULE goes to all. With no scheduler there, orders are kept in the store and go out when
// one registers. With `guarantee` an order is kept until the scheduler has acknowledged it, and only then is its client
// told. A scheduler that has never acknowledged anything and stays silent is one of EventMQ 0.3: having been sent is all
// that will ever be known of its orders, and that is what their clients are told.

import {
  type Command,
  jobIdentity,
  type MessageId,
  type MonotonicMs,
  NO_HEADERS,
  parseHeaders,
  type Schedule,
  type Unschedule,
} from '@eventmq-ts/emqp'
import type { RoutingId, ScheduleRecord } from '@eventmq-ts/store'
import { peerName } from './peer-name.ts'
import type { Scheduler } from './scheduler.ts'
import type { CoreSettings } from './settings.ts'
import type { Turn } from './turn.ts'

const maxHolders = 1_000_000
const maxSettled = 10_000

interface Order {
  readonly record: ScheduleRecord
  /** Those it was sent to and that have not acknowledged it. Empty: it has not been sent. */
  readonly awaited: Set<RoutingId>
  giveUpAt: MonotonicMs | undefined
}

export class ScheduleOrders {
  readonly #settings: CoreSettings
  readonly #schedulers: ReadonlyMap<RoutingId, Scheduler>
  /** Orders that are not settled, by identity: a later one about the same schedule takes the place of an earlier one. */
  readonly #orders = new Map<string, Order>()
  readonly #byId = new Map<MessageId, Order>()
  /** Which scheduler was given a schedule, by identity. */
  readonly #holders = new Map<string, RoutingId>()
  /** The latest acknowledged orders: a client that asks again is told again. */
  readonly #settled = new Set<MessageId>()

  constructor(settings: CoreSettings, schedulers: ReadonlyMap<RoutingId, Scheduler>) {
    this.#settings = settings
    this.#schedulers = schedulers
  }

  /** Orders that have not reached a scheduler, or that none has acknowledged yet. */
  get pending(): number {
    return this.#orders.size
  }

  /** Takes an order; gives why not where it cannot. */
  take(order: Schedule | Unschedule, asker: RoutingId, seq: number, turn: Turn): string | undefined {
    const { guarantee } = order.headers
    if (this.#settled.has(order.id)) {
      turn.ack('frontend', asker, order.id)
      return undefined
    }
    // Asked for again while it is on its way: it will be acknowledged when it has arrived.
    if (this.#byId.has(order.id)) return undefined
    const record = recordOf(order, asker, seq, turn)
    const earlier = this.#orders.get(record.identity)
    const send = this.#available().length > 0
    if (guarantee || !send) {
      const { maxQueueDepth } = this.#settings
      if (earlier === undefined && this.#orders.size >= maxQueueDepth) {
        return `${maxQueueDepth} schedule orders wait for a scheduler already (maxQueueDepth); send again later`
      }
      const guard = turn.write({ type: 'put-schedule', schedule: record })
      this.#supersede(earlier, turn, guard)
      const kept = this.#keep(record)
      if (send) this.#send(kept, turn)
      return undefined
    }
    if (earlier !== undefined) {
      const guard = turn.write({ type: 'remove-schedule', identity: record.identity, id: earlier.record.id })
      this.#supersede(earlier, turn, guard)
    }
    this.#deliver(record, turn)
    return undefined
  }

  /** Orders read from the store at the start. */
  load(records: readonly ScheduleRecord[], turn: Turn): void {
    for (const record of records) this.#keep(record)
    this.schedulerCame(turn)
  }

  /** Sends whatever waited for a scheduler. */
  schedulerCame(turn: Turn): void {
    if (this.#available().length === 0) return
    for (const order of [...this.#orders.values()]) if (order.awaited.size === 0) this.#send(order, turn)
  }

  /** A scheduler's ACK. Gives whether it was about an order. */
  acknowledged(scheduler: RoutingId, id: MessageId, turn: Turn): boolean {
    const sender = this.#schedulers.get(scheduler)
    if (sender !== undefined) sender.acknowledges = true
    const order = this.#byId.get(id)
    if (!order?.awaited.delete(scheduler)) return false
    if (order.awaited.size === 0) this.#settle(order, turn)
    return true
  }

  /** A scheduler refused an order. Gives to whom its reason goes, or undefined where it was about no order. */
  refused(scheduler: RoutingId, id: MessageId, turn: Turn): RoutingId | undefined {
    const order = this.#byId.get(id)
    if (!order?.awaited.has(scheduler)) return undefined
    this.#remove(order, turn)
    return order.record.asker
  }

  /** The scheduler is gone: what it had not acknowledged goes to another one. */
  schedulerLeft(scheduler: RoutingId, turn: Turn): void {
    for (const order of [...this.#orders.values()]) {
      if (!order.awaited.delete(scheduler) || order.awaited.size > 0) continue
      // Of several that were told to forget a schedule, this was the last to answer: now all that are left have.
      const others = this.#available().length > 0
      if (order.record.type === 'UNSCHEDULE' && others) this.#settle(order, turn)
      else if (others) this.#send(order, turn)
      else order.giveUpAt = undefined
    }
  }

  /** Ends the wait for schedulers that acknowledge nothing. One that has done so before is only slow. */
  sweep(turn: Turn): void {
    for (const order of [...this.#orders.values()]) {
      if (order.giveUpAt === undefined || order.giveUpAt > turn.now.monotonicMs) continue
      for (const id of [...order.awaited]) this.#waitNoLongerFor(id, order, turn)
      if (order.awaited.size === 0) this.#settle(order, turn)
      else order.giveUpAt = this.#giveUpAt(turn)
    }
  }

  #waitNoLongerFor(scheduler: RoutingId, order: Order, turn: Turn): void {
    const silent = this.#schedulers.get(scheduler)
    if (silent?.acknowledges === true) return
    order.awaited.delete(scheduler)
    if (silent === undefined || silent.acknowledges === false) return
    silent.acknowledges = false
    const name = peerName(scheduler)
    const message = `scheduler ${name} acknowledges nothing, as one of EventMQ 0.3: its orders count as taken once they are sent`
    turn.log('info', { scheduler: name, order: order.record.id }, message)
  }

  #keep(record: ScheduleRecord): Order {
    const order: Order = { record, awaited: new Set(), giveUpAt: undefined }
    this.#orders.set(record.identity, order)
    this.#byId.set(record.id, order)
    return order
  }

  #send(order: Order, turn: Turn): void {
    for (const receiver of this.#deliver(order.record, turn)) {
      if (order.record.guarantee && receiver.acknowledges !== false) order.awaited.add(receiver.id)
    }
    if (order.awaited.size === 0) this.#settle(order, turn)
    else order.giveUpAt = this.#giveUpAt(turn)
  }

  /** Sends it to whom it concerns; gives to whom. */
  #deliver(record: ScheduleRecord, turn: Turn): readonly Scheduler[] {
    const available = this.#available()
    const holder = this.#schedulers.get(this.#holders.get(record.identity) ?? ('' as RoutingId))
    if (record.type === 'UNSCHEDULE') {
      if (holder !== undefined) holder.load--
      this.#holders.delete(record.identity)
      for (const { id } of available) turn.send('frontend', id, commandOf(record))
      return available
    }
    const least = available.reduce((a, b) => (b.load < a.load ? b : a))
    const receiver = holder !== undefined && !holder.leaving ? holder : least
    if (receiver !== holder) this.#hold(record.identity, receiver)
    turn.send('frontend', receiver.id, commandOf(record))
    return [receiver]
  }

  #hold(identity: string, scheduler: Scheduler): void {
    scheduler.load++
    this.#holders.set(identity, scheduler.id)
    if (this.#holders.size <= maxHolders) return
    const [oldest] = this.#holders.keys()
    if (oldest !== undefined) this.#holders.delete(oldest)
  }

  /** Nothing more will be known of it: its client is told. */
  #settle(order: Order, turn: Turn): void {
    this.#remove(order, turn)
    if (order.record.guarantee) this.#tell(order, turn)
  }

  #remove({ record: { identity, id } }: Order, turn: Turn): void {
    this.#drop(identity)
    turn.write({ type: 'remove-schedule', identity, id })
  }

  /** An order that a later one replaces has had all the effect it ever will; its client need not ask again. */
  #supersede(earlier: Order | undefined, turn: Turn, guard: number): void {
    if (earlier === undefined) return
    this.#drop(earlier.record.identity)
    if (earlier.record.guarantee) this.#tell(earlier, turn, guard)
  }

  #tell({ record }: Order, turn: Turn, guard?: number): void {
    this.#settled.add(record.id)
    if (this.#settled.size > maxSettled) {
      const [oldest] = this.#settled
      if (oldest !== undefined) this.#settled.delete(oldest)
    }
    turn.ack('frontend', record.asker, record.id, guard)
  }

  #drop(identity: string): void {
    const order = this.#orders.get(identity)
    if (order === undefined) return
    this.#orders.delete(identity)
    this.#byId.delete(order.record.id)
  }

  #giveUpAt(turn: Turn): MonotonicMs {
    return (turn.now.monotonicMs + this.#settings.scheduleAckTimeoutMs) as MonotonicMs
  }

  #available(): readonly Scheduler[] {
    return [...this.#schedulers.values()].filter(({ leaving }) => !leaving)
  }
}

function recordOf(order: Schedule | Unschedule, asker: RoutingId, seq: number, turn: Turn): ScheduleRecord {
  const { id, type, queue, headers, timing, payload } = order
  const identity = jobIdentity(payload)
  return {
    id,
    type,
    // A payload that is no job's is the scheduler's to refuse; until then it is one of its own kind.
    identity: identity.ok ? identity.value : `message ${id}`,
    queue,
    headers: headers.text,
    intervalSeconds: timing?.kind === 'interval' ? timing.seconds : undefined,
    cron: timing?.kind === 'cron' ? timing.expression : undefined,
    payload,
    asker,
    guarantee: headers.guarantee,
    seq,
    acceptedAt: turn.now.epochMs,
  }
}

function commandOf(record: ScheduleRecord): Command {
  const { type, id, queue, intervalSeconds, cron, payload } = record
  const parsed = parseHeaders(record.headers)
  const headers = parsed.ok ? parsed.value : NO_HEADERS
  const every = intervalSeconds === undefined ? undefined : ({ kind: 'interval', seconds: intervalSeconds } as const)
  const timing = cron === undefined ? every : ({ kind: 'cron', expression: cron } as const)
  if (type === 'UNSCHEDULE') return { type, id, queue, headers, timing, payload }
  // The codec lets no SCHEDULE in without timing; a stored one without it fires never rather than ending the broker.
  return { type, id, queue, headers, timing: timing ?? { kind: 'cron', expression: '0 0 31 2 *' }, payload }
}
