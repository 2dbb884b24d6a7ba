// The orders whose schedules have had their last run, for a while: one that is sent again, because its ACK was lost, must
// not run once more.

import type { MessageId } from '@eventmq-ts/emqp'

const kept = 10_000

export class RecentOrders {
  readonly #orders = new Set<MessageId>()

  add(order: MessageId): void {
    this.#orders.add(order)
    if (this.#orders.size <= kept) return
    const [oldest] = this.#orders
    if (oldest !== undefined) this.#orders.delete(oldest)
  }

  has(order: MessageId): boolean {
    return this.#orders.has(order)
  }
}
