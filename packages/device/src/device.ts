// One eMQP peer on its connection to a router: the shell that gives the pure core a socket, a timer and its role.

import type { Command } from '@eventmq-ts/emqp'
import type { DeviceState } from './core/device-state.ts'
import { type CompleteDeviceOptions, completeOptions, type DeviceOptions } from './device-options.ts'

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
  #state: DeviceState = { at: 'idle' }

  /** @throws DeviceError `DEVICE_OPTIONS` */
  constructor(options: DeviceOptions) {
    this.#options = completeOptions(options)
  }

  /** The name under which the router knows this peer now. */
  get routingId(): string {
    return this.#options.routingId
  }

  /** Where the device is in its life. */
  get status(): DeviceState['at'] {
    return this.#state.at
  }

  /** How much could not be read of what the router sent, by the codec's error code. */
  get offences(): ReadonlyMap<string, number> {
    return new Map()
  }

  /**
   * Begins to dial. Resolves at once, whether or not the router is there: `onReady` tells when it is. Calling it again
   * gives the same promise.
   *
   * @throws DeviceError `DEVICE_ADDRESS`, `DEVICE_STOPPED`
   */
  async start(): Promise<void> {}

  /**
   * Sends a command. Waits while the device is not ready (READY excepted, see below) and while the connection has no
   * room; resolves when the connection has taken it, which does not mean that the router has it.
   *
   * READY belongs to a registration: one that cannot be sent before the registration is lost is dropped and its promise
   * resolves, since `onReady` asks for it anew.
   *
   * @throws DeviceError `DEVICE_NOT_STARTED`, `DEVICE_STOPPED`, `DEVICE_FULL`; EmqpError where the command does not fit
   */
  async send(_command: Command): Promise<void> {}

  /**
   * Says KBYE: the router gives nothing more, `send` still works (for the REPLYs of what runs), READYs are dropped.
   * `stop` ends it. A device that leaves does not register again.
   */
  leave(): void {}

  /**
   * Says KBYE if that has not been done, waits up to `farewellTimeoutMs` for what was given to `send`, and hangs up. What
   * is left then is rejected with `DEVICE_STOPPED`. Calling it again gives the same promise.
   */
  async stop(): Promise<void> {}
}
