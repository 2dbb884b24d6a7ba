import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueueName } from '@eventmq-ts/emqp'
import { MemoryStore } from '@eventmq-ts/store'
import fc from 'fast-check'
import { jobStoreContract } from './job-store-contract.ts'
import { sampleJob } from './sample-job.ts'

jobStoreContract('MemoryStore', () => new MemoryStore())

test('a long queue stays in order whatever comes in and goes out', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(9), fc.nat(50)), { minLength: 1, maxLength: 3000 }), async (places) => {
      const store = new MemoryStore()
      await store.open()
      const jobs = places.map(([priority, rank], i) => sampleJob(`j${i}`, i + 1, { priority, rank }))
      await store.commit(jobs.map((job) => ({ type: 'add', job })))
      const gone = jobs.filter((_, i) => i % 3 === 0)
      const lease = { worker: sampleJob('x', 0).asker, until: sampleJob('x', 0).dueAt }
      await store.commit(gone.map(({ id, dueAt }) => ({ type: 'claim', id, fence: 1, lease, at: dueAt })))
      const expected = jobs
        .filter((_, i) => i % 3 !== 0)
        .sort((a, b) => b.priority - a.priority || a.rank - b.rank || a.seq - b.seq)
      const read: string[] = []
      for (let after: (typeof jobs)[number] | undefined, more = true; more; ) {
        const page = await store.waiting({ queue: 'default' as QueueName, after, limit: 700 })
        read.push(...page.items.map((job) => job.id))
        after = page.items.at(-1)
        more = page.more
      }
      assert.deepEqual(
        read,
        expected.map((job) => job.id),
      )
    }),
    { numRuns: 20 },
  )
})
