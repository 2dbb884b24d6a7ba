import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type EpochMs, type MonotonicMs, messageId, type Now, queueName } from '@eventmq-ts/emqp'
import type { Schedule, ScheduleKey } from '../../packages/scheduler/src/core/schedule.ts'
import { Timetable } from '../../packages/scheduler/src/core/timetable.ts'

const start = 1_796_137_801_604
const bootedAt = 5_000_000

/** Both clocks, so many milliseconds after the start; the wall clock may have stepped since. */
function at(ms: number, stepMs = 0): Now {
  return { epochMs: (start + ms + stepMs) as EpochMs, monotonicMs: (bootedAt + ms) as MonotonicMs }
}

function schedule(changes: Partial<Schedule> = {}): Schedule {
  return {
    key: 'k' as ScheduleKey,
    order: messageId('order'),
    queue: queueName('default'),
    headers: '',
    guarantee: false,
    payload: new Uint8Array(),
    intervalMs: 2000,
    missed: 'once',
    acceptedAt: start as EpochMs,
    nextSlot: 0,
    runsLeft: undefined,
    ...changes,
  }
}

function timetable(...schedules: readonly Schedule[]): Timetable {
  const table = new Timetable(15_000)
  for (const one of schedules) table.put(one, at(0))
  return table
}

/** When the firings of one look were due, in milliseconds after the start. */
function fired(table: Timetable, now: Now, limit = 1000): number[] {
  return table.advance(now, limit).firings.map(({ dueAt }) => dueAt - start)
}

describe('the timetable', () => {
  test('fires at once and then at every interval', () => {
    const table = timetable(schedule())
    assert.deepEqual(fired(table, at(0)), [0])
    assert.deepEqual(fired(table, at(1999)), [])
    assert.deepEqual(fired(table, at(2000)), [2000])
    assert.deepEqual(fired(table, at(4001)), [4000])
  })

  test('fires without haste first when the interval has passed, also one of thirty days', () => {
    const thirtyDays = 2_592_000_000
    const table = timetable(schedule({ nextSlot: 1, intervalMs: thirtyDays }))
    assert.deepEqual(fired(table, at(thirtyDays - 1)), [])
    assert.deepEqual(fired(table, at(thirtyDays)), [thirtyDays])
  })

  test('does not drift: the 10,000th run is due 10,000 intervals after acceptance though each look came late', () => {
    const table = timetable(schedule({ intervalMs: 1000, nextSlot: 1 }))
    let last: number[] = []
    for (let k = 1; k <= 10_000; k++) last = fired(table, at(k * 1000 + (k % 7) * 13))
    assert.deepEqual(last, [10_000_000])
    assert.equal(table.nextDueAt(), bootedAt + 10_001_000)
  })

  test('counts the hasty run and ends after the last one', () => {
    const table = timetable(schedule({ runsLeft: 2 }))
    assert.deepEqual(fired(table, at(0)), [0])
    const due = table.advance(at(2000), 10)
    assert.equal(due.firings.length, 1)
    assert.deepEqual(
      due.ended.map(({ key }) => key),
      ['k'],
    )
    assert.equal(table.size, 0)
    assert.equal(table.nextDueAt(), undefined)
  })

  test('keeps its cadence while the wall clock steps an hour back and forth', () => {
    const table = timetable(schedule({ intervalMs: 10_000 }))
    assert.deepEqual(fired(table, at(0)), [0])
    assert.deepEqual(fired(table, at(9_999, -3_600_000)), [])
    assert.deepEqual(fired(table, at(10_000, -3_600_000)), [10_000])
    assert.deepEqual(fired(table, at(19_999, 3_600_000)), [])
    assert.deepEqual(fired(table, at(20_000, 3_600_000)), [20_000])
  })

  // Slots at 0, 2, 4, ... s; nobody looks between 2 s and 60.5 s.
  const silence = [
    ['once', 'the latest one', [60_000]],
    ['skip', 'the one that is still on time', [60_000]],
    ['all', 'every one', Array.from({ length: 29 }, (_, i) => 4000 + i * 2000)],
  ] as const
  for (const [missed, what, right] of silence) {
    test(`after a stall fires ${what} of the runs missed where the schedule says ${missed}, and goes on as before`, () => {
      const table = timetable(schedule({ missed }))
      fired(table, at(0))
      fired(table, at(2000))
      assert.deepEqual(fired(table, at(60_500)), right)
      assert.deepEqual(fired(table, at(61_999)), [])
      assert.deepEqual(fired(table, at(62_000)), [62_000])
    })
  }

  test('a schedule that skips missed runs has none of a minute that was 30 s ago, and keeps one that was 12 s ago', () => {
    const table = timetable(schedule({ missed: 'skip', intervalMs: 60_000, nextSlot: 1 }))
    assert.deepEqual(fired(table, at(5 * 60_000 + 30_000)), [])
    assert.deepEqual(fired(table, at(6 * 60_000 + 12_000)), [6 * 60_000])
  })

  test('run_count is used up by runs, not by runs that were passed over', () => {
    const table = timetable(schedule({ missed: 'once', runsLeft: 3 }))
    assert.deepEqual(fired(table, at(100_000)), [100_000])
    assert.equal(table.get('k' as ScheduleKey)?.runsLeft, 2)
  })

  test('a schedule that wants every missed run gets no more than run_count allows', () => {
    const table = timetable(schedule({ missed: 'all', runsLeft: 3 }))
    assert.deepEqual(fired(table, at(100_000)), [0, 2000, 4000])
    assert.equal(table.size, 0)
  })

  test('a look gives no more than its limit, and the next look gives the rest', () => {
    const table = timetable(schedule({ missed: 'all' }))
    assert.deepEqual(fired(table, at(10_000), 4), [0, 2000, 4000, 6000])
    assert.ok((table.nextDueAt() ?? Number.POSITIVE_INFINITY) <= at(10_000).monotonicMs)
    assert.deepEqual(fired(table, at(10_000), 4), [8000, 10_000])
  })

  test('the same key replaces: the new interval counts from its own acceptance', () => {
    const table = timetable(schedule())
    fired(table, at(0))
    table.put(schedule({ intervalMs: 5000, nextSlot: 1, acceptedAt: (start + 1000) as EpochMs }), at(1000))
    assert.equal(table.size, 1)
    assert.deepEqual(fired(table, at(5999)), [])
    assert.deepEqual(fired(table, at(6000)), [6000])
  })

  test('a schedule from a store goes on where it was, by the wall time between', () => {
    const table = new Timetable(15_000)
    // The process began anew: its monotonic clock has nothing to do with the one of the acceptance.
    const now: Now = { epochMs: (start + 7000) as EpochMs, monotonicMs: 40 as MonotonicMs }
    table.put(schedule({ nextSlot: 4 }), now)
    assert.equal(table.nextDueAt(), 1040)
  })

  test('removing says whether there was one', () => {
    const table = timetable(schedule())
    assert.equal(table.remove('k' as ScheduleKey), true)
    assert.equal(table.remove('k' as ScheduleKey), false)
    assert.deepEqual(fired(table, at(0)), [])
  })

  test('says how late a run is', () => {
    const [firing] = timetable(schedule()).advance(at(250), 1).firings
    assert.equal(firing?.lateMs, 250)
  })
})
