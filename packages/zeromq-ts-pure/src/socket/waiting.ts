// Sends or receives that could not be done at once, in the order in which they were asked for. Each waits until it can
// be done, its timeout is over, or the socket closes.

import type { Hold } from '../engine/pipe.ts'
import { type ErrorCode, ZeroMQError } from '../error.ts'

/** An attempt gives the result, or undefined when it must wait on. */
export type Attempt<T> = () => { readonly result: T } | undefined

interface Waiter<T> {
  readonly attempt: Attempt<T>
  readonly resolve: (result: T) => void
  readonly reject: (error: Error) => void
  timer: NodeJS.Timeout | undefined
}

export class Waiting<T> {
  /** Those before `#first` are settled; their slots are given back once they are half of all. */
  readonly #waiters: (Waiter<T> | undefined)[] = []
  #first = 0
  readonly #hold: Hold
  readonly #failureCode: () => ErrorCode
  #retrying = false

  /** @param failureCode the code with which an operation fails that can wait no longer */
  constructor(hold: Hold, failureCode: () => ErrorCode) {
    this.#hold = hold
    this.#failureCode = failureCode
  }

  get length(): number {
    return this.#waiters.length - this.#first
  }

  /** @param timeoutMs -1: for ever */
  add(attempt: Attempt<T>, timeoutMs: number): Promise<T> {
    this.#hold.acquire()
    return new Promise((resolve, reject) => {
      const waiter: Waiter<T> = { attempt, resolve, reject, timer: undefined }
      if (timeoutMs >= 0) waiter.timer = setTimeout(() => this.#expire(waiter), timeoutMs)
      this.#waiters.push(waiter)
    })
  }

  /**
   * Something changed: does what can be done now, first come first served. An attempt can itself bring news (reading
   * makes room for more); that is seen by the loop that runs, never by a second one inside it.
   */
  retry(): void {
    if (this.#retrying) return
    this.#retrying = true
    try {
      this.#retryInOrder()
    } finally {
      this.#retrying = false
    }
  }

  /** The socket closes: nothing that waits can be done any more. */
  failAll(): void {
    for (const waiter of this.#waiters.slice(this.#first)) this.#expire(waiter as Waiter<T>)
  }

  #retryInOrder(): void {
    while (this.length > 0) {
      const waiter = this.#waiters[this.#first] as Waiter<T>
      let outcome: { readonly result: T } | undefined
      try {
        outcome = waiter.attempt()
      } catch (error) {
        this.#settle(waiter)
        waiter.reject(error as Error)
        continue
      }
      if (outcome === undefined) return
      this.#settle(waiter)
      waiter.resolve(outcome.result)
    }
  }

  #expire(waiter: Waiter<T>): void {
    this.#settle(waiter)
    waiter.reject(new ZeroMQError(this.#failureCode()))
  }

  #settle(waiter: Waiter<T>): void {
    clearTimeout(waiter.timer)
    const index = this.#waiters.indexOf(waiter, this.#first)
    if (index === this.#first) {
      this.#waiters[this.#first++] = undefined
      if (this.#first * 2 >= this.#waiters.length) {
        this.#waiters.splice(0, this.#first)
        this.#first = 0
      }
    } else this.#waiters.splice(index, 1)
    this.#hold.release()
  }
}
