// Receiving from many peers, one message of each in turn (ZeroMQ RFC 28 and 30, "fair-queuing"). Hot path.

import type { Message } from '../engine/message.ts'
import type { Pipe } from '../engine/pipe.ts'

export class FairQueue {
  /** Pipes with messages, in no order; `#next` is the one to be read next. */
  readonly #ready: Pipe[] = []
  #next = 0
  #last: Pipe | undefined

  get canReceive(): boolean {
    return this.#ready.length > 0
  }

  /** The pipe of the message that `receive` gives next. */
  get next(): Pipe | undefined {
    return this.#ready[this.#next]
  }

  /** The pipe of the message that `receive` gave last. */
  get last(): Pipe | undefined {
    return this.#last
  }

  readable(pipe: Pipe): void {
    if (!this.#ready.includes(pipe)) this.#ready.push(pipe)
  }

  detached(pipe: Pipe): void {
    const index = this.#ready.indexOf(pipe)
    if (index >= 0) this.#remove(index)
    if (this.#last === pipe) this.#last = undefined
  }

  receive(): Message | undefined {
    if (this.#ready.length === 0) return undefined
    const index = this.#next
    const pipe = this.#ready[index] as Pipe
    const message = pipe.read()
    this.#last = pipe
    // Reading may have made the pipe end, and so have removed it already.
    if (this.#ready[index] === pipe) {
      if (pipe.canRead) this.#next = index + 1 < this.#ready.length ? index + 1 : 0
      else this.#remove(index)
    }
    return message
  }

  #remove(index: number): void {
    const moved = this.#ready.pop() as Pipe
    if (index < this.#ready.length) this.#ready[index] = moved
    if (this.#next >= this.#ready.length) this.#next = 0
  }
}
