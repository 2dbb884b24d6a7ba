// The worker (EventMQ's job manager): the shell that joins a device, the slots and the executor. REQUESTs come in from the
// broker; READY, REPLY and PROGRESS go back.

import { Device } from '@eventmq-ts/device'
import {
  type Command,
  type EmqpError,
  type JobFailure,
  type Log,
  type MessageId,
  messageId,
  printJobResult,
  RELEASED,
  type Request,
  silentLog,
} from '@eventmq-ts/emqp'
import { Slots, type SlotsEffect } from './core/slots.ts'
import { type ExecutorParts, execute } from './executor/executor.ts'
import { setDeadline } from './isolate/deadline.ts'
import { InlineIsolate } from './isolate/inline-isolate.ts'
import { JobRegistry } from './registry/job-registry.ts'
import { WorkerError } from './worker-error.ts'
import { checkSettings, type WorkerOptions, type WorkerSettings } from './worker-options.ts'

/** So many PROGRESS may wait for the connection. */
const progressRoom = 10_000

/** A run in progress, as the shell holds it. */
interface Run {
  readonly cancel: AbortController
  /** The REPLY's payload, once there is one. */
  payload: Uint8Array | undefined
}

/**
 * Offers slots to a broker and runs the jobs that it sends.
 *
 * @example
 * const worker = new Worker({
 *   broker: 'tcp://127.0.0.1:47290',
 *   jobs: await loadJobs([{ kind: 'jobs', module: './jobs.ts' }], process.cwd()),
 *   queues: [{ weight: 10, name: 'default' }],
 * })
 * await worker.start()
 * process.once('SIGTERM', () => worker.stop())
 * await worker.closed
 */
export class Worker implements AsyncDisposable {
  readonly #settings: WorkerSettings
  readonly #registry: JobRegistry
  readonly #parts: ExecutorParts
  readonly #slots: Slots
  readonly #device: Device
  readonly #log: Log
  readonly #newId: () => string
  readonly #runs = new Map<MessageId, Run>()
  readonly #registered = Promise.withResolvers<void>()
  readonly #drained = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<void>()
  /** PROGRESS that the connection has not taken yet. */
  #progressWaiting = 0
  #progressDropped = false
  #stopping: Promise<void> | undefined

