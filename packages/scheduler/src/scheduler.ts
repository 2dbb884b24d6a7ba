// The scheduler: the shell that joins a device, the timetable, a store and one timer. SCHEDULE and UNSCHEDULE come in from
// the broker; REQUESTs go back when they are due.
//
// Everything that touches timetable and store is one step in a chain, each awaited before the next. So an order is stored
// before it counts and before it is acknowledged, and what a store holds is never older than what was told.

import { Device } from '@eventmq-ts/device'
import {
  type Command,
  type MessageId,
  type MonotonicMs,
  messageId,
  type Now,
  parseHeaders,
  parseJobResult,
  printJobResult,
  type Reply,
  type Request,
  type Schedule as ScheduleCommand,
  type Unschedule as UnscheduleCommand,
} from '@eventmq-ts/emqp'
import { RecentOrders } from './core/recent-orders.ts'
import { type Firing, Timetable } from './core/timetable.ts'
import { Unacknowledged } from './core/unacknowledged.ts'
import { readKey, readSchedule } from './schedule-order.ts'
import { SchedulerError } from './scheduler-error.ts'
import { type CompleteSchedulerOptions, completeOptions, type SchedulerOptions } from './scheduler-options.ts'
import type { ScheduleWrite } from './store/schedule-store.ts'

// So many firings are sent before anything else gets its turn.
const firingsAtOnce = 1_000

// A timer cannot count further than 24.8 days, and one look a day costs nothing.
const longestSleepMs = 86_400_000

/**
 * Turns schedules into REQUESTs.
 *
 * @example
 * const scheduler = new Scheduler({ broker: 'tcp://127.0.0.1:47291' })
 * await scheduler.start()
 * process.once('SIGTERM', () => scheduler.stop())
 * await scheduler.closed
 */
export class Scheduler implements AsyncDisposable {
  readonly #options: CompleteSchedulerOptions
  readonly #device: Device
  readonly #timetable: Timetable
  readonly #unacknowledged = new Unacknowledged()
  readonly #finished = new RecentOrders()
  readonly #firstRegistration = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<void>()
  /** The last step of the chain. Never rejects. */
  #chain: Promise<void> = Promise.resolve()
  /** While the broker is away nothing fires: those are missed runs, and each schedule says what becomes of them. */
  #registered = false
  #cancelWakeUp: () => void = () => undefined
  #starting: Promise<void> | undefined
  #stopping: Promise<void> | undefined

