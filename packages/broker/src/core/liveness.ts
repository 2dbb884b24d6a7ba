// Who is there: HEARTBEATs to every registered peer, and an end to those that are gone or silent for too long.

import type { MonotonicMs } from '@eventmq-ts/emqp'
import type { RoutingId } from '@eventmq-ts/store'
import { peerName } from './peer-name.ts'
import type { Roster } from './roster.ts'
import type { Runs } from './runs.ts'
import type { ScheduleOrders } from './schedule-orders.ts'
import type { Scheduler } from './scheduler.ts'
import type { CoreSettings, Endpoint } from './settings.ts'
import type { Turn } from './turn.ts'
import { Worker } from './worker.ts'

export class Liveness {
  readonly #settings: CoreSettings
  readonly #roster: Roster
  readonly #runs: Runs
  readonly #orders: ScheduleOrders
  #lastInputAt: MonotonicMs
  #nextHeartbeatAt: MonotonicMs
  #nextSweepAt: MonotonicMs

  constructor(settings: CoreSettings, roster: Roster, runs: Runs, orders: ScheduleOrders, now: MonotonicMs) {
    this.#settings = settings
    this.#roster = roster
    this.#runs = runs
    this.#orders = orders
    this.#lastInputAt = now
    this.#nextSweepAt = now
    this.#nextHeartbeatAt = (now + settings.heartbeatIntervalMs) as MonotonicMs
  }

  get wakeAt(): MonotonicMs {
    return Math.min(this.#nextHeartbeatAt, this.#nextSweepAt) as MonotonicMs
  }

  /**
   * Some input comes. Ticks come at the latest when asked for, so if time has passed far beyond that, the broker itself
   * was held up (a suspended machine, a long pause), and what its peers said meanwhile has not been read yet.
   */
  inputComes(now: MonotonicMs): void {
    const gapMs = now - this.#lastInputAt
    this.#lastInputAt = now
    const { heartbeatIntervalMs } = this.#settings
    if (gapMs <= 2 * heartbeatIntervalMs) return
    this.#roster.forgive(gapMs - heartbeatIntervalMs)
    this.#runs.forgive(gapMs - heartbeatIntervalMs)
  }

  /** Gives whether HEARTBEATs were due. */
  tick(turn: Turn): boolean {
    const now = turn.now.monotonicMs
    const { heartbeatIntervalMs, peerTimeoutMs } = this.#settings
    if (now >= this.#nextSweepAt) {
      this.#nextSweepAt = (now + Math.min(heartbeatIntervalMs, peerTimeoutMs / 4)) as MonotonicMs
      for (const peer of [...this.#roster.silent(now)]) {
        this.#remove(peer, `was silent for ${Math.round(now - peer.lastSeen)} ms`, turn)
      }
      this.#runs.sweep(turn)
      this.#orders.sweep(turn)
    }
    if (now < this.#nextHeartbeatAt) return false
    this.#nextHeartbeatAt = (now + heartbeatIntervalMs) as MonotonicMs
    for (const { id } of this.#roster.workers.values()) turn.heartbeat('backend', id)
    for (const { id } of this.#roster.schedulers.values()) turn.heartbeat('frontend', id)
    return true
  }

  /** A peer cannot be reached any more; nothing happens if it is not registered. */
  gone(endpoint: Endpoint, id: RoutingId, how: string, turn: Turn): void {
    const peer = this.#roster.find(endpoint, id)
    if (peer !== undefined) this.#remove(peer, how, turn)
  }

  #remove(peer: Worker | Scheduler, how: string, turn: Turn): void {
    const name = peerName(peer.id)
    if (peer instanceof Worker) {
      this.#roster.removeWorker(peer)
      turn.log('info', { worker: name, running: peer.jobs.size }, `worker ${name} ${how}`)
      this.#runs.vanished(peer, turn)
    } else {
      this.#roster.schedulers.delete(peer.id)
      turn.log('info', { scheduler: name }, `scheduler ${name} ${how}`)
      this.#orders.schedulerLeft(peer.id, turn)
    }
  }
}
