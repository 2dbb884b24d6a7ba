// The client: the shell that gives the pure core a device, a timer and its callers. Every command of the broker goes into
// the core, every effect of the core goes to the device or to whoever waits for it.

import { Device } from '@eventmq-ts/device'
import { type JobResult, type MessageId, makeHeaders, messageId, printJobCall, queueName } from '@eventmq-ts/emqp'
import type { JobReference, WireValue } from '@eventmq-ts/job'
import type { BoundJob } from './bound-job.ts'
import {
  checkSubmitOptions,
  type DeferManyOptions,
  type DeferOptions,
  expectationOf,
  type InputArguments,
  requestHeaders,
  type ScheduleOptions,
  type SubmitOptions,
  scheduleHeaders,
  timingOf,
} from './call-options.ts'
import { type ClientOptions, type CompleteClientOptions, completeOptions } from './client-options.ts'
import { InFlight } from './core/in-flight.ts'
import type { ClientEffect, Expectation, Message } from './core/outgoing.ts'
import { DeferredJob, type JobOutcome } from './deferred-job.ts'
import { ClientError, DeferManyError, JobFailedError, RefusedError } from './error.ts'
import { wait } from './waiting.ts'
import { WaitingCalls } from './waiting-calls.ts'

/** One message on its way to the core. */
interface Submission {
  readonly message: Message
  readonly expects: Expectation
  /** What it is called in errors. */
  readonly what: string
  readonly handle?: DeferredJob<unknown>
}

/**
 * Defers and schedules jobs.
 *
 * @example
 * const client = new Client({ broker: 'tcp://127.0.0.1:47291' })
 * const job = await client.defer(wordCount, { text: 'to be or not to be' })
 * console.log(await job.result())
 * await client.stop()
 */
export class Client {
  readonly #options: CompleteClientOptions
  readonly #device: Device
  readonly #inFlight: InFlight
  readonly #calls = new WaitingCalls((id) => this.#forget(id))
  /** Handles whose outcome is being waited for. */
  readonly #held = new Set<DeferredJob<unknown>>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #stopping: Promise<void> | undefined
  #oldRouterTold = false

