// What happened to a socket, in the order in which it did; and waiting until it has.

import type { Event, EventType, Socket } from 'zeromq-ts-pure'

const TYPES: readonly EventType[] = [
  'accept',
  'accept:error',
  'bind',
  'bind:error',
  'connect',
  'connect:delay',
  'connect:retry',
  'close',
  'close:error',
  'disconnect',
  'end',
  'handshake',
  'handshake:error:protocol',
  'handshake:error:other',
]

export class EventLog {
  readonly events: Event[] = []
  #happened: () => void = () => undefined

  constructor(socket: Pick<Socket, 'events'>) {
    for (const type of TYPES) {
      socket.events.on(type, (event) => {
        this.events.push(event)
        this.#happened()
      })
    }
  }

  get types(): readonly EventType[] {
    return this.events.map(({ type }) => type)
  }

  /** Resolves with the nth event of a type, once it has happened; n counts from 1. */
  async nth<T extends EventType>(type: T, n = 1): Promise<Event & { type: T }> {
    for (;;) {
      const found = this.events.filter((event): event is Event & { type: T } => event.type === type)[n - 1]
      if (found !== undefined) return found
      await new Promise<void>((resolve) => {
        this.#happened = resolve
      })
    }
  }
}
