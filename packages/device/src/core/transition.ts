// A device's moves as one table: state and event to the next state and its effects. An event that a state's row does not
// name changes nothing. No I/O, no clock: time comes in with the event.

import type { Command, Heartbeat, Inform, MonotonicMs, Now } from '@eventmq-ts/emqp'
import type { DeviceEffect, DeviceEvent, DeviceSetup, DeviceState } from './device-state.ts'

/** Where a move leads. */
export interface Move {
  readonly state: DeviceState
  readonly effects: readonly DeviceEffect[]
}

type StateName = DeviceState['at']
type EventName = DeviceEvent['type']
type StateAt<S extends StateName> = Extract<DeviceState, { readonly at: S }>
type EventOf<E extends EventName> = Extract<DeviceEvent, { readonly type: E }>

/** One cell of the table; `undefined` means that nothing changes. */
type Cell<S extends StateName, E extends EventName> = (
  state: StateAt<S>,
  event: EventOf<E>,
  now: Now,
  setup: DeviceSetup,
) => Move | undefined

type Table = { readonly [S in StateName]: { readonly [E in EventName]?: Cell<S, E> } }

const hangUp: DeviceEffect = { type: 'hang-up' }

const table: Table = {
  idle: {
    start: () => move({ at: 'dialing', attempt: 1 }, { type: 'dial' }),
    stop: () => move({ at: 'stopped' }),
  },
  dialing: {
    connected: (state, _event, now, setup) => introduce(state.attempt, now, setup),
    broken: (state, _event, now, setup) => pause(state.attempt, now, setup),
    leave: (_state, _event, now, setup) => move(leaving(now, setup)),
    stop: () => move({ at: 'stopped' }, hangUp),
  },
  informing: {
    // The socket connected anew: what the router before it was told is not known to the one that is there now.
    connected: (state, _event, now, setup) => introduce(state.attempt, now, setup),
    disconnected: (state, _event, now, setup) => reconnect(state.attempt, now, setup),
    broken: (state, _event, now, setup) => pause(state.attempt, now, setup),
    received: (state, { command }, now, setup) => {
      if (command.type === 'ACK' && command.acknowledges === state.inform) return welcome(now, setup)
      if (command.type === 'REPLY' && 'request' in command && command.request === state.inform) {
        return pause(state.attempt, now, setup, { type: 'not-registered', answer: command })
      }
      return move(state, ...deliver(command))
    },
    time: (state, _event, now, setup) => {
      if (now.monotonicMs < state.answerBy) return undefined
      return pause(state.attempt, now, setup, { type: 'not-registered', answer: undefined })
    },
    leave: (_state, _event, now, setup) => move(leaving(now, setup), ...farewell(setup)),
    stop: (_state, _event, _now, setup) => move({ at: 'stopped' }, ...farewell(setup), hangUp),
  },
  ready: {
    connected: (_state, _event, now, setup) => {
      const { state, effects } = introduce(1, now, setup)
      return move(state, { type: 'lost', reason: 'disconnected' }, ...effects)
    },
    disconnected: (_state, _event, now, setup) => reconnect(1, now, setup, { type: 'lost', reason: 'disconnected' }),
    broken: (_state, _event, now, setup) => pause(1, now, setup, { type: 'lost', reason: 'disconnected' }),
    received: (state, { command }, now, setup) => {
      const heard = { ...state, silentAt: silentAt(now, setup) }
      // Only registered peers are told KBYE; to a client it would mean nothing.
      if (command.type !== 'KBYE' || setup.registration === undefined) return move(heard, ...deliver(command))
      return move({ ...heard, at: 'dismissed' }, { type: 'lost', reason: 'farewell' })
    },
    'received-offence': (state, _event, now, setup) => move({ ...state, silentAt: silentAt(now, setup) }),
    time: (state, { listening }, now, setup) => {
      if (isSilent(state, listening, now)) return pause(1, now, setup, { type: 'lost', reason: 'silent' })
      return beat(listening ? state : { ...state, silentAt: silentAt(now, setup) }, now, setup)
    },
    leave: (_state, _event, now, setup) => move(leaving(now, setup), ...farewell(setup)),
    stop: (_state, _event, _now, setup) => move({ at: 'stopped' }, ...farewell(setup), hangUp),
  },
  dismissed: {
    connected: (_state, _event, now, setup) => introduce(1, now, setup),
    disconnected: (_state, _event, now, setup) => reconnect(1, now, setup),
    broken: (_state, _event, now, setup) => pause(1, now, setup),
    received: (state, { command }, now, setup) => {
      const heard = { ...state, silentAt: silentAt(now, setup) }
      return move(heard, ...deliver(command))
    },
    'received-offence': (state, _event, now, setup) => move({ ...state, silentAt: silentAt(now, setup) }),
    time: (state, { listening }, now, setup) => {
      if (isSilent(state, listening, now)) return pause(1, now, setup)
      return beat(listening ? state : { ...state, silentAt: silentAt(now, setup) }, now, setup)
    },
    leave: (_state, _event, now, setup) => move(leaving(now, setup), ...farewell(setup)),
    stop: (_state, _event, _now, setup) => move({ at: 'stopped' }, ...farewell(setup), hangUp),
  },
  pausing: {
    time: (state, _event, now) => {
      if (now.monotonicMs < state.dialAt) return undefined
      return move({ at: 'dialing', attempt: state.attempt + 1 }, { type: 'dial' })
    },
    // Whoever leaves may still have answers to send, so the connection is made once more, without INFORM.
    leave: (_state, _event, now, setup) => move(leaving(now, setup), { type: 'dial' }),
    stop: () => move({ at: 'stopped' }),
  },
  leaving: {
    broken: () => move({ at: 'stopped' }, hangUp),
    received: (state, { command }) => move(state, ...deliver(command)),
    time: (state, _event, now, setup) => beat(state, now, setup),
    stop: () => move({ at: 'stopped' }, hangUp),
  },
  stopped: {},
}

