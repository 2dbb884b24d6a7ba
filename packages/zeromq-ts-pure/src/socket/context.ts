// What sockets of one group share. Without libzmq's threads little of its context is left: the limits, and the count
// of open sockets.

import { ZeroMQError } from '../error.ts'

/** Options of a context, with the defaults of npm `zeromq`. */
export interface ContextOptions {
  /** How many sockets may be open at once, 1 to 65,535; default 1023. */
  maxSockets?: number
  /** `ipv6` of sockets that do not set it themselves; default false. */
  ipv6?: boolean
}

const MAX_SOCKETS_LIMIT = 65_535

export class Context {
  readonly maxSocketsLimit = MAX_SOCKETS_LIMIT
  #maxSockets = 1_023
  #ipv6 = false
  #open = 0

  constructor(options: ContextOptions = {}) {
    Object.seal(this)
    Object.assign(this, options)
  }

  get maxSockets(): number {
    return this.#maxSockets
  }

  set maxSockets(limit: number) {
    if (typeof limit !== 'number') throw new TypeError('Option value must be a number')
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_SOCKETS_LIMIT) throw new ZeroMQError('EINVAL')
    this.#maxSockets = limit
  }

  get ipv6(): boolean {
    return this.#ipv6
  }

  set ipv6(value: boolean) {
    if (typeof value !== 'boolean') throw new TypeError('Option value must be a boolean')
    this.#ipv6 = value
  }

  /** @throws ZeroMQError EMFILE when too many sockets are open */
  socketOpened(): void {
    if (this.#open >= this.#maxSockets) throw new ZeroMQError('EMFILE')
    this.#open++
  }

  socketClosed(): void {
    this.#open--
  }
}

/** The context of sockets that name none. */
export const context = new Context()
