// The two libraries whose sockets meet here, ours and libzmq by npm `zeromq`, behind one interface: what both offer and
// these tests use. The native package loads only on Node.

import * as libzmq from 'zeromq'
import * as ours from 'zeromq-ts-pure'

export type SocketClass = 'Dealer' | 'Router' | 'Request' | 'Reply' | 'Push' | 'Pull' | 'Publisher' | 'Subscriber'

export type Part = Buffer | string

/** A socket of either library. Which of the methods it really has depends on its class, as everywhere in ZeroMQ. */
export interface AnySocket {
  bind(address: string): Promise<void>
  unbind(address: string): Promise<void>
  connect(address: string): void
  disconnect(address: string): void
  close(): void
  send(parts: Part | readonly Part[]): Promise<void>
  receive(): Promise<Buffer[]>
  subscribe(...prefixes: Part[]): void
  unsubscribe(...prefixes: Part[]): void
  [Symbol.asyncIterator](): AsyncIterator<Buffer[], undefined>
  readonly lastEndpoint: string | null
  readonly closed: boolean
  readonly events: {
    on(type: string, listener: (event: { type: string; address?: string; error?: Error }) => void): unknown
  }
}

export type Options = Readonly<Record<string, boolean | number | string | null>>

export interface Library {
  readonly name: 'ours' | 'libzmq'
  open(type: SocketClass, options?: Options): AnySocket
}

/** Both packages have the same classes with the same methods, but to TypeScript their types have nothing in common. */
function library(name: Library['name'], module: Readonly<Record<SocketClass, unknown>>): Library {
  return {
    name,
    open: (type, options = {}) => {
      const Socket = module[type] as new (options: Options) => AnySocket
      return new Socket(options)
    },
  }
}

export const OURS = library('ours', ours)
export const LIBZMQ = library('libzmq', libzmq)
