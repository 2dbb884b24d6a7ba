// The loop: gathers what has come in, runs the core over all of it, commits one batch, and only then sends. Then it does
// the reads that the core asked for, and hands in what they brought before anything else. One turn at a time: what
// arrives meanwhile is the next turn's, so the busier the broker, the larger its batches.

import type { Clock, Log, MonotonicMs } from '@eventmq-ts/emqp'
import type { JobStore, StoreWrite } from '@eventmq-ts/store'
import { BrokerError } from './broker-error.ts'
import {
  answerRead,
  type BrokerCore,
  type BrokerEffects,
  type BrokerInput,
  type LogEvent,
  type Send,
  withKnownJobs,
} from './core/index.ts'

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
    const { store } = this.#parts
    const known = await this.#untilStored('a look-up', () => withKnownJobs(store, inputs))
    let effects = await this.#step(known)
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
    const { core, store, clock } = this.#parts
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
    const refused = await this.#commit(writes)
    for (const send of sends) {
      if (send.guard === undefined || !refused.has(send.guard)) this.#parts.send(send)
    }
    const follow: BrokerInput[] = []
    for (const index of refused) {
      const write = writes[index]
      if (write !== undefined) follow.push({ type: 'refused', write })
    }
    for (const read of reads) {
      const answer = await this.#untilStored(`reading (${read.type})`, () => answerRead(store, read, now.epochMs))
      follow.push({ type: 'stored', answer })
    }
    return { wakeAt, stopped, follow }
  }

  async #commit(writes: readonly StoreWrite[]): Promise<ReadonlySet<number>> {
    if (writes.length === 0) return noneRefused
    const { store } = this.#parts
    const { refused } = await this.#untilStored(`a batch of ${writes.length} writes`, () => store.commit(writes))
    return refused.length === 0 ? noneRefused : new Set(refused)
  }

  /** Nothing is promised and nothing new is taken until the store has done what it must, however long that takes. */
  async #untilStored<T>(what: string, operation: () => Promise<T>): Promise<T> {
    for (let pauseMs = firstRetryMs; ; pauseMs = Math.min(lastRetryMs, 2 * pauseMs)) {
      try {
        return await operation()
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        if (this.#parts.clock.now().monotonicMs >= this.#giveUpAt) {
          const message = `the store failed at ${what}: ${why}; whatever it was, it was not promised to anybody`
          throw new BrokerError('BROKER_STORE', message, { cause: error })
        }
        this.#parts.log.error({ err: error }, `the store failed at ${what}: ${why}; the next try is in ${pauseMs} ms`)
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
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
