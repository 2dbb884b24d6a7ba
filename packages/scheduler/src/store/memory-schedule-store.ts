// The store of schedules that forgets when its process ends. It keeps what it has over close and open, so that within one
// process a scheduler can be restarted.

import type { Schedule, ScheduleKey } from '../core/schedule.ts'
import type { ScheduleStore, ScheduleWrite } from './schedule-store.ts'

export class MemoryScheduleStore implements ScheduleStore {
  readonly #schedules = new Map<ScheduleKey, Schedule>()

  async open(): Promise<readonly Schedule[]> {
    return [...this.#schedules.values()]
  }

  async commit(batch: readonly ScheduleWrite[]): Promise<void> {
    for (const write of batch) {
      if (write.type === 'put') this.#schedules.set(write.schedule.key, write.schedule)
      else this.#schedules.delete(write.key)
    }
  }

  async close(): Promise<void> {
    // Nothing to let go of.
  }
}
