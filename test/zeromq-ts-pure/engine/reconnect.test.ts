import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ReconnectBackoff } from '../../../packages/zeromq-ts-pure/src/engine/reconnect.ts'

function waits(count: number, intervalMs: number, maxIntervalMs: number, random: number): readonly number[] {
  const backoff = new ReconnectBackoff()
  return Array.from({ length: count }, () => backoff.nextWaitMs(intervalMs, maxIntervalMs, random))
}

describe('the wait before a reconnect', () => {
  test('doubles from the interval to the maximum and stays there', () => {
    assert.deepEqual(waits(9, 100, 5_000, 0), [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000])
  })

  test('does not grow without a maximum, or with one that is no larger', () => {
    assert.deepEqual(waits(4, 100, 0, 0), [100, 100, 100, 100])
    assert.deepEqual(waits(4, 100, 100, 0), [100, 100, 100, 100])
    assert.deepEqual(waits(4, 100, 50, 0), [50, 50, 50, 50])
  })

  test('is spread by at most one interval, and not beyond the maximum', () => {
    assert.deepEqual(waits(3, 100, 0, 0.999), [199, 199, 199])
    assert.deepEqual(waits(4, 100, 450, 0.5), [150, 250, 450, 450])
  })

  test('starts small again after a success', () => {
    const backoff = new ReconnectBackoff()
    for (let i = 0; i < 10; i++) backoff.nextWaitMs(100, 5_000, 0)
    backoff.succeeded()
    assert.equal(backoff.nextWaitMs(100, 5_000, 0), 100)
    assert.equal(backoff.nextWaitMs(100, 5_000, 0), 200)
  })

  test('is never negative, never nothing, never above the maximum, however long it goes on', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    const interval = fc.oneof(fc.nat({ max: 1_000 }), fc.nat({ max: 2 ** 31 - 1 }), fc.constant(2 ** 31 - 1))
    const setup = fc.record({ intervalMs: interval, maxMs: fc.oneof(fc.constant(0), interval), random })
    fc.assert(
      fc.property(setup, ({ intervalMs, maxMs, random }) => {
        for (const wait of waits(100, intervalMs, maxMs, random)) {
          assert.ok(wait >= 10 || wait === maxMs, `${wait}`)
          assert.ok(Number.isInteger(wait))
          assert.ok(wait <= (maxMs > 0 ? Math.max(maxMs, 10) : Math.max(intervalMs, 10) * 2), `${wait}`)
          // A timer that is set for longer fires at once.
          assert.ok(wait <= 2 ** 31 - 1, `${wait}`)
        }
      }),
    )
  })
})