  /** @throws WorkerError `WORKER_OPTION`, `WORKER_DUPLICATE_JOB`; DeviceError `DEVICE_OPTIONS` */
  constructor(options: WorkerOptions) {
    this.#settings = checkSettings(options)
    const { broker, dialect, queues, concurrency } = this.#settings
    const {
      jobs,
      isolate = new InlineIsolate(),
      routingId,
      heartbeatIntervalMs,
      silenceLimitMs,
      log,
      clock,
      newId,
    } = options
    this.#registry = new JobRegistry(jobs)
    this.#slots = new Slots(concurrency)
    this.#log = log ?? silentLog
    this.#newId = newId ?? (() => crypto.randomUUID())
    this.#device = new Device({
      address: broker,
      registration: { role: 'worker', queues },
      freshRoutingIds: dialect === '0.3',
      // Room for a READY and a REPLY a slot, for what is given back, and for progress.
      sendLimit: 2 * concurrency + 10_000 + progressRoom,
      routingId,
      heartbeatIntervalMs,
      silenceLimitMs,
      log,
      clock,
      newId,
      onReady: () => {
        this.#registered.resolve()
        this.#carryOut(this.#slots.registered())
      },
      onLost: () => this.#carryOut(this.#slots.lost()),
      onCommand: (command) => this.#receive(command),
      onOffence: (error) => this.#refuse(error),
    })
    this.#parts = {
      registry: this.#registry,
      isolate,
      log: this.#log,
      sendProgress: (request, value) => this.#sendProgress(request, value),
    }
  }

  /** The names of the jobs it runs, sorted. */
  get jobs(): readonly string[] {
    return this.#registry.names
  }

  /** How many jobs run now. */
  get running(): number {
    return this.#slots.running
  }

  /** Resolves when the broker has registered the worker for the first time. */
  get registered(): Promise<void> {
    return this.#registered.promise
  }

  /** Resolves when the worker has stopped, whoever asked for it. */
  get closed(): Promise<void> {
    return this.#closed.promise
  }

  /**
   * Begins to dial the broker. Resolves at once, whether or not it is there; see {@link registered}.
   *
   * @throws WorkerError `WORKER_STATE` after `stop`; DeviceError `DEVICE_ADDRESS`
   */
  async start(): Promise<void> {
    if (this.#stopping !== undefined) throw new WorkerError('WORKER_STATE', 'the worker was stopped; make a new one')
    await this.#device.start()
  }

  /**
   * Says KBYE, takes nothing more, lets what runs finish within `killGraceMs` and sends its REPLYs, gives the rest back
   * to the broker, and hangs up. Calling it again gives the same promise.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#end()
    return this.#stopping
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #end(): Promise<void> {
    this.#device.leave()
    this.#carryOut(this.#slots.drain())
    const cancel = setDeadline(this.#settings.killGraceMs, () => this.#carryOut(this.#slots.graceOver()))
    await this.#drained.promise
    cancel()
    await this.#device.stop()
    await this.#closeIsolate()
    this.#closed.resolve()
  }

  /** Everything has been answered; an isolate that does not close in order must not keep the worker. */
  async #closeIsolate(): Promise<void> {
    try {
      await this.#parts.isolate.close()
    } catch (err) {
      this.#log.error({ err }, 'the isolate of jobs did not close in order')
    }
  }

  #receive(command: Command): void {
    switch (command.type) {
      case 'REQUEST':
        this.#carryOut(this.#slots.take(command))
        return
      case 'DISCONNECT':
        this.#log.info({ message: command.id }, 'the broker told this worker to DISCONNECT; it finishes and stops')
        void this.stop()
        return
      default:
        this.#log.warn({ command: command.type, message: command.id }, `${command.type} is not for a worker; ignored`)
    }
  }

  /** A REQUEST that cannot be read has used a slot, and somebody may wait for its REPLY. */
  #refuse(error: EmqpError): void {
    if (error.command !== 'REQUEST') return
    const { name, message, code, messageId: request } = error
    if (request !== undefined) this.#reply(request, failurePayload({ name, message, code }))
    this.#carryOut(this.#slots.unreadable())
  }

  #carryOut(effects: readonly SlotsEffect[]): void {
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: SlotsEffect): void {
    switch (effect.type) {
      case 'announce':
        for (let i = 0; i < effect.count; i++) void this.#send({ type: 'READY', id: this.#nextId() })
        return
      case 'perform':
        void this.#run(effect.request)
        return
      case 'joined':
        this.#log.warn({ job: effect.request.id }, 'the broker sent a job that runs here already; it runs once')
        return
      case 'reply': {
        const payload = this.#runs.get(effect.request.id)?.payload
        this.#runs.delete(effect.request.id)
        if (payload !== undefined && effect.request.headers.replyRequested) this.#reply(effect.request.id, payload)
        return
      }
      case 'release': {
        const message = releaseText[effect.reason]
        this.#log.warn({ job: effect.request.id, queue: effect.request.queue }, `given back to the broker: ${message}`)
        this.#reply(effect.request.id, failurePayload({ name: 'Released', message, code: RELEASED }))
        return
      }
      case 'abort':
        this.#runs.get(effect.id)?.cancel.abort(new DOMException('the worker has to leave', 'AbortError'))
        this.#runs.delete(effect.id)
        return
      case 'drained':
        this.#drained.resolve()
        return
    }
  }

  async #run(request: Request): Promise<void> {
    const run: Run = { cancel: new AbortController(), payload: undefined }
    this.#runs.set(request.id, run)
    const { payload } = await execute(this.#parts, request, run.cancel.signal)
    run.payload = payload
    this.#carryOut(this.#slots.ended(request.id))
  }

  #sendProgress(request: MessageId, value: unknown): void {
    // A job may still speak after it was given up; nobody listens then.
    if (!this.#runs.has(request)) return
    const payload = printJobResult({ kind: 'value', value })
    if (this.#progressWaiting >= progressRoom) {
      this.#dropProgress(request)
      return
    }
    this.#progressWaiting++
    void this.#send({ type: 'PROGRESS', id: this.#nextId(), request, payload }).finally(() => {
      this.#progressWaiting--
      if (this.#progressWaiting === 0) this.#progressDropped = false
    })
  }

  /** Progress may be missed. It must not take the room of a REPLY or a READY, which may not. */
  #dropProgress(request: MessageId): void {
    if (this.#progressDropped) return
    this.#progressDropped = true
    const message = `${progressRoom} PROGRESS wait for the broker already; more of it is dropped until they are sent`
    this.#log.warn({ job: request }, message)
  }

  #reply(request: MessageId, payload: Uint8Array): void {
    void this.#send({ type: 'REPLY', kind: 'result', id: this.#nextId(), request, payload })
  }

  #send(command: Command): Promise<void> {
    return this.#device.send(command).catch((err: unknown) => {
      this.#log.error({ command: command.type, err }, `${command.type} could not be sent`)
    })
  }

  #nextId(): MessageId {
    return messageId(this.#newId())
  }
}

const releaseText = {
  leaving: 'this worker leaves and takes nothing more',
  'grace-over': 'this worker had to leave before the job was done',
  'no-slot': 'this worker has no free slot, and had offered none',
} as const

function failurePayload(error: JobFailure): Uint8Array {
  return printJobResult({ kind: 'error', error })
}
