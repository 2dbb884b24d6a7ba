// What a device's life is made of: the states it can be in, the events that move it, and the effects that its shell
// carries out. `transition.ts` holds the moves.

import type { Command, MessageId, MonotonicMs, Role, WeightedQueue } from '@eventmq-ts/emqp'

/** As what a device registers. A client registers as nothing. */
export type Registration =
  | { readonly role: Extract<Role, 'worker'>; readonly queues: readonly WeightedQueue[] }
  | { readonly role: Extract<Role, 'scheduler'> }

/** Why a device that was ready no longer is. It comes back by itself unless it was stopped. */
export type LostReason =
  /** The connection ended. */
  | 'disconnected'
  /** The connection stands, but the router has not been heard within the limit. */
  | 'silent'
  /** The router said KBYE. Running jobs' REPLYs still go out; the router gives no new work. */
  | 'farewell'

/** Where a device is in its life. */
export type DeviceState =
  | { readonly at: 'idle' }
  /** A connection is being made, for as long as it takes. `attempt` counts dials since the device was last ready. */
  | { readonly at: 'dialing'; readonly attempt: number }
  /** INFORM is out, its ACK is not here. */
  | {
      readonly at: 'informing'
      readonly attempt: number
      readonly inform: MessageId
      readonly answerBy: MonotonicMs
    }
  /** Registered (a client: connected). */
  | { readonly at: 'ready'; readonly heartbeatAt: MonotonicMs; readonly silentAt: MonotonicMs }
  /** The router said KBYE and has not closed the connection. */
  | { readonly at: 'dismissed'; readonly heartbeatAt: MonotonicMs; readonly silentAt: MonotonicMs }
  /** Hung up; the next dial comes after a pause. */
  | { readonly at: 'pausing'; readonly attempt: number; readonly dialAt: MonotonicMs }
  /** KBYE is out: what is running may still be answered, nothing new is taken. */
  | { readonly at: 'leaving'; readonly heartbeatAt: MonotonicMs }
  | { readonly at: 'stopped' }

/** What happens to a device. */
export type DeviceEvent =
  | { readonly type: 'start' }
  /** The connection's handshake is done. */
  | { readonly type: 'connected' }
  /** The connection ended; the socket makes a new one by itself. */
  | { readonly type: 'disconnected' }
  /** The socket gave up; it has to be replaced. */
  | { readonly type: 'broken' }
  | { readonly type: 'received'; readonly command: Command }
  /** Something came that is no command: a sign of life all the same. */
  | { readonly type: 'received-offence' }
  /** A deadline may be due. While this side did not listen (busy, or asleep), silence is not the router's. */
  | { readonly type: 'time'; readonly listening: boolean }
  /** The role wants to go: farewell now, `stop` later. */
  | { readonly type: 'leave' }
  | { readonly type: 'stop' }

/** What the shell has to do, in order. */
export type DeviceEffect =
  | { readonly type: 'dial' }
  | { readonly type: 'hang-up' }
  | { readonly type: 'send'; readonly command: Command }
  | { readonly type: 'deliver'; readonly command: Command }
  | { readonly type: 'ready' }
  | { readonly type: 'lost'; readonly reason: LostReason }
  /** The router answers no INFORM, or refuses it. */
  | { readonly type: 'not-registered'; readonly answer: Command | undefined }

/** What the moves depend on besides state, event and time. */
export interface DeviceSetup {
  /** Absent: a client, which is ready as soon as it is connected and measures no silence. */
  readonly registration: Registration | undefined
  /** The router hands no routing id over, so each connection needs one of its own: none is made anew by the socket. */
  readonly freshRoutingIds: boolean
  readonly heartbeatIntervalMs: number
  readonly silenceLimitMs: number
  readonly answerTimeoutMs: number
  readonly pauseMinMs: number
  readonly pauseMaxMs: number
  readonly newMessageId: () => MessageId
  /** From 0 (inclusive) to 1 (exclusive); spreads devices that lost the same router. */
  readonly random: () => number
}
