// The guaranteed REQUESTs that the broker has not acknowledged yet. What was sent comes in, what is to be sent again
// comes out. The broker knows a REQUEST by its message id, so one too many does no harm.

import type { MessageId, MonotonicMs, Request } from '@eventmq-ts/emqp'

export class Unacknowledged {
  // In the order of their last sending: a resend goes to the end.
  readonly #sent = new Map<MessageId, { readonly request: Request; readonly at: MonotonicMs }>()

  get size(): number {
    return this.#sent.size
  }

  /** Notes a REQUEST as sent, or as sent again. */
  sent(request: Request, at: MonotonicMs): void {
    this.#sent.delete(request.id)
    this.#sent.set(request.id, { request, at })
  }

  /** The broker has it, or has refused it: it is not sent again. */
  settle(id: MessageId): void {
    this.#sent.delete(id)
  }

  /** All that were last sent at or before this time. */
  sentBefore(time: MonotonicMs): Request[] {
    const found: Request[] = []
    for (const { request, at } of this.#sent.values()) {
      if (at > time) break
      found.push(request)
    }
    return found
  }

  /** When the one that has waited longest was sent. */
  oldest(): MonotonicMs | undefined {
    return this.#sent.values().next().value?.at
  }
}
