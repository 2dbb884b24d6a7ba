// A queue of messages as a ring that grows by doubling: no allocation a message, oldest out first. Hot path.

import type { Message } from './message.ts'

const INITIAL_CAPACITY = 16

export class MessageRing {
  #slots: (Message | undefined)[] = new Array(INITIAL_CAPACITY).fill(undefined)
  /** Capacity - 1; the capacity is a power of two. */
  #mask = INITIAL_CAPACITY - 1
  #head = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  push(message: Message): void {
    if (this.#length > this.#mask) this.#grow()
    this.#slots[(this.#head + this.#length) & this.#mask] = message
    this.#length++
  }

  shift(): Message | undefined {
    if (this.#length === 0) return undefined
    const message = this.#slots[this.#head]
    this.#slots[this.#head] = undefined
    this.#head = (this.#head + 1) & this.#mask
    this.#length--
    return message
  }

  clear(): void {
    this.#slots = new Array(INITIAL_CAPACITY).fill(undefined)
    this.#mask = INITIAL_CAPACITY - 1
    this.#head = 0
    this.#length = 0
  }

  #grow(): void {
    const old = this.#slots
    const capacity = old.length * 2
    const slots: (Message | undefined)[] = new Array(capacity).fill(undefined)
    for (let i = 0; i < this.#length; i++) slots[i] = old[(this.#head + i) & this.#mask]
    this.#slots = slots
    this.#mask = capacity - 1
    this.#head = 0
  }
}
