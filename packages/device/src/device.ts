// One eMQP peer on its connection to a router: the shell that gives the pure core a connection and a timer, and its role
// what comes in. Every event goes through `#feed`, which moves the state and carries the effects out in order.

import { type Command, decode, encode, messageId } from '@eventmq-ts/emqp'
import { Connection } from './connection.ts'
import type { DeviceEffect, DeviceEvent, DeviceSetup, DeviceState } from './core/device-state.ts'
import { nextDeadline, transition } from './core/transition.ts'
import { type CompleteDeviceOptions, completeOptions, type DeviceOptions } from './device-options.ts'
import { DeviceError } from './error.ts'
import { OffenceRecord } from './offence-record.ts'
import { SendQueue } from './send-queue.ts'

/** A timer that comes later than this was held up by the program itself, which then had not listened either. */
const heldUpMs = 1_000

/**
 * A peer of a router: dials it, registers by INFORM, keeps HEARTBEATs going both ways, notices when the router is gone,
 * comes back, and takes its leave by KBYE. What it is for is up to its role: a worker, a scheduler or a client.
 *
 * @example
 * const device = new Device({
 *   address: 'tcp://127.0.0.1:47290',
 *   registration: { role: 'worker', queues: [{ weight: 10, name: queueName('default') }] },
 *   onReady: () => device.send({ type: 'READY', id: messageId(crypto.randomUUID()) }),
 *   onCommand: (command) => console.log(command.type),
 * })
 * await device.start()
 */
export class Device {
  readonly #options: CompleteDeviceOptions
  readonly #setup: DeviceSetup
  readonly #queue = new SendQueue()
  readonly #offences: OffenceRecord
  #state: DeviceState = { at: 'idle' }
  #connection: Connection | undefined
  #dials = 0
  #timer: { readonly at: number; readonly handle: ReturnType<typeof setTimeout> } | undefined
  /** Commands that the role holds; nothing more is read until it lets go. */
  #held = 0
  /** What the role gave back for the command that was just delivered. */
  #delivered: Promise<void> | undefined
  #pumping = false
  #heartbeatWaits = false
  #starting: Promise<void> | undefined
  #stopping: Promise<void> | undefined

  /** @throws DeviceError `DEVICE_OPTIONS` */
  constructor(options: DeviceOptions) {
    this.#options = completeOptions(options)
    this.#offences = new OffenceRecord(this.#options.log)
    this.#setup = { ...this.#options, newMessageId: () => messageId(this.#options.newId()) }
  }

  /** The name under which the router knows this peer now. */
  get routingId(): string {
    const { routingId, freshRoutingIds } = this.#options
    return freshRoutingIds && this.#dials > 1 ? `${routingId}.${this.#dials}` : routingId
  }

  /** Where the device is in its life. */
  get status(): DeviceState['at'] {
    return this.#state.at
  }

  /** How many messages of the router could not be read, by the codec's error code. */
  get offences(): ReadonlyMap<string, number> {
    return this.#offences.counts
  }

  /**
   * Begins to dial. Resolves at once, whether or not the router is there: `onReady` tells when it is. Calling it again
   * gives the same promise.
   *
   * @throws DeviceError `DEVICE_ADDRESS`, `DEVICE_STOPPED`
   */
  start(): Promise<void> {
    this.#starting ??= this.#begin()
    return this.#starting
  }