/** Moves a device: the only way in which its state changes. */
export function transition(state: DeviceState, event: DeviceEvent, now: Now, setup: DeviceSetup): Move {
  // The table's type pairs each cell with its state and event; indexing by both unions loses that pairing.
  const cell = table[state.at][event.type] as Cell<StateName, EventName> | undefined
  return cell?.(state, event, now, setup) ?? { state, effects: [] }
}

/** When the next `time` event is due, or undefined where nothing is waited for. */
export function nextDeadline(state: DeviceState): MonotonicMs | undefined {
  switch (state.at) {
    case 'informing':
      return state.answerBy
    case 'ready':
    case 'dismissed':
      return finite(Math.min(state.heartbeatAt, state.silentAt))
    case 'pausing':
      return state.dialAt
    case 'leaving':
      return finite(state.heartbeatAt)
    default:
      return undefined
  }
}

function move(state: DeviceState, ...effects: DeviceEffect[]): Move {
  return { state, effects }
}

/** Connected: a client is at work at once, everyone else registers. */
function introduce(attempt: number, now: Now, setup: DeviceSetup): Move {
  const { registration } = setup
  if (registration === undefined) {
    return move({ at: 'ready', heartbeatAt: never, silentAt: never }, { type: 'ready' })
  }
  const id = setup.newMessageId()
  const inform: Inform =
    registration.role === 'worker'
      ? { type: 'INFORM', id, role: 'worker', queues: registration.queues }
      : { type: 'INFORM', id, role: 'scheduler', queues: [] }
  const answerBy = later(now, setup.answerTimeoutMs)
  return move({ at: 'informing', attempt, inform: id, answerBy }, { type: 'send', command: inform })
}

/** Registered. The first HEARTBEAT follows at once, as EventMQ's own peers do it. */
function welcome(now: Now, setup: DeviceSetup): Move {
  const heartbeatAt = later(now, setup.heartbeatIntervalMs)
  return move(
    { at: 'ready', heartbeatAt, silentAt: silentAt(now, setup) },
    { type: 'send', command: heartbeat(now, setup) },
    { type: 'ready' },
  )
}

/** The connection ended. The socket makes it anew, unless that would be under a routing id that the router ignores. */
function reconnect(attempt: number, now: Now, setup: DeviceSetup, ...before: DeviceEffect[]): Move {
  if (setup.freshRoutingIds) return pause(attempt, now, setup, ...before)
  return move({ at: 'dialing', attempt }, ...before)
}

function pause(attempt: number, now: Now, setup: DeviceSetup, ...before: DeviceEffect[]): Move {
  // The exponent is bounded, so that no number of attempts makes the pause overflow.
  const full = Math.min(setup.pauseMaxMs, setup.pauseMinMs * 2 ** Math.min(attempt - 1, 30))
  const dialAt = later(now, full * (0.5 + setup.random() / 2))
  return move({ at: 'pausing', attempt, dialAt }, ...before, hangUp)
}

function leaving(now: Now, setup: DeviceSetup): DeviceState {
  const heartbeatAt = setup.registration === undefined ? never : later(now, setup.heartbeatIntervalMs)
  return { at: 'leaving', heartbeatAt }
}

function farewell(setup: DeviceSetup): DeviceEffect[] {
  if (setup.registration === undefined) return []
  return [{ type: 'send', command: { type: 'KBYE', id: setup.newMessageId() } }]
}

/** Heartbeats and farewells have had their effect here already. */
function deliver(command: Command): DeviceEffect[] {
  return command.type === 'HEARTBEAT' || command.type === 'KBYE' ? [] : [{ type: 'deliver', command }]
}

function isSilent(state: StateAt<'ready' | 'dismissed'>, listening: boolean, now: Now): boolean {
  return listening && now.monotonicMs >= state.silentAt
}

function beat(state: StateAt<'ready' | 'dismissed' | 'leaving'>, now: Now, setup: DeviceSetup): Move {
  if (now.monotonicMs < state.heartbeatAt) return move(state)
  const heartbeatAt = later(now, setup.heartbeatIntervalMs)
  return move({ ...state, heartbeatAt }, { type: 'send', command: heartbeat(now, setup) })
}

function heartbeat(now: Now, setup: DeviceSetup): Heartbeat {
  return { type: 'HEARTBEAT', id: setup.newMessageId(), sentAtSeconds: now.epochMs / 1000 }
}

function silentAt(now: Now, setup: DeviceSetup): MonotonicMs {
  return setup.registration === undefined ? never : later(now, setup.silenceLimitMs)
}

const never = Number.POSITIVE_INFINITY as MonotonicMs

function later(now: Now, ms: number): MonotonicMs {
  return (now.monotonicMs + ms) as MonotonicMs
}

function finite(at: number): MonotonicMs | undefined {
  return Number.isFinite(at) ? (at as MonotonicMs) : undefined
}
