// A scheduler of ours registered at a scripted router, on a clock that the test turns.

import {
  type Command,
  type HeaderChanges,
  makeHeaders,
  messageId,
  queueName,
  type Request,
  type Timing,
} from '@eventmq-ts/emqp'
import { Scheduler, type SchedulerOptions } from '@eventmq-ts/scheduler'
import { RecordedLog } from '../device/recorded-log.ts'
import { type Heard, ScriptedRouter } from '../device/scripted-router.ts'
import { TurnedClock } from './turned-clock.ts'

/** A SCHEDULE or UNSCHEDULE of `my_jobs.add` with these arguments. */
export interface Order {
  readonly id: string
  readonly args?: readonly unknown[]
  readonly queue?: string
  readonly headers?: HeaderChanges
  readonly timing?: Timing
}

export class SchedulerAtRouter implements AsyncDisposable {
  readonly router: ScriptedRouter
  readonly scheduler: Scheduler
  readonly clock: TurnedClock
  readonly log: RecordedLog
  /** The scheduler's routing id. */
  readonly peer: string
  /** What was heard while waiting for something else. */
  readonly #ahead: Heard['command'][] = []

  private constructor(
    router: ScriptedRouter,
    scheduler: Scheduler,
    clock: TurnedClock,
    log: RecordedLog,
    peer: string,
  ) {
    this.router = router
    this.scheduler = scheduler
    this.clock = clock
    this.log = log
    this.peer = peer
  }

  static async start(options: Partial<SchedulerOptions> = {}, clock = new TurnedClock()): Promise<SchedulerAtRouter> {
    const router = await ScriptedRouter.bind()
    const log = new RecordedLog()
    const { setWakeUp } = clock
    const scheduler = new Scheduler({ broker: router.address, log, clock, setWakeUp, ...options })
    await scheduler.start()
    const { from } = await router.admit()
    await scheduler.registered
    return new SchedulerAtRouter(router, scheduler, clock, log, from)
  }

  /** What the scheduler says next, HEARTBEATs apart. */
  async hear(): Promise<Heard['command']> {
    return this.#ahead.shift() ?? this.#hearAnew()
  }

  /** The REQUEST that must come next. */
  async request(): Promise<Request> {
    const command = await this.hear()
    if (command.type !== 'REQUEST') throw new Error(`expected a REQUEST, got ${command.type}`)
    return command
  }

  say(command: Command): Promise<void> {
    return this.router.say(this.peer, command)
  }

  schedule({ timing = { kind: 'interval', seconds: 2 }, ...order }: Order): Promise<void> {
    return this.say({ type: 'SCHEDULE', ...partsOf(order), timing })
  }

  unschedule({ timing, ...order }: Order): Promise<void> {
    return this.say({ type: 'UNSCHEDULE', ...partsOf(order), timing })
  }

  /** Resolves when everything that was said before has been taken: a guaranteed UNSCHEDULE of nothing is acknowledged. */
  async taken(): Promise<void> {
    await this.unschedule({ id: 'taken?', args: ['never scheduled'], headers: { guarantee: true } })
    for (;;) {
      const command = await this.#hearAnew()
      if (command.type === 'ACK' && command.acknowledges === 'taken?') return
      this.#ahead.push(command)
    }
  }

  /** Takes care that everything has been taken and that the scheduler has nothing to say to it. */
  async settled(): Promise<void> {
    await this.taken()
    const [unexpected] = this.#ahead
    if (unexpected !== undefined) throw new Error(`expected nothing, got ${unexpected.type} ${unexpected.id}`)
  }

  async #hearAnew(): Promise<Heard['command']> {
    for (;;) {
      const { command } = await this.router.hear()
      if (command.type !== 'HEARTBEAT') return command
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scheduler.stop()
    this.router.close()
  }
}

function partsOf({ id, args = [1, 1], queue = 'email', headers = {} }: Omit<Order, 'timing'>) {
  const body = { callable: 'add', path: 'my_jobs', args, kwargs: {}, class_args: [], class_kwargs: {} }
  return {
    id: messageId(id),
    queue: queueName(queue),
    headers: makeHeaders(headers),
    payload: new TextEncoder().encode(JSON.stringify(['run', body])),
  }
}