  /**
   * Sends a command. Waits while the device is not ready and while the connection has no room; resolves when the
   * connection has taken it, which does not mean that the router has it.
   *
   * READY belongs to a registration: one that cannot be sent in it is dropped and its promise resolves, since `onReady`
   * asks for it anew.
   *
   * @throws DeviceError `DEVICE_NOT_STARTED`, `DEVICE_STOPPED`, `DEVICE_FULL`; EmqpError where the command does not fit
   */
  async send(command: Command): Promise<void> {
    if (this.#state.at === 'idle') throw new DeviceError('DEVICE_NOT_STARTED', 'send before start; await start() first')
    if (this.#state.at === 'stopped' || this.#stopping !== undefined) throw stoppedError()
    if (command.type === 'READY' && this.#state.at !== 'ready') return
    const frames = encode(command, this.#options.dialect)
    const { sendLimit, address } = this.#options
    if (this.#queue.length >= sendLimit) {
      const message = `${sendLimit} messages to ${address} wait already (sendLimit); await send() before the next one`
      throw new DeviceError('DEVICE_FULL', message)
    }
    const sent = this.#queue.add(frames, command.type === 'READY')
    void this.#pump()
    return sent
  }

  /**
   * Says KBYE: the router gives nothing more, `send` still works (for the REPLYs of what runs), READYs are dropped.
   * `stop` ends it. A device that leaves does not register again.
   */
  leave(): void {
    this.#feed({ type: 'leave' })
    this.#queue.dropOfRegistration()
  }

  /**
   * Says KBYE if that has not been done, waits up to `farewellTimeoutMs` for what was given to `send`, and hangs up. What
   * is left then is rejected with `DEVICE_STOPPED`. Calling it again gives the same promise.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#end()
    return this.#stopping
  }

  async #begin(): Promise<void> {
    if (this.#state.at === 'stopped') throw stoppedError()
    try {
      this.#feed({ type: 'start' })
    } catch (cause) {
      this.#feed({ type: 'stop' })
      const message = `cannot dial ${JSON.stringify(this.#options.address)}: expected "tcp://host:port"`
      throw new DeviceError('DEVICE_ADDRESS', message, { cause })
    }
  }

  async #end(): Promise<void> {
    await this.#drain()
    this.#feed({ type: 'stop' })
    this.#queue.close(stoppedError())
  }

  /** Waits until everything that can be sent has been sent, or for as long as a farewell may take. */
  async #drain(): Promise<void> {
    if (!this.#canSend()) return
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, this.#options.farewellTimeoutMs)
    await Promise.race([this.#queue.whenEmpty(), timeout.promise])
    clearTimeout(timer)
  }

  #feed(event: DeviceEvent): void {
    const { state, effects } = transition(this.#state, event, this.#options.clock.now(), this.#setup)
    this.#state = state
    for (const effect of effects) this.#perform(effect)
    this.#arm()
  }

  #perform(effect: DeviceEffect): void {
    const { address, log } = this.#options
    switch (effect.type) {
      case 'dial':
        this.#dials++
        this.#connection = this.#dial()
        return
      case 'hang-up':
        this.#connection?.close(this.#state.at === 'stopped' ? this.#options.farewellTimeoutMs : 0)
        this.#connection = undefined
        return
      case 'send':
        this.#sendOwn(effect.command)
        return
      case 'ready':
        log.info({ address, routingId: this.routingId }, 'connected to the router')
        this.#callRole('onReady', () => this.#options.onReady())
        void this.#pump()
        return
      case 'lost':
        log.warn({ address, reason: effect.reason }, lostText[effect.reason])
        this.#queue.dropOfRegistration()
        this.#callRole('onLost', () => this.#options.onLost(effect.reason))
        return
      case 'not-registered': {
        const hint = 'does the address name the endpoint for this role (workers 47290, schedulers 47291)?'
        const answer = effect.answer === undefined ? 'did not answer INFORM in time' : 'refused INFORM'
        log.warn({ address, answer: effect.answer }, `the router ${answer}; trying again. ${hint}`)
        return
      }
      case 'deliver':
        this.#delivered = this.#callRole('onCommand', () => this.#options.onCommand(effect.command))
        return
    }
  }

  #dial(): Connection {
    const { address, registration, heartbeatIntervalMs, silenceLimitMs, log } = this.#options
    // A registered peer hears eMQP's own heartbeats; a client hears none, so ZMTP's have to find a dead connection.
    const zmtpHeartbeat = { intervalMs: heartbeatIntervalMs, timeoutMs: silenceLimitMs }
    const settings = {
      address,
      routingId: this.routingId,
      zmtpHeartbeat: registration === undefined ? zmtpHeartbeat : undefined,
    }
    let refusalTold = false
    return new Connection(settings, {
      connected: () => {
        refusalTold = false
        this.#feed({ type: 'connected' })
      },
      disconnected: () => this.#feed({ type: 'disconnected' }),
      received: (frames) => this.#received(frames),
      refused: (err) => {
        if (!refusalTold)
          log.warn({ address, err }, `${address} does not answer as a router; trying on: ${err.message}`)
        refusalTold = true
      },
      broken: (error) => this.#broken(error),
    })
  }

  #broken(err: unknown): void {
    this.#options.log.error({ address: this.#options.address, err }, 'the connection broke; making a new one')
    this.#feed({ type: 'broken' })
  }

  #received(frames: readonly Uint8Array[]): Promise<void> | undefined {
    const decoded = decode(frames, { receiver: 'peer', dialect: this.#options.dialect })
    if (!decoded.ok) {
      this.#offences.add(decoded.error)
      this.#callRole('onOffence', () => this.#options.onOffence(decoded.error))
      this.#feed({ type: 'received-offence' })
      return undefined
    }
    this.#feed({ type: 'received', command: decoded.command })
    const held = this.#delivered
    this.#delivered = undefined
    if (held === undefined) return undefined
    this.#held++
    return held.finally(() => this.#held--)
  }

  /** Calls into the role. What it throws is the role's fault: logged here, and nothing stops for it. */
  #callRole(hook: string, call: () => void | Promise<void>): Promise<void> | undefined {
    const failed = (err: unknown) => this.#options.log.error({ hook, err }, `${hook} of the device's role failed`)
    try {
      return call()?.catch(failed)
    } catch (error) {
      failed(error)
      return undefined
    }
  }

  /** The device's own commands go before everything that waits. */
  #sendOwn(command: Command): void {
    const isHeartbeat = command.type === 'HEARTBEAT'
    if (this.#connection === undefined || (isHeartbeat && this.#heartbeatWaits)) return
    if (isHeartbeat) this.#heartbeatWaits = true
    this.#connection
      .send(encode(command, this.#options.dialect))
      // It only fails when the connection is closed, and then it means nothing to the next one.
      .catch(() => undefined)
      .finally(() => {
        if (isHeartbeat) this.#heartbeatWaits = false
      })
  }

  #canSend(): boolean {
    return this.#connection !== undefined && ['ready', 'dismissed', 'leaving'].includes(this.#state.at)
  }

  /** Hands what waits to the connection, one message after the other, for as long as that is possible. */
  async #pump(): Promise<void> {
    if (this.#pumping) return
    this.#pumping = true
    while (this.#canSend()) {
      const message = this.#queue.take()
      if (message === undefined) break
      const connection = this.#connection
      try {
        await connection?.send(message.frames)
        this.#queue.done(message)
      } catch (error) {
        // The connection was closed under it. What is worth sending in the next registration waits for that.
        if (message.ofRegistration) this.#queue.done(message)
        else this.#queue.putBack(message)
        if (this.#connection === connection) this.#broken(error)
      }
    }
    this.#pumping = false
  }

  /** Sees to it that a `time` event comes no later than the state's next deadline; a timer that is early is left alone. */
  #arm(): void {
    const deadline = nextDeadline(this.#state)
    if (deadline === undefined) {
      clearTimeout(this.#timer?.handle)
      this.#timer = undefined
      return
    }
    if (this.#timer !== undefined && this.#timer.at <= deadline) return
    clearTimeout(this.#timer?.handle)
    const waitMs = Math.max(0, deadline - this.#options.clock.now().monotonicMs)
    this.#timer = { at: deadline, handle: setTimeout(() => this.#timeIsUp(deadline), waitMs) }
  }

  #timeIsUp(dueAt: number): void {
    this.#timer = undefined
    const lateMs = this.#options.clock.now().monotonicMs - dueAt
    this.#feed({ type: 'time', listening: this.#held === 0 && lateMs < heldUpMs })
  }
}

const lostText = {
  disconnected: 'the connection to the router ended; making it anew',
  silent: 'the router has been silent beyond the limit; dialing it anew',
  farewell: 'the router said KBYE; it gives no more work until it is back',
} as const

function stoppedError(): DeviceError {
  return new DeviceError('DEVICE_STOPPED', 'the device has stopped; the message was not sent')
}
