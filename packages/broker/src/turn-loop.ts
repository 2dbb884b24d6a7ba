// The loop: gathers what has come in, runs the core over all of it, commits one batch, and only then sends. Then it does
// the reads that the core asked for, and hands in what they brought before anything else. One turn at a time: what
// arrives meanwhile is the next turn's, so the busier the broker, the larger its batches.

import type { Clock, Log, MessageId, MonotonicMs } from '@eventmq-ts/emqp'
import type { JobStore, JobSummary, StoreWrite } from '@eventmq-ts/store'
import { BrokerError } from './broker-error.ts'
import type { BrokerCore, BrokerEffects, BrokerInput, LogEvent, Send, StoreAnswer, StoreRead } from './core/index.ts'

const firstRetryMs = 50
const lastRetryMs = 5000

export interface LoopParts {
  readonly core: BrokerCore
  readonly store: JobStore
  readonly clock: Clock
  readonly log: Log
  /** What has come in since the last call, in the order in which it is to be taken. */
  readonly takeInputs: () => readonly BrokerInput[]
  readonly send: (send: Send) => void
}

export class TurnLoop {
  readonly #parts: LoopParts
  #wakeAt = 0 as MonotonicMs
  #wake: (() => void) | undefined
  #isAwake = false
  #giveUpAt = Number.POSITIVE_INFINITY as MonotonicMs
  /** Faults of our own code, each logged: the broker goes on without the input that caused it. */
  faults = 0

  constructor(parts: LoopParts) {
    this.#parts = parts
  }

  /** There is input. */
  notify(): void {
    this.#isAwake = true
    this.#wake?.()
  }

  /** From then on a store that does not take a batch ends the loop. */
  giveUpAt(instant: MonotonicMs): void {
    this.#giveUpAt = instant
  }

  /** One turn over the given inputs, with all the reads it leads to. Gives whether the broker has stopped. */
  async turn(inputs: readonly BrokerInput[]): Promise<boolean> {
    let effects = await this.#step(await this.#withKnownJobs(inputs))
    while (effects.follow.length > 0) effects = await this.#step(effects.follow)
    this.#wakeAt = effects.wakeAt
    return effects.stopped
  }

  /** Turns until the core has stopped. */
  async run(): Promise<void> {
    for (;;) {
      await this.#untilAwake()
      // Lets this turn of the event loop end, so that all that has arrived in it is taken together.
      await new Promise<void>((resolve) => setImmediate(resolve))
      this.#isAwake = false
      const inputs = [...this.#parts.takeInputs()]
      if (this.#parts.clock.now().monotonicMs >= this.#wakeAt) inputs.push({ type: 'tick' })
      if (inputs.length > 0 && (await this.turn(inputs))) return
    }
  }

  async #step(
    inputs: readonly BrokerInput[],
  ): Promise<Pick<BrokerEffects, 'wakeAt' | 'stopped'> & { readonly follow: readonly BrokerInput[] }> {
    const { core, clock } = this.#parts
    const now = clock.now()
    for (const input of inputs) {
      try {
        core.receive(input, now)
      } catch (error) {
        this.faults++
        const what = `a fault in the broker: ${error instanceof Error ? error.message : error}; it goes on without this ${input.type}`
        this.#parts.log.error({ err: error, input: input.type }, what)
      }
    }
    const { writes, sends, reads, logs, wakeAt, stopped } = core.takeEffects()
    for (const event of logs) this.#log(event)
    const refused = writes.length > 0 ? new Set(await this.#commit(writes)) : noneRefused
    for (const send of sends) {
      if (send.guard === undefined || !refused.has(send.guard)) this.#parts.send(send)
    }
    const follow: BrokerInput[] = []
    for (const index of refused) {
      const write = writes[index]
      if (write !== undefined) follow.push({ type: 'refused', write })
    }
    for (const read of reads) follow.push({ type: 'stored', answer: await this.#read(read) })
    return { wakeAt, stopped, follow }
  }

  /** Nothing is promised and nothing new is taken until the batch is durable, however long that takes. */
  async #commit(writes: readonly StoreWrite[]): Promise<readonly number[]> {
    for (let pauseMs = firstRetryMs; ; pauseMs = Math.min(lastRetryMs, 2 * pauseMs)) {
      try {
        const { refused } = await this.#parts.store.commit(writes)
        return refused
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        if (this.#parts.clock.now().monotonicMs >= this.#giveUpAt) {
          const message = `the store did not take the last ${writes.length} writes: ${why}; none of them was promised`
          throw new BrokerError('BROKER_STORE', message, { cause: error })
        }
        this.#parts.log.error(
          { err: error, writes: writes.length },
          `the store did not take a batch of ${writes.length} writes: ${why}; nothing of it is promised, the next try is in ${pauseMs} ms`,
        )
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }

  /** A REQUEST goes in with what the store knows under its id. */
  async #withKnownJobs(inputs: readonly BrokerInput[]): Promise<readonly BrokerInput[]> {
    const ids: MessageId[] = []
    for (const input of inputs) {
      if (input.type === 'message' && input.command.type === 'REQUEST') ids.push(input.command.id)
    }
    if (ids.length === 0) return inputs
    const known: ReadonlyMap<MessageId, JobSummary> = await this.#parts.store.lookup(ids)
    if (known.size === 0) return inputs
    return inputs.map((input) => {
      if (input.type !== 'message' || input.command.type !== 'REQUEST') return input
      return { ...input, known: known.get(input.command.id) }
    })
  }

  async #read(read: StoreRead): Promise<StoreAnswer> {
    const { store, clock } = this.#parts
    switch (read.type) {
      case 'waiting':
        return { type: 'waiting', queue: read.queue, page: await store.waiting(read) }
      case 'delayed':
        return { type: 'delayed', page: await store.delayed(read) }
      case 'active':
        return { type: 'active', page: await store.active(read) }
      case 'schedules':
        return { type: 'schedules', page: await store.schedules(read) }
      case 'result':
        return { type: 'result', to: read.to, job: await store.read(read.id) }
      case 'forget':
        return { type: 'forget', forgotten: await store.forget(clock.now().epochMs, read.limit) }
    }
  }

  #log({ level, fields, message }: LogEvent): void {
    this.#parts.log[level](fields, message)
  }

  async #untilAwake(): Promise<void> {
    if (this.#isAwake) return
    const waitMs = Math.max(0, this.#wakeAt - this.#parts.clock.now().monotonicMs)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(waitMs, longestTimerMs))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
  }
}

const noneRefused: ReadonlySet<number> = new Set()
/** Node's timers go no further. */
const longestTimerMs = 2_147_483_647
