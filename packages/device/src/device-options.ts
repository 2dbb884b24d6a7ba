// What a device is made of, with its defaults, and the check that a program's values are in range.

import {
  type Clock,
  type Command,
  type Dialect,
  EmqpError,
  encode,
  LIMITS,
  type Log,
  messageId,
  silentLog,
  systemClock,
} from '@eventmq-ts/emqp'
import type { LostReason, Registration } from './core/device-state.ts'
import { DeviceError } from './error.ts'

/** What {@link Device} takes. */
export interface DeviceOptions {
  /** Where the router is: `tcp://host:port`. Workers dial 47290, clients and schedulers 47291. */
  readonly address: string
  /** As what to register by INFORM. Absent: a client, which registers as nothing. */
  readonly registration?: Registration | undefined
  /**
   * The name under which the router knows this peer, kept over all reconnects: 1 to 255 characters of printable ASCII.
   * Default: a random uuid.
   */
  readonly routingId?: string | undefined
  /**
   * For routers of EventMQ 0.3, which do not hand a routing id over: a peer that comes back before they have noticed that
   * it went would be ignored. So each connection after the first gets an id of its own, `<routingId>.<n>`.
   */
  readonly freshRoutingIds?: boolean | undefined
  /** The frames' layout, both ways. Default: `0.3`, which is what everyone speaks. */
  readonly dialect?: Dialect | undefined
  /** Milliseconds from one HEARTBEAT to the next, 10 to 3,600,000. Default 3,000. */
  readonly heartbeatIntervalMs?: number | undefined
  /** After so many milliseconds without a word the router is taken for lost, 10 to 3,600,000. Default 15,000. */
  readonly silenceLimitMs?: number | undefined
  /** How long to wait for the ACK of an INFORM, in milliseconds from the connection's handshake. Default 5,000. */
  readonly answerTimeoutMs?: number | undefined
  /** The pause before the second dial, in milliseconds; it doubles with each, and is shortened at random by up to half. */
  readonly pauseMinMs?: number | undefined
  /** The longest pause, in milliseconds. Default 10,000. */
  readonly pauseMaxMs?: number | undefined
  /** How long `stop` waits for messages that were given to `send`, and lingers for the rest. Default 1,000. */
  readonly farewellTimeoutMs?: number | undefined
  /** How many messages may wait in `send`, 1 to 1,000,000. Default 10,000. */
  readonly sendLimit?: number | undefined
  /**
   * A command from the router; HEARTBEAT, KBYE and the ACK of INFORM are the device's own. While a returned promise is
   * open, nothing more is taken from the router.
   */
  readonly onCommand: (command: Command) => void | Promise<void>
  /** Something came that is no command; it has been counted and logged. A worker answers a REQUEST that it cannot read. */
  readonly onOffence?: ((error: EmqpError) => void | Promise<void>) | undefined
  /** Registered (a client: connected): at first, and again after each loss. A worker says READY for each free slot now. */
  readonly onReady?: (() => void | Promise<void>) | undefined
  /** No longer registered. The device comes back by itself; what the router gave out before is void when it does. */
  readonly onLost?: ((reason: LostReason) => void | Promise<void>) | undefined
  readonly log?: Log | undefined
  readonly clock?: Clock | undefined
  /** Where message ids and routing ids come from. Default: random uuids. */
  readonly newId?: (() => string) | undefined
  /** From 0 (inclusive) to 1 (exclusive). Default `Math.random`. */
  readonly random?: (() => number) | undefined
}

/** The options with every default filled in. */
export type CompleteDeviceOptions = {
  readonly [K in keyof Omit<DeviceOptions, 'registration'>]-?: Exclude<DeviceOptions[K], undefined>
} & { readonly registration: Registration | undefined }

const longestMs = 3_600_000
const ranges = {
  heartbeatIntervalMs: { minimum: 10, maximum: longestMs, standard: 3_000 },
  silenceLimitMs: { minimum: 10, maximum: longestMs, standard: 15_000 },
  answerTimeoutMs: { minimum: 10, maximum: longestMs, standard: 5_000 },
  pauseMinMs: { minimum: 1, maximum: longestMs, standard: 100 },
  pauseMaxMs: { minimum: 1, maximum: longestMs, standard: 10_000 },
  farewellTimeoutMs: { minimum: 0, maximum: longestMs, standard: 1_000 },
  sendLimit: { minimum: 1, maximum: 1_000_000, standard: 10_000 },
} as const

const printableAscii = /^[\x21-\x7e]{1,255}$/

/** @throws DeviceError `DEVICE_OPTIONS` */
export function completeOptions(options: DeviceOptions): CompleteDeviceOptions {
  const newId = options.newId ?? (() => crypto.randomUUID())
  const routingId = options.routingId ?? newId()
  if (!printableAscii.test(routingId)) {
    throw new DeviceError(
      'DEVICE_OPTIONS',
      `routingId is ${JSON.stringify(routingId)}; expected 1 to 255 printable ASCII`,
    )
  }
  const heartbeatIntervalMs = inRange('heartbeatIntervalMs', options)
  const silenceLimitMs = inRange('silenceLimitMs', options)
  if (silenceLimitMs < heartbeatIntervalMs) {
    const found = `silenceLimitMs is ${silenceLimitMs}, less than heartbeatIntervalMs (${heartbeatIntervalMs})`
    throw new DeviceError('DEVICE_OPTIONS', `${found}; give the router time for several heartbeats`)
  }
  const dialect = options.dialect ?? '0.3'
  checkRegistration(options.registration, dialect)
  return {
    address: options.address,
    registration: options.registration,
    routingId,
    freshRoutingIds: options.freshRoutingIds ?? false,
    dialect,
    heartbeatIntervalMs,
    silenceLimitMs,
    answerTimeoutMs: inRange('answerTimeoutMs', options),
    pauseMinMs: inRange('pauseMinMs', options),
    pauseMaxMs: inRange('pauseMaxMs', options),
    farewellTimeoutMs: inRange('farewellTimeoutMs', options),
    sendLimit: inRange('sendLimit', options),
    onCommand: options.onCommand,
    onOffence: options.onOffence ?? (() => undefined),
    onReady: options.onReady ?? (() => undefined),
    onLost: options.onLost ?? (() => undefined),
    log: options.log ?? silentLog,
    clock: options.clock ?? systemClock,
    newId,
    random: options.random ?? Math.random,
  }
}

/** INFORM must be sendable: when the connection is there, nobody is left to be told. */
function checkRegistration(registration: Registration | undefined, dialect: Dialect): void {
  if (registration?.role !== 'worker') return
  const { queues } = registration
  if (queues.length > LIMITS.informQueues) {
    const message = `registration has ${queues.length} queues; expected at most ${LIMITS.informQueues}`
    throw new DeviceError('DEVICE_OPTIONS', message)
  }
  try {
    encode({ type: 'INFORM', id: messageId('check'), role: 'worker', queues }, dialect)
  } catch (cause) {
    if (!(cause instanceof EmqpError)) throw cause
    throw new DeviceError('DEVICE_OPTIONS', `registration does not fit into an INFORM: ${cause.message}`, { cause })
  }
}

function inRange(name: keyof typeof ranges, options: DeviceOptions): number {
  const { minimum, maximum, standard } = ranges[name]
  const value = options[name] ?? standard
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return value
  throw new DeviceError('DEVICE_OPTIONS', `${name} is ${value}; expected a whole number from ${minimum} to ${maximum}`)
}