  /** @throws ClientError `CLIENT_OPTIONS`; DeviceError `DEVICE_OPTIONS` for a routing id that cannot be one */
  constructor(options: ClientOptions) {
    this.#options = completeOptions(options)
    const { broker, routingId, dialect, log, clock, newId, maxInFlight } = this.#options
    this.#inFlight = new InFlight(this.#options)
    this.#device = new Device({
      address: broker,
      routingId,
      freshRoutingIds: dialect === '0.3',
      // The core gives it at most `maxInFlight`, and as many again that callers gave up while they waited.
      sendLimit: 2 * maxInFlight,
      log,
      clock,
      newId,
      onCommand: (command) => this.#apply(this.#inFlight.received(command, clock.now())),
      onReady: () => this.#apply(this.#inFlight.connected(clock.now())),
      onLost: () => this.#inFlight.lost(),
    })
  }

  /**
   * Begins to dial the broker; the first call of anything else does it too.
   *
   * @throws DeviceError `DEVICE_ADDRESS` for an address that cannot be dialed
   * @throws ClientError `CLIENT_STOPPED`
   */
  async start(): Promise<void> {
    if (this.#stopping !== undefined) throw new ClientError('CLIENT_STOPPED', 'the client has stopped; make a new one')
    await this.#device.start()
  }

  /**
   * Defers a job: checks the input, sends it, and resolves when the broker has acknowledged it (without `guarantee`: when
   * it is sent). It is sent again under the same id until the ACK comes.
   *
   * @throws JobError `JOB_INPUT`: nothing was sent
   * @throws RefusedError where the broker does not take it
   * @throws ClientError `CLIENT_NOT_ACCEPTED`, `CLIENT_FULL`, `CLIENT_DUPLICATE_ID`, `CLIENT_STOPPED`
   * @throws EmqpError where an option is out of its header's range
   * @example
   * const job = await client.defer(resize, { url, width: 200 }, { timeoutSeconds: 30, retryCount: 3 })
   */
  async defer<Input, Output>(
    job: JobReference<Input, Output>,
    ...[input, options = {}]: InputArguments<Input, DeferOptions>
  ): Promise<DeferredJob<WireValue<Output>>> {
    // `InputArguments` leaves the input out only where `undefined` is one.
    const call = await job.prepareCall(input as Input)
    return this.#defer(job, printJobCall(call), options)
  }

  /**
   * Defers a job once for each input, as fast as the broker takes them. Either every input is what the job's schema says,
   * or none is sent.
   *
   * @returns the handles, in the inputs' order
   * @throws DeferManyError where some were not accepted; it holds the handles of the others
   */
  async deferMany<Input, Output>(
    job: JobReference<Input, Output>,
    inputs: readonly Input[],
    options: DeferManyOptions = {},
  ): Promise<DeferredJob<WireValue<Output>>[]> {
    const accepted = new Map<number, DeferredJob<WireValue<Output>>>()
    const failures = new Map<number, unknown>()
    const payloads: Uint8Array[] = []
    for (const [index, input] of inputs.entries()) {
      try {
        payloads.push(printJobCall(await job.prepareCall(input)))
      } catch (error) {
        failures.set(index, error)
      }
    }
    if (failures.size > 0) throw new DeferManyError(job.name, accepted, failures)
    const entries = payloads.entries()
    // Each takes the next payload as soon as its last one is accepted, so that no more than these wait.
    const takeTurns = async () => {
      for (const [index, payload] of entries) {
        try {
          accepted.set(index, await this.#defer(job, payload, options))
        } catch (error) {
          failures.set(index, error)
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(this.#options.maxInFlight, inputs.length) }, takeTurns))
    if (failures.size > 0) throw new DeferManyError(job.name, accepted, failures)
    return [...accepted].sort(([a], [b]) => a - b).map(([, handle]) => handle)
  }

  /**
   * Has a scheduler run a job again and again. A schedule of the same job with the same input is replaced. Resolves when
   * the scheduler has it in its store.
   *
   * @throws as {@link defer}; ClientError `CLIENT_OPTIONS` for neither or both of `everySeconds` and `cron`
   * @example
   * await client.schedule(cleanUp, { olderThanDays: 30 }, { cron: '0 4 * * *', timeZone: 'Europe/Berlin' })
   */
  async schedule<Input, Output>(
    job: JobReference<Input, Output>,
    input: Input,
    options: ScheduleOptions,
  ): Promise<void> {
    const timing = timingOf(options)
    const headers = scheduleHeaders(job.defaults, options)
    const payload = printJobCall(await job.prepareCall(input))
    const queue = queueName(options.queue ?? job.queue)
    const message: Message = { type: 'SCHEDULE', id: this.#idOf(options), queue, headers, timing, payload }
    const expects = expectationOf(message, this.#options.dialect)
    await this.#submit({ message, expects, what: `the schedule of ${job.name}` }, options)
  }

  /**
   * Ends the schedule of a job with this input, whatever its times are. Resolves when the schedulers have forgotten it.
   *
   * @throws as {@link defer}
   */
  async unschedule<Input, Output>(
    job: JobReference<Input, Output>,
    ...[input, options = {}]: InputArguments<Input, SubmitOptions>
  ): Promise<void> {
    checkSubmitOptions(options)
    const payload = printJobCall(await job.prepareCall(input as Input))
    const queue = queueName(options.queue ?? job.queue)
    const headers = makeHeaders({ guarantee: true })
    const message: Message = { type: 'UNSCHEDULE', id: this.#idOf(options), queue, headers, timing: undefined, payload }
    const expects = expectationOf(message, this.#options.dialect)
    await this.#submit({ message, expects, what: `the end of the schedule of ${job.name}` }, options)
  }

  /**
   * The job together with this client.
   *
   * @example
   * const wordCounts = client.bind(wordCount)
   * await wordCounts.delay({ text: 'to be or not to be' })
   */
  bind<Input, Output>(job: JobReference<Input, Output>): BoundJob<Input, Output> {
    return {
      job,
      delay: (...call) => this.defer(job, ...call),
      delayMany: (inputs, options) => this.deferMany(job, inputs, options),
      schedule: (input, options) => this.schedule(job, input, options),
      unschedule: (...call) => this.unschedule(job, ...call),
    }
  }

  /**
   * Hangs up. What was sent still leaves; whoever waits for an ACK or a result gets `CLIENT_STOPPED`. Calling it again
   * gives the same promise.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#end()
    return this.#stopping
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #defer<Input, Output>(
    job: JobReference<Input, Output>,
    payload: Uint8Array,
    options: DeferOptions,
  ): Promise<DeferredJob<WireValue<Output>>> {
    const headers = requestHeaders(job.defaults, options)
    const queue = queueName(options.queue ?? job.queue)
    const message: Message = { type: 'REQUEST', id: this.#idOf(options), queue, headers, payload }
    const expects = expectationOf(message, this.#options.dialect)
    const what = `job ${job.name}`
    const handle = new DeferredJob<WireValue<Output>>(message.id, what, expects.answer, this.#held)
    await this.#submit({ message, expects, what, handle }, options)
    return handle
  }

  #idOf({ id = this.#options.newId() }: SubmitOptions): MessageId {
    return messageId(id)
  }

  /** Hands a message to the core and waits until it is accepted. */
  async #submit(submission: Submission, options: SubmitOptions): Promise<void> {
    const { message, expects, what, handle } = submission
    const { signal, acceptTimeoutMs: timeoutMs = this.#options.acceptTimeoutMs } = options
    const { maxInFlight, maxQueued, clock, broker } = this.#options
    signal?.throwIfAborted()
    await this.start()
    if (this.#stopping !== undefined) throw stoppedError(what)
    const { id } = message
    if (this.#calls.has(id)) {
      const found = `a message under the id ${id} is on its way, or its answer is still to come`
      throw new ClientError('CLIENT_DUPLICATE_ID', `${what}: ${found}; use another id`)
    }
    if (this.#inFlight.unaccepted >= maxInFlight + maxQueued) {
      const found = `${maxInFlight} messages to ${broker} are out (maxInFlight) and ${maxQueued} wait (maxQueued)`
      throw new ClientError('CLIENT_FULL', `${what}: ${found}; await some before the next one`)
    }
    const accepted = this.#calls.add(id, what, expects.answer, handle)
    this.#apply(this.#inFlight.submit(message, expects, clock.now()))
    try {
      await wait(accepted, { timeoutMs, signal }, () => this.#notAccepted(id, what, timeoutMs))
    } catch (error) {
      this.#forget(id)
      throw error
    }
  }

  #apply(effects: readonly ClientEffect[]): void {
    for (const effect of effects) this.#perform(effect)
    this.#arm()
  }

  #perform(effect: ClientEffect): void {
    switch (effect.type) {
      case 'send':
        void this.#send(effect.command)
        return
      case 'accepted':
        this.#calls.accepted(effect.id)
        return
      case 'refused': {
        const { id, failure } = effect
        this.#calls.settle(id, (what) => ({ kind: 'error', error: new RefusedError(id, what, failure) }))
        return
      }
      case 'answered': {
        const { id, result } = effect
        this.#calls.settle(id, (what) => outcomeOf(id, what, result))
        return
      }
      case 'dispatched':
        this.#tellOldRouter()
        this.#calls.settle(effect.id, () => ({ kind: 'dispatched' }))
        return
      case 'unexpected':
        this.#options.log.debug({ command: effect.command.type }, 'the broker answers something that nobody waits for')
        return
    }
  }

  async #send(message: Message): Promise<void> {
    try {
      await this.#device.send(message)
      this.#apply(this.#inFlight.taken(message.id, this.#options.clock.now()))
    } catch (error) {
      this.#calls.reject(message.id, error)
      this.#forget(message.id)
    }
  }

  #forget(id: MessageId): void {
    this.#calls.remove(id)
    this.#apply(this.#inFlight.forget(id, this.#options.clock.now()))
  }

  /** Sees to it that the core is told the time when its next resend is due. */
  #arm(): void {
    if (this.#timer !== undefined || this.#stopping !== undefined) return
    const due = this.#inFlight.nextDeadline()
    if (due === undefined) return
    // Whatever is sent while the timer runs is due no earlier than after the shortest wait.
    const waitMs = Math.min(due - this.#options.clock.now().monotonicMs, this.#options.resendMinMs)
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#apply(this.#inFlight.time(this.#options.clock.now()))
      },
      Math.max(0, waitMs),
    )
  }

  #notAccepted(id: MessageId, what: string, timeoutMs: number): ClientError {
    const { broker } = this.#options
    const hint =
      this.#device.status === 'ready'
        ? 'the connection stands; is it the endpoint for clients (47291), and of a broker that acknowledges?'
        : 'there is no connection; is the broker running there?'
    const message = `${what}: no ACK from ${broker} within ${timeoutMs} ms: ${hint} To try again without running it twice, use the same id (${id})`
    return new ClientError('CLIENT_NOT_ACCEPTED', message)
  }

  #tellOldRouter(): void {
    const { dialect, log, broker } = this.#options
    if (dialect === '0.3' || this.#oldRouterTold) return
    this.#oldRouterTold = true
    log.warn(
      { broker },
      'the broker is a router of EventMQ 0.3, which runs a job twice if it is sent twice: set dialect: "0.3"',
    )
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer)
    this.#calls.settleAll(stoppedError)
    await this.#device.stop()
  }
}

function outcomeOf(id: MessageId, what: string, result: JobResult): JobOutcome {
  switch (result.kind) {
    case 'value':
      return { kind: 'value', value: result.value }
    case 'bytes':
      return { kind: 'value', value: result.bytes }
    case 'error':
      return { kind: 'error', error: new JobFailedError(id, what, result.error) }
  }
}

function stoppedError(what: string): ClientError {
  return new ClientError('CLIENT_STOPPED', `${what}: the client has stopped; what becomes of it is not known here`)
}
