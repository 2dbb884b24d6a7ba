// What happens to a socket's connections, as the events of npm `zeromq`: in order, to whoever listens. Nothing is kept here;
// the observer keeps the latest for who reads them later.

import type { ZeroMQError } from '../error.ts'

/** A peer that broke the protocol during its handshake. */
export interface ProtoError extends Error {
  /** `ERR_ZMTP_...` */
  code: string
}

export type Event =
  | { type: 'accept'; address: string }
  | { type: 'accept:error'; address: string; error: ZeroMQError }
  | { type: 'bind'; address: string }
  | { type: 'bind:error'; address: string; error: ZeroMQError }
  | { type: 'connect'; address: string }
  | { type: 'connect:delay'; address: string }
  | { type: 'connect:retry'; address: string; interval: number }
  | { type: 'close'; address: string }
  | { type: 'close:error'; address: string; error: ZeroMQError }
  | { type: 'disconnect'; address: string }
  | { type: 'end' }
  | { type: 'handshake'; address: string }
  | { type: 'handshake:error:protocol'; address: string; error: ProtoError }
  | { type: 'handshake:error:other'; address: string; error: ZeroMQError }

export type EventType = Event['type']
export type EventOfType<E extends EventType = EventType> = Extract<Event, { type: E }>

/** One socket's event stream; the engine emits, the socket's observer listens. */
export class Monitor {
  listener: ((event: Event) => void) | undefined

  emit(event: Event): void {
    this.listener?.(event)
  }
}