  /** @throws SchedulerError `SCHEDULER_OPTION`; DeviceError `DEVICE_OPTIONS` */
  constructor(options: SchedulerOptions) {
    this.#options = completeOptions(options)
    const { broker, dialect, routingId, heartbeatIntervalMs, silenceLimitMs, maxUnacknowledged, log, clock, newId } =
      this.#options
    this.#timetable = new Timetable(this.#options.onTimeMs)
    this.#device = new Device({
      address: broker,
      registration: { role: 'scheduler' },
      routingId,
      freshRoutingIds: dialect === '0.3',
      // After a reconnect all that wait for their ACK are sent again, beside what is due by then.
      sendLimit: 2 * maxUnacknowledged + 10_000,
      heartbeatIntervalMs,
      silenceLimitMs,
      log,
      clock,
      newId,
      onReady: () => this.#onReady(),
      onLost: () => {
        this.#registered = false
        this.#cancelWakeUp()
      },
      onCommand: (command) => this.#receive(command),
    })
  }

  /** How many schedules it holds. */
  get schedules(): number {
    return this.#timetable.size
  }

  /** Resolves when the broker has registered the scheduler for the first time. */
  get registered(): Promise<void> {
    return this.#firstRegistration.promise
  }

  /** Resolves when the scheduler has stopped, whoever asked for it. */
  get closed(): Promise<void> {
    return this.#closed.promise
  }

  /**
   * Reads the store and begins to dial the broker. Resolves whether or not the broker is there; see {@link registered}.
   * Calling it again gives the same promise.
   *
   * @throws SchedulerError `SCHEDULER_STATE` after `stop`; DeviceError `DEVICE_ADDRESS`; whatever the store's `open` throws
   */
  start(): Promise<void> {
    this.#starting ??= this.#begin()
    return this.#starting
  }

  /** Says KBYE, fires nothing more, finishes what is being stored and hangs up. Calling it again gives the same promise. */
  stop(): Promise<void> {
    this.#stopping ??= this.#end()
    return this.#stopping
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #begin(): Promise<void> {
    if (this.#stopping !== undefined) {
      throw new SchedulerError('SCHEDULER_STATE', 'the scheduler was stopped; make a new one')
    }
    const { store, clock } = this.#options
    for (const schedule of await store.open()) this.#timetable.put(schedule, clock.now())
    await this.#device.start()
  }

  async #end(): Promise<void> {
    this.#registered = false
    this.#cancelWakeUp()
    this.#device.leave()
    // A start under way ends on its own; how it ends is told to whoever started it.
    await this.#starting?.catch(() => undefined)
    await this.#chain
    await this.#device.stop()
    if (this.#starting !== undefined) await this.#closeStore()
    this.#closed.resolve()
  }

  /** Everything that was promised is committed; a store that does not close in order must not keep the scheduler. */
  async #closeStore(): Promise<void> {
    try {
      await this.#options.store.close()
    } catch (err) {
      this.#options.log.error({ err }, 'the store of schedules did not close in order')
    }
  }

  #onReady(): void {
    this.#registered = true
    this.#firstRegistration.resolve()
    // What was sent on the last connection may have been lost with it.
    for (const request of this.#unacknowledged.sentBefore(this.#now().monotonicMs)) this.#sendRequest(request)
    void this.#inChain(() => this.#fire())
  }

  #receive(command: Command): Promise<void> | undefined {
    const { log } = this.#options
    switch (command.type) {
      case 'SCHEDULE':
        return this.#inChain(() => this.#schedule(command))
      case 'UNSCHEDULE':
        return this.#inChain(() => this.#unschedule(command))
      case 'ACK':
        this.#unacknowledged.settle(command.acknowledges)
        this.#arm()
        return undefined
      case 'REPLY':
        this.#reply(command)
        return undefined
      case 'DISCONNECT':
        log.info({ message: command.id }, 'the broker told this scheduler to DISCONNECT; it stops')
        void this.stop()
        return undefined
      default:
        log.warn({ command: command.type, message: command.id }, `${command.type} is not for a scheduler; ignored`)
        return undefined
    }
  }

  async #schedule(command: ScheduleCommand): Promise<void> {
    const now = this.#now()
    const read = readSchedule(command, now.epochMs)
    if (!read.ok) return this.#refuse(command, read.error)
    const schedule = read.value
    // The same order again: its ACK was lost. It must neither fire again nor start anew.
    const isResend = this.#timetable.get(schedule.key)?.order === command.id || this.#finished.has(command.id)
    if (!isResend) {
      if (!(await this.#store(command, { type: 'put', schedule }))) return
      this.#timetable.put(schedule, now)
      this.#options.log.info(
        { key: schedule.key, queue: schedule.queue, intervalMs: schedule.intervalMs, runs: schedule.runsLeft },
        `scheduled: ${schedule.key} every ${schedule.intervalMs / 1000} s in ${schedule.queue}`,
      )
    }
    this.#acknowledge(command)
    await this.#fire()
  }

  async #unschedule(command: UnscheduleCommand): Promise<void> {
    const key = readKey(command)
    if (!key.ok) return this.#refuse(command, key.error)
    const isHeld = this.#timetable.get(key.value) !== undefined
    if (isHeld && !(await this.#store(command, { type: 'remove', key: key.value }))) return
    this.#timetable.remove(key.value)
    const { log } = this.#options
    if (isHeld) log.info({ key: key.value }, `unscheduled: ${key.value}`)
    // Every scheduler is told, and only one of them holds it: nothing is wrong.
    else log.debug({ key: key.value }, `UNSCHEDULE of ${key.value}, which is not held here`)
    this.#acknowledge(command)
    this.#arm()
  }

  /** Sends what is due, and notes in the store how far the schedules have come. */
  async #fire(): Promise<void> {
    if (!this.#registered) return
    const now = this.#now()
    const { resendAfterMs, maxUnacknowledged, log, store } = this.#options
    for (const request of this.#unacknowledged.sentBefore((now.monotonicMs - resendAfterMs) as MonotonicMs))
      this.#sendRequest(request)
    const room = Math.min(firingsAtOnce, maxUnacknowledged - this.#unacknowledged.size)
    if (room > 0) {
      const { firings, advanced, ended } = this.#timetable.advance(now, room)
      for (const firing of firings) this.#sendFiring(firing)
      for (const { order } of ended) this.#finished.add(order)
      const writes: ScheduleWrite[] = [
        ...advanced.map((schedule) => ({ type: 'put', schedule }) as const),
        ...ended.map(({ key }) => ({ type: 'remove', key }) as const),
      ]
      try {
        if (writes.length > 0) await store.commit(writes)
      } catch (err) {
        // The runs are out. After a restart they may be sent once more, under the same message ids.
        log.error({ err }, 'the store could not note which schedules have fired')
      }
    }
    this.#arm()
  }

  #sendFiring({ schedule, dueAt, lateMs }: Firing): void {
    const headers = parseHeaders(schedule.headers)
    if (!headers.ok) {
      // Only a store that was tampered with can hold them.
      this.#options.log.error({ key: schedule.key, err: headers.error }, `schedule ${schedule.key} cannot be sent`)
      return
    }
    const { queue, payload, key } = schedule
    const id = messageId(`${key}:${dueAt}`)
    this.#options.log.debug({ key, job: id, lateMs }, `due: ${key} in ${queue}`)
    this.#sendRequest({ type: 'REQUEST', id, queue, headers: headers.value, payload })
  }

  #sendRequest(request: Request): void {
    const waitsForAck = request.headers.guarantee && this.#options.dialect === 'eMQP'
    if (waitsForAck) this.#unacknowledged.sent(request, this.#now().monotonicMs)
    this.#send(request)
  }

  /** A REPLY can only be about a REQUEST that the broker refused, or what a 0.3 router says when it hands one out. */
  #reply(reply: Reply): void {
    if (reply.kind !== 'result') return
    this.#unacknowledged.settle(reply.request)
    const result = parseJobResult(reply.payload)
    if (result.kind !== 'error') return
    const { code, message } = result.error
    this.#options.log.warn({ job: reply.request, code }, `the broker refused ${reply.request}: ${message}`)
  }

  #acknowledge({ headers, id }: ScheduleCommand | UnscheduleCommand): void {
    if (headers.guarantee) this.#send({ type: 'ACK', id: this.#nextId(), acknowledges: id })
  }

  #refuse({ id, headers }: ScheduleCommand | UnscheduleCommand, error: SchedulerError): void {
    const { name, code, message } = error
    this.#options.log.warn({ message: id, code }, message)
    if (!(headers.guarantee || headers.replyRequested)) return
    const payload = printJobResult({ kind: 'error', error: { name, code, message } })
    this.#send({ type: 'REPLY', kind: 'result', id: this.#nextId(), request: id, payload })
  }

  /** Makes an order's write durable; where that fails the order is refused, and nothing has changed. */
  async #store(command: ScheduleCommand | UnscheduleCommand, write: ScheduleWrite): Promise<boolean> {
    try {
      await this.#options.store.commit([write])
      return true
    } catch (cause) {
      const message = `${command.type} is refused: the store could not keep it (${String(cause)})`
      this.#refuse(command, new SchedulerError('SCHEDULER_STORE', message, { cause }))
      return false
    }
  }

  #send(command: Command): void {
    this.#device.send(command).catch((err: unknown) => {
      this.#options.log.error({ command: command.type, err }, `${command.type} could not be sent`)
    })
  }

  /** Sees to it that the next look comes when the next thing is due. */
  #arm(): void {
    this.#cancelWakeUp()
    if (!this.#registered) return
    const { resendAfterMs, maxUnacknowledged } = this.#options
    const hasRoom = this.#unacknowledged.size < maxUnacknowledged
    const dueAt = (hasRoom ? this.#timetable.nextDueAt() : undefined) ?? Number.POSITIVE_INFINITY
    const resendAt = (this.#unacknowledged.oldest() ?? Number.POSITIVE_INFINITY) + resendAfterMs
    const sleepMs = Math.min(dueAt, resendAt) - this.#now().monotonicMs
    this.#cancelWakeUp = this.#options.setWakeUp(Math.min(Math.max(0, sleepMs), longestSleepMs), () => {
      void this.#inChain(() => this.#fire())
    })
  }

  /** Does a step after all that were begun before it. */
  #inChain(step: () => Promise<void>): Promise<void> {
    this.#chain = this.#chain.then(step).catch((err: unknown) => {
      this.#options.log.error({ err }, 'a step of the scheduler failed; it goes on')
    })
    return this.#chain
  }

  #now(): Now {
    return this.#options.clock.now()
  }

  #nextId(): MessageId {
    return messageId(this.#options.newId())
  }
}
