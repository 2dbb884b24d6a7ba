// Who waits for what becomes of each message: callers until it is accepted, handles until its answer is here.

import type { MessageId } from '@eventmq-ts/emqp'
import type { Expectation } from './core/outgoing.ts'
import type { DeferredJob, JobOutcome } from './deferred-job.ts'
import type { ClientError } from './error.ts'

interface WaitingCall {
  /** What the message is called in errors. */
  readonly what: string
  readonly answer: Expectation['answer']
  /** Until it is accepted. */
  accepting: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined
  /** Weak: a result that nobody can ask for any more is not kept. */
  readonly handle: WeakRef<DeferredJob<unknown>> | undefined
}

export class WaitingCalls {
  readonly #calls = new Map<MessageId, WaitingCall>()
  readonly #abandoned: FinalizationRegistry<MessageId>

  /** @param abandoned nobody holds a handle any more whose answer is still out */
  constructor(abandoned: (id: MessageId) => void) {
    this.#abandoned = new FinalizationRegistry(abandoned)
  }

  has(id: MessageId): boolean {
    return this.#calls.has(id)
  }

  /** Resolves when the message is accepted, rejects when it is refused or given up. */
  add(
    id: MessageId,
    what: string,
    answer: Expectation['answer'],
    handle: DeferredJob<unknown> | undefined,
  ): Promise<void> {
    const { promise, ...accepting } = Promise.withResolvers<void>()
    this.#calls.set(id, { what, answer, accepting, handle: handle && new WeakRef(handle) })
    if (handle !== undefined) this.#abandoned.register(handle, id, handle)
    return promise
  }

  accepted(id: MessageId): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    call.accepting?.resolve()
    call.accepting = undefined
    if (call.answer === 'none') this.remove(id)
  }

  /** The last word about a message. An error before it was accepted is the caller's, all else the handle's. */
  settle(id: MessageId, outcome: (what: string) => JobOutcome): void {
    const call = this.remove(id)
    if (call === undefined) return
    const word = outcome(call.what)
    if (call.accepting === undefined) call.handle?.deref()?.settle(word)
    else if (word.kind === 'error') call.accepting.reject(word.error)
  }

  /** It could not be sent. */
  reject(id: MessageId, error: unknown): void {
    this.remove(id)?.accepting?.reject(error)
  }

  settleAll(error: (what: string) => ClientError): void {
    for (const id of [...this.#calls.keys()]) this.settle(id, (what) => ({ kind: 'error', error: error(what) }))
  }

  remove(id: MessageId): WaitingCall | undefined {
    const call = this.#calls.get(id)
    if (call === undefined) return undefined
    this.#calls.delete(id)
    const handle = call.handle?.deref()
    if (handle !== undefined) this.#abandoned.unregister(handle)
    return call
  }
}
