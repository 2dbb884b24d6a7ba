// The platform's clocks and the silent log, as every role uses them, on each runtime.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { silentLog, systemClock } from '@eventmq-ts/emqp'

describe('the system clock', () => {
  test('tells wall time in milliseconds since 1970', () => {
    const before = Date.now()
    const { epochMs } = systemClock.now()
    assert.ok(epochMs >= before && epochMs <= Date.now())
  })

  test('never goes back on the monotonic clock', () => {
    const readings = Array.from({ length: 1000 }, () => systemClock.now().monotonicMs)
    assert.deepEqual(
      readings,
      readings.toSorted((a, b) => a - b),
    )
  })
})

test('the silent log takes fields and a message and gives nothing back', () => {
  for (const method of [silentLog.debug, silentLog.info, silentLog.warn, silentLog.error]) {
    assert.equal(method({ job: 'j1' }, 'started'), undefined)
  }
})
