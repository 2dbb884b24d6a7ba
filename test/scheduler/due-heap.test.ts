import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MonotonicMs } from '@eventmq-ts/emqp'
import fc from 'fast-check'
import { type DueEntry, DueHeap } from '../../packages/scheduler/src/core/due-heap.ts'

interface Entry extends DueEntry {
  readonly id: number
}

function entry(id: number, due: number): Entry {
  return { id, dueAt: due as MonotonicMs, heapIndex: -1 }
}

const operation = fc.oneof(
  fc.record({ type: fc.constant('add' as const), due: fc.integer({ min: 0, max: 20 }) }),
  fc.record({ type: fc.constant('remove' as const), which: fc.nat() }),
  fc.record({ type: fc.constant('move' as const), which: fc.nat(), due: fc.integer({ min: 0, max: 20 }) }),
)

describe('the due heap', () => {
  test('gives the earliest entry first whatever was added, moved and removed before', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const heap = new DueHeap<Entry>()
        const model: Entry[] = []
        for (const [id, step] of operations.entries()) {
          if (step.type === 'add') {
            const added = entry(id, step.due)
            heap.add(added)
            model.push(added)
          } else if (model.length > 0) {
            const at = step.which % model.length
            const [chosen] = step.type === 'remove' ? model.splice(at, 1) : model.slice(at, at + 1)
            if (chosen === undefined) continue
            if (step.type === 'remove') heap.remove(chosen)
            else {
              chosen.dueAt = step.due as MonotonicMs
              heap.moved(chosen)
            }
          }
          assert.equal(heap.size, model.length)
          assert.equal(heap.first()?.dueAt, model.map(({ dueAt }) => dueAt).sort((a, b) => a - b)[0])
        }
        const drained: number[] = []
        for (let first = heap.first(); first !== undefined; first = heap.first()) {
          drained.push(first.dueAt)
          heap.remove(first)
        }
        assert.deepEqual(
          drained,
          model.map(({ dueAt }) => dueAt).sort((a, b) => a - b),
        )
      }),
    )
  })

  test('leaves an entry alone that it does not hold', () => {
    const heap = new DueHeap<Entry>()
    const held = entry(1, 5)
    heap.add(held)
    heap.remove(entry(2, 1))
    heap.remove(held)
    heap.remove(held)
    assert.equal(heap.size, 0)
  })
})
