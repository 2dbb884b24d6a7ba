// The scheduler's core: all schedules and the order in which they are due. Schedules and the time come in; firings, and
// when to look again, go out. It neither reads a clock nor sends anything.
//
// Intervals are measured on the monotonic clock, so a step of the wall clock moves no run. Wall time only dates slots:
// for the message ids of their REQUESTs, and for the way through a store, where no monotonic time survives.

import type { EpochMs, MonotonicMs, Now } from '@eventmq-ts/emqp'
import { DueHeap } from './due-heap.ts'
import { type Schedule, type ScheduleKey, slotTime } from './schedule.ts'

/** One run of a schedule that is to be sent now. */
export interface Firing {
  readonly schedule: Schedule
  /** When it was due; with the schedule's key it names the run, whoever sends it and how often. */
  readonly dueAt: EpochMs
  /** How long ago that was. */
  readonly lateMs: number
}

/** What one look at the timetable brought. */
export interface Due {
  readonly firings: readonly Firing[]
  /** Schedules that have moved on and go on; what a store must know of them. */
  readonly advanced: readonly Schedule[]
  /** Schedules that have had their last run and are gone. */
  readonly ended: readonly Schedule[]
}

interface Entry {
  schedule: Schedule
  /** Slot 0 on the monotonic clock. */
  readonly anchor: MonotonicMs
  dueAt: MonotonicMs
  heapIndex: number
}

export class Timetable {
  readonly #onTimeMs: number
  readonly #entries = new Map<ScheduleKey, Entry>()
  readonly #heap = new DueHeap<Entry>()

  /**
   * @param onTimeMs up to this late a run is on time, not missed, for schedules that skip missed runs: a busy moment
   * must not cost them one
   */
  constructor(onTimeMs: number) {
    this.#onTimeMs = onTimeMs
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: ScheduleKey): Schedule | undefined {
    return this.#entries.get(key)?.schedule
  }

  /** Takes a schedule in, new or from a store, and replaces the one with its key. */
  put(schedule: Schedule, now: Now): void {
    this.remove(schedule.key)
    const anchor = (now.monotonicMs - (now.epochMs - schedule.acceptedAt)) as MonotonicMs
    const entry: Entry = { schedule, anchor, dueAt: dueAt(anchor, schedule), heapIndex: -1 }
    this.#entries.set(schedule.key, entry)
    this.#heap.add(entry)
  }

  /** Forgets a schedule; gives whether there was one. */
  remove(key: ScheduleKey): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    this.#entries.delete(key)
    this.#heap.remove(entry)
    return true
  }

  /** When the next schedule is due. */
  nextDueAt(): MonotonicMs | undefined {
    return this.#heap.first()?.dueAt
  }

  /**
   * Takes what is due off the table.
   *
   * @param limit the most firings, and the most schedules, of one look, from 1 on; what is left over is still due
   */
  advance(now: Now, limit: number): Due {
    const firings: Firing[] = []
    const advanced: Schedule[] = []
    const ended: Schedule[] = []
    for (;;) {
      const entry = this.#heap.first()
      if (entry === undefined || entry.dueAt > now.monotonicMs) break
      if (firings.length >= limit || advanced.length + ended.length >= limit) break
      const { schedule } = entry
      const { fire, nextSlot } = this.#dueSlots(entry, now.monotonicMs, limit - firings.length)
      for (const slot of fire) {
        const lateMs = now.monotonicMs - (entry.anchor + slot * schedule.intervalMs)
        firings.push({ schedule, dueAt: slotTime(schedule, slot), lateMs })
      }
      const runsLeft = schedule.runsLeft === undefined ? undefined : schedule.runsLeft - fire.length
      const next: Schedule = { ...schedule, nextSlot, runsLeft }
      if (runsLeft === 0) {
        this.remove(schedule.key)
        ended.push(next)
        continue
      }
      entry.schedule = next
      entry.dueAt = dueAt(entry.anchor, next)
      this.#heap.moved(entry)
      advanced.push(next)
    }
    return { firings, advanced, ended }
  }

  /** Of the slots that are due, those to fire, and the first one that is then left. */
  #dueSlots(
    { schedule, anchor }: Entry,
    now: MonotonicMs,
    limit: number,
  ): { readonly fire: readonly number[]; readonly nextSlot: number } {
    const { nextSlot, intervalMs, missed, runsLeft = Number.POSITIVE_INFINITY } = schedule
    // The division may round to just below a slot that the heap has found due.
    const latest = Math.max(nextSlot, Math.floor((now - anchor) / intervalMs))
    if (missed === 'all') {
      const count = Math.min(latest - nextSlot + 1, limit, runsLeft)
      return { fire: Array.from({ length: count }, (_, i) => nextSlot + i), nextSlot: nextSlot + count }
    }
    const isMissed = now - (anchor + latest * intervalMs) > this.#onTimeMs
    return { fire: missed === 'skip' && isMissed ? [] : [latest], nextSlot: latest + 1 }
  }
}

function dueAt(anchor: MonotonicMs, { nextSlot, intervalMs }: Schedule): MonotonicMs {
  return (anchor + nextSlot * intervalMs) as MonotonicMs
}
