// Every option that is served, in one table: its number in libzmq, type, default and range, and whether it acts at
// once or with the next bind or connect. Sockets get their accessors from here.

import { emitWarning } from 'node:process'
import { ZeroMQError } from '../error.ts'
import type { OptionName, SocketSettings } from './settings.ts'

type OptionValue = boolean | number | string | null

interface OptionDefinition {
  /** The option's number in libzmq's zmq.h. */
  readonly id: number
  readonly default: OptionValue
  /** Smallest and largest number, or length of text in bytes. */
  readonly range?: readonly [number, number]
  /** Acts at once, also on what is bound or connected already. */
  readonly live?: true
}

const INT32_MAX = 2 ** 31 - 1
const FROM_MINUS_ONE = [-1, INT32_MAX] as const
const FROM_ZERO = [0, INT32_MAX] as const

/** A PING carries its time to live in tenths of a second, in 16 bits. */
const TIME_TO_LIVE_LIMIT_MS = 6_553_599

const OPTIONS: Readonly<Record<OptionName, OptionDefinition>> = {
  routingId: { id: 5, default: null, range: [1, 255] },
  linger: { id: 17, default: -1, range: FROM_MINUS_ONE, live: true },
  reconnectInterval: { id: 18, default: 100, range: FROM_MINUS_ONE },
  backlog: { id: 19, default: 100, range: FROM_ZERO },
  reconnectMaxInterval: { id: 21, default: 0, range: FROM_ZERO },
  maxMessageSize: { id: 22, default: -1, range: [-1, Number.MAX_SAFE_INTEGER] },
  sendHighWaterMark: { id: 23, default: 1_000, range: FROM_ZERO, live: true },
  receiveHighWaterMark: { id: 24, default: 1_000, range: FROM_ZERO, live: true },
  receiveTimeout: { id: 27, default: -1, range: FROM_MINUS_ONE, live: true },
  sendTimeout: { id: 28, default: -1, range: FROM_MINUS_ONE, live: true },
  mandatory: { id: 33, default: false, live: true },
  tcpKeepalive: { id: 34, default: -1, range: [-1, 1] },
  tcpKeepaliveIdle: { id: 36, default: -1, range: FROM_MINUS_ONE },
  immediate: { id: 39, default: false },
  ipv6: { id: 42, default: false },
  probeRouter: { id: 51, default: false, live: true },
  correlate: { id: 52, default: false, live: true },
  relaxed: { id: 53, default: false, live: true },
  handover: { id: 56, default: false, live: true },
  handshakeInterval: { id: 66, default: 30_000, range: FROM_ZERO },
  noDrop: { id: 69, default: false, live: true },
  heartbeatInterval: { id: 75, default: 0, range: FROM_ZERO },
  heartbeatTimeToLive: { id: 76, default: 0, range: [0, TIME_TO_LIVE_LIMIT_MS] },
  heartbeatTimeout: { id: 77, default: -1, range: FROM_MINUS_ONE },
  connectTimeout: { id: 79, default: 0, range: FROM_ZERO },
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** A new socket's values: the defaults, with those of its type in their place. */
export function defaultSettings(ofType: Partial<SocketSettings>): Writable<SocketSettings> {
  const defaults = Object.fromEntries(Object.entries(OPTIONS).map(([name, option]) => [name, option.default]))
  return { ...(defaults as unknown as SocketSettings), ...ofType }
}

/** What the accessors need of the socket on which they are called. */
export interface OptionHolder {
  /** @throws ZeroMQError ENOTSOCK when the socket is closed */
  openSettings(): Writable<SocketSettings>
  /** Whether anything is bound or connected. */
  readonly inUse: boolean
}

/** Gives a class the accessors of these options. `holderOf` finds the values of one of its instances. */
export function defineOptions<S extends object>(
  prototype: S,
  names: readonly (OptionName & keyof S)[],
  holderOf: (socket: S) => OptionHolder,
): void {
  for (const name of names) {
    Object.defineProperty(prototype, name, {
      enumerable: true,
      configurable: true,
      get(this: S) {
        return holderOf(this).openSettings()[name]
      },
      set(this: S, value: unknown) {
        const holder = holderOf(this)
        const settings: Record<OptionName, OptionValue> = holder.openSettings()
        settings[name] = checkOption(name, value)
        if (holder.inUse && OPTIONS[name].live !== true) {
          emitWarning('Socket option will not take effect until next connect/bind.')
        }
      },
    })
  }
}

/**
 * @returns the value as it is kept
 * @throws TypeError for a value of the wrong type; ZeroMQError EINVAL for one out of range
 */
function checkOption(name: OptionName, value: unknown): OptionValue {
  const option = OPTIONS[name]
  const [least, most] = option.range ?? [0, 0]
  if (typeof option.default === 'boolean') {
    if (typeof value !== 'boolean') throw new TypeError('Option value must be a boolean')
    return value
  }
  if (typeof option.default === 'number') {
    if (typeof value !== 'number') throw new TypeError('Option value must be a number')
    // Fractions are cut off, as npm zeromq does: half of an odd number of milliseconds is a common value.
    const whole = Math.trunc(value)
    if (!(whole >= least && whole <= most)) throw new ZeroMQError('EINVAL')
    return name === 'heartbeatTimeToLive' ? whole - (whole % 100) : whole
  }
  if (typeof value !== 'string' && value !== null) throw new TypeError('Option value must be a string or null')
  const length = value === null ? 0 : Buffer.byteLength(value)
  if (length < least || length > most) throw new ZeroMQError('EINVAL')
  return value
}
