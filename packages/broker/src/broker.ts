// The broker as a program starts it: three doors, a store, the core, and the loop that joins them.

import { type Clock, type Log, type MonotonicMs, silentLog, systemClock } from '@eventmq-ts/emqp'
import { type JobStore, MemoryStore } from '@eventmq-ts/store'
import { BrokerError } from './broker-error.ts'
import { type BrokerOptions, type CompleteBrokerSettings, coreSettings, readBrokerSettings } from './broker-options.ts'
import { BrokerCore, type BrokerInput, type BrokerStats, type Endpoint, type Send } from './core/index.ts'
import { Door } from './door.ts'
import { messageIds } from './message-ids.ts'
import { TurnLoop } from './turn-loop.ts'

/**
 * A broker (router): takes jobs from clients and schedulers, keeps them in its store, and hands them to workers.
 *
 * @example
 * const broker = new Broker({ frontendAddress: 'tcp://127.0.0.1:*' })
 * await broker.start()
 * console.log(broker.addresses.frontend)
 * await broker.stop()
 */
export class Broker {
  /** Resolves when the broker has stopped, also by an administrator's DISCONNECT; rejects if it could not go on. */
  readonly closed: Promise<void>
  readonly #settings: CompleteBrokerSettings
  readonly #store: JobStore
  readonly #log: Log
  readonly #clock: Clock
  readonly #doors: Readonly<Record<Endpoint, Door>>
  /** What has happened besides messages. */
  #happened: BrokerInput[] = []
  #core: BrokerCore | undefined
  #loop: TurnLoop | undefined
  #started: Promise<void> | undefined
  #stopping = false
  #addresses: Readonly<Record<Endpoint, string>>
  readonly #ended = Promise.withResolvers<void>()

  /** @throws BrokerError `BROKER_OPTION` where an option is unknown or out of its range */
  constructor({ store, log, clock, ...settings }: BrokerOptions = {}) {
    this.#settings = readBrokerSettings(settings)
    this.#store = store ?? new MemoryStore()
    this.#log = log ?? silentLog
    this.#clock = clock ?? systemClock
    const { frontendAddress, backendAddress, administrationAddress, maxPayloadBytes } = this.#settings
    this.#addresses = { frontend: frontendAddress, backend: backendAddress, administration: administrationAddress }
    const events = {
      arrived: () => this.#loop?.notify(),
      undeliverable: (send: Send) => this.#happen({ type: 'undeliverable', send }),
      failed: (error: unknown) => this.#fail(error),
    }
    this.#doors = {
      frontend: new Door('frontend', maxPayloadBytes, events),
      backend: new Door('backend', maxPayloadBytes, events),
      administration: new Door('administration', maxPayloadBytes, events),
    }
    this.closed = this.#ended.promise
    // Who does not look at `closed` has the log, where the same error stands.
    this.closed.catch(() => undefined)
  }

  /** Where peers connect; once started, with the ports that were taken. */
  get addresses(): Readonly<Record<Endpoint, string>> {
    return this.#addresses
  }

  /** What the broker counts right now; undefined before it has started. */
  get stats(): (BrokerStats & { /** Faults of the broker's own code. */ readonly faults: number }) | undefined {
    if (this.#core === undefined || this.#loop === undefined) return undefined
    return { ...this.#core.stats(), faults: this.#loop.faults }
  }

  /**
   * Opens the store, listens and serves. Starting it again gives the same promise.
   *
   * @throws BrokerError (as rejection) `BROKER_PORT_TAKEN`, `BROKER_BIND`, `BROKER_STORE`, `BROKER_STATE`
   */
  start(): Promise<void> {
    this.#started ??= this.#stopping ? Promise.reject(alreadyStopped()) : this.#start()
    return this.#started
  }

  /**
   * Stops as DISCONNECT does: says KBYE to all, takes nothing new, lets running jobs finish for up to `drainTimeoutMs`,
   * and keeps the rest in the store. Stopping it again gives the same promise.
   */
  async stop(): Promise<void> {
    if (!this.#stopping) {
      this.#stopping = true
      if (this.#started === undefined) await this.#end()
      else {
        // Whoever started it has been told why it did not start; then there is nothing to stop.
        const serves = await this.#started.then(
          () => true,
          () => false,
        )
        if (serves) {
          const { monotonicMs } = this.#clock.now()
          this.#loop?.giveUpAt((monotonicMs + this.#settings.drainTimeoutMs) as MonotonicMs)
          this.#happen({ type: 'stop' })
        }
      }
    }
    await this.closed.catch(() => undefined)
  }

  async #start(): Promise<void> {
    try {
      const overview = await this.#openStore()
      const { frontend, backend, administration } = this.#doors
      this.#addresses = {
        frontend: await frontend.bind(this.#settings.frontendAddress),
        backend: await backend.bind(this.#settings.backendAddress),
        administration: await administration.bind(this.#settings.administrationAddress),
      }
      const now = this.#clock.now()
      this.#core = new BrokerCore(coreSettings(this.#settings, this.#addresses), { nextId: messageIds(), now })
      this.#loop = new TurnLoop({
        core: this.#core,
        store: this.#store,
        clock: this.#clock,
        log: this.#log,
        takeInputs: () => this.#takeInputs(),
        send: (send) => this.#doors[send.endpoint].send(send),
      })
      await this.#loop.turn([{ type: 'opened', overview }])
    } catch (error) {
      await this.#end(error)
      throw error
    }
    const { frontend, backend, administration } = this.#addresses
    this.#log.info(
      { ...this.#addresses },
      `the broker serves: clients ${frontend}, workers ${backend}, administration ${administration}`,
    )
    for (const door of Object.values(this.#doors)) void door.read()
    void this.#serve(this.#loop)
  }

  async #serve(loop: TurnLoop): Promise<void> {
    try {
      await loop.run()
      await this.#end()
    } catch (error) {
      this.#log.error({ err: error }, `the broker cannot go on: ${error instanceof Error ? error.message : error}`)
      await this.#end(error)
    }
  }

  async #openStore() {
    try {
      return await this.#store.open()
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new BrokerError('BROKER_STORE', `the store does not open: ${why}`, { cause })
    }
  }

  /** Workers and administrators before clients: a flood of jobs must not hold up their ends. */
  #takeInputs(): readonly BrokerInput[] {
    const happened = this.#happened
    this.#happened = []
    const { frontend, backend, administration } = this.#doors
    return [...happened, ...backend.takeInputs(), ...administration.takeInputs(), ...frontend.takeInputs()]
  }

  #happen(input: BrokerInput): void {
    this.#happened.push(input)
    this.#loop?.notify()
  }

  /** A door failed in a way that no peer can cause. */
  #fail(error: unknown): void {
    this.#log.error({ err: error }, `a socket of the broker failed: ${error instanceof Error ? error.message : error}`)
    if (!this.#stopping) void this.stop()
  }

  async #end(error?: unknown): Promise<void> {
    this.#stopping = true
    for (const door of Object.values(this.#doors)) door.close()
    try {
      await this.#store.close()
    } catch (cause) {
      this.#log.error({ err: cause }, 'the store did not close in order')
    }
    if (error === undefined) this.#ended.resolve()
    else this.#ended.reject(error)
  }
}

function alreadyStopped(): BrokerError {
  return new BrokerError('BROKER_STATE', 'this broker has been stopped; make a new one')
}
