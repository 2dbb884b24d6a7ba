// A worker's slots: what the broker may send, what runs, and what is given back. Events come in, effects go out; it
// performs no job and sends nothing itself.
//
//   serving --drain--> draining --(nothing runs, or the grace period is over)--> drained
//
// One rule says when READY is due: while the broker is there and we serve, every slot is either running or announced.

import type { MessageId, Request } from '@eventmq-ts/emqp'

/** What the shell has to do, in order. */
export type SlotsEffect =
  /** Send so many READYs. */
  | { readonly type: 'announce'; readonly count: number }
  /** Run it, and tell when it has ended. */
  | { readonly type: 'perform'; readonly request: Request }
  /** It runs already; its one outcome answers this REQUEST too. */
  | { readonly type: 'joined'; readonly request: Request }
  /** Send the outcome of this run, as its REQUEST asked for it. */
  | { readonly type: 'reply'; readonly request: Request }
  /** Give it back to the broker, not run or not finished. */
  | { readonly type: 'release'; readonly request: Request; readonly reason: ReleaseReason }
  /** Tell the run that it must end; its outcome is of no interest any more. */
  | { readonly type: 'abort'; readonly id: MessageId }
  /** Nothing is left to do. */
  | { readonly type: 'drained' }

/** Why a REQUEST goes back: the worker leaves, the grace period is over, or no slot was offered for it. */
export type ReleaseReason = 'leaving' | 'grace-over' | 'no-slot'

export class Slots {
  readonly #concurrency: number
  readonly #running = new Map<MessageId, Request>()
  #phase: 'serving' | 'draining' | 'drained' = 'serving'
  /** Whether the broker counts our READYs now. */
  #registered = false
  /** READYs that the broker has and has not used. Never more than the slots that do not run. */
  #announced = 0

  /** @param concurrency how many jobs run at once, from 1 on */
  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  /** How many jobs run now. */
  get running(): number {
    return this.#running.size
  }

  /** The broker knows us, and knows of no slot yet. */
  registered(): SlotsEffect[] {
    this.#registered = true
    this.#announced = 0
    return this.#settled([])
  }

  /** The broker is gone, or gives out nothing more. What runs goes on. */
  lost(): SlotsEffect[] {
    this.#registered = false
    this.#announced = 0
    return []
  }

  /** A REQUEST from the broker. */
  take(request: Request): SlotsEffect[] {
    if (this.#phase !== 'serving') return [{ type: 'release', request, reason: 'leaving' }]
    if (this.#announced === 0) return [{ type: 'release', request, reason: 'no-slot' }]
    this.#announced--
    const known = this.#running.get(request.id)
    // The broker had to take our run of it for lost, and sends it once more. Two runs at once would be the worst answer.
    if (known !== undefined) {
      if (request.headers.replyRequested) this.#running.set(request.id, request)
      return this.#settled([{ type: 'joined', request }])
    }
    this.#running.set(request.id, request)
    return this.#settled([{ type: 'perform', request }])
  }

  /** A REQUEST came that could not be read: it has used a slot all the same. */
  unreadable(): SlotsEffect[] {
    this.#announced = Math.max(0, this.#announced - 1)
    return this.#settled([])
  }

  /** A run has really ended: its slot is free. One that was given up meanwhile changes nothing. */
  ended(id: MessageId): SlotsEffect[] {
    const request = this.#running.get(id)
    if (request === undefined) return []
    this.#running.delete(id)
    return this.#settled([{ type: 'reply', request }])
  }

  /** No new work from now on; what runs may finish. */
  drain(): SlotsEffect[] {
    if (this.#phase !== 'serving') return []
    this.#phase = 'draining'
    this.#announced = 0
    return this.#settled([])
  }

  /** What still runs has had its time: it is given back. */
  graceOver(): SlotsEffect[] {
    if (this.#phase !== 'draining') return []
    const effects: SlotsEffect[] = []
    for (const request of this.#running.values()) {
      effects.push({ type: 'abort', id: request.id }, { type: 'release', request, reason: 'grace-over' })
    }
    this.#running.clear()
    return this.#settled(effects)
  }

  /** The effects, and what follows from the state that they leave. */
  #settled(effects: SlotsEffect[]): SlotsEffect[] {
    if (this.#phase === 'draining' && this.#running.size === 0) {
      this.#phase = 'drained'
      effects.push({ type: 'drained' })
    }
    const count = this.#concurrency - this.#running.size - this.#announced
    if (this.#phase === 'serving' && this.#registered && count > 0) {
      this.#announced += count
      effects.push({ type: 'announce', count })
    }
    return effects
  }
}
