// What a caller holds of a job that it deferred.

import type { MessageId } from '@eventmq-ts/emqp'
import type { Expectation } from './core/outgoing.ts'
import { ClientError } from './error.ts'
import { type WaitOptions, wait } from './waiting.ts'

/** The last word about a job. */
export type JobOutcome =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: ClientError }
  /** A 0.3 router gave it to a worker. */
  | { readonly kind: 'dispatched' }

/**
 * A job that the broker has. Made by `client.defer`; as long as it is held, the job's result is kept for it.
 *
 * @example
 * const job = await client.defer(wordCount, { text: 'to be or not to be' })
 * const { words } = await job.result({ timeoutMs: 10_000 })
 */
export class DeferredJob<Output> {
  readonly id: MessageId
  readonly #what: string
  readonly #answer: Expectation['answer']
  readonly #held: Set<DeferredJob<unknown>>
  readonly #outcome = Promise.withResolvers<JobOutcome>()
  #waiting = 0

  /**
   * @internal
   * @param held where to keep this handle while somebody waits for its outcome, who may not hold the handle himself
   */
  constructor(id: MessageId, what: string, answer: Expectation['answer'], held: Set<DeferredJob<unknown>>) {
    this.id = id
    this.#what = what
    this.#answer = answer
    this.#held = held
  }

  /**
   * The job's result, as often as it is asked for. What the job returned as JSON comes as JSON's values, bytes as bytes,
   * nothing as `true`.
   *
   * @throws JobFailedError where the job failed for good, RefusedError where the broker did not take it after all
   * @throws ClientError `CLIENT_WAIT_TIMEOUT`, `CLIENT_NO_RESULT`, `CLIENT_STOPPED`, `CLIENT_OPTIONS`; the reason of an aborted signal
   */
  async result(options: WaitOptions = {}): Promise<Output> {
    if (this.#answer === 'none') throw this.#noResult('it was deferred with replyRequested: false')
    if (this.#answer === 'dispatch') throw this.#noResult(passesNoResults)
    const outcome = await this.#wait(options)
    if (outcome.kind === 'error') throw outcome.error
    if (outcome.kind === 'dispatched') throw this.#noResult(`${passesNoResults}; give the client dialect "0.3"`)
    // The value was made by JSON or by the job itself; that it is of the job's type is the job's promise.
    return outcome.value as Output
  }

  /**
   * Resolves when a worker has got the job; only routers of EventMQ 0.3 (dialect `0.3`) tell, and they do so only of jobs
   * that find a free slot at once. Of one that has to wait, nothing ever comes: set a `timeoutMs`.
   *
   * @throws ClientError `CLIENT_NO_DISPATCH`, `CLIENT_WAIT_TIMEOUT`, `CLIENT_STOPPED`, `CLIENT_OPTIONS`; the reason of an aborted signal
   */
  async dispatched(options: WaitOptions = {}): Promise<void> {
    if (this.#answer !== 'dispatch') {
      const message = `nobody tells when a worker gets ${this.#what} (${this.id}); only a router of EventMQ 0.3 would`
      throw new ClientError('CLIENT_NO_DISPATCH', message)
    }
    const outcome = await this.#wait(options)
    if (outcome.kind === 'error') throw outcome.error
  }

  /** @internal */
  settle(outcome: JobOutcome): void {
    this.#outcome.resolve(outcome)
  }

  async #wait(options: WaitOptions): Promise<JobOutcome> {
    if (this.#waiting++ === 0) this.#held.add(this)
    try {
      return await wait(this.#outcome.promise, options, () => {
        const message = `${this.#what} (${this.id}) has no answer after ${options.timeoutMs} ms; wait again, or longer`
        return new ClientError('CLIENT_WAIT_TIMEOUT', message)
      })
    } finally {
      if (--this.#waiting === 0) this.#held.delete(this)
    }
  }

  #noResult(why: string): ClientError {
    return new ClientError('CLIENT_NO_RESULT', `there is no result of ${this.#what} (${this.id}): ${why}`)
  }
}

const passesNoResults = 'the router is of EventMQ 0.3, which passes results to nobody; let the job store its result'
