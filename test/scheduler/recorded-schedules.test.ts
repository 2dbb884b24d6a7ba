// What EventMQ's scheduler was sent, sent to ours at the same times: the same REQUESTs come, in the same queues, with the
// same payloads, and none besides. (Ours are punctual; the recorded ones up to half a second late.)

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decode } from '@eventmq-ts/emqp'
import { readExchange } from '../conformance/emqp/recorded-exchange.ts'
import { SchedulerAtRouter } from './scheduler-at-router.ts'

const names = [
  'scheduler-interval',
  'scheduler-nohaste',
  'scheduler-run-count',
  'scheduler-run-count-nohaste',
  'scheduler-run-count-one-haste',
  'scheduler-reschedule',
  'scheduler-no-redis',
  'scheduler-reply',
]

describe('schedules as EventMQ recorded them', () => {
  for (const name of names) {
    const { description, exchange } = readExchange(name)
    test(`${name}: ${description}`, async () => {
      // The recorder, as every 0.3 router, acknowledges no REQUEST.
      await using at = await SchedulerAtRouter.start({ dialect: '0.3' })
      let elapsedMs = (exchange[0]?.t ?? 0) * 1000
      let compared = 0
      for (const { t, from, frames } of exchange) {
        at.clock.turn(Math.max(0, t * 1000 - elapsedMs))
        elapsedMs = Math.max(elapsedMs, t * 1000)
        const decoded = decode(frames, { receiver: from === 'router' ? 'peer' : 'broker' })
        if (!decoded.ok) continue
        const { command } = decoded
        if (from === 'router' && command.type !== 'ACK') {
          await at.router.sayFrames(at.peer, frames)
          await at.taken()
        }
        if (from === 'scheduler' && command.type === 'REQUEST') {
          const ours = await at.request()
          assert.equal(ours.queue, command.queue)
          assert.deepEqual(Buffer.from(ours.payload), Buffer.from(command.payload))
          compared++
        }
        // An order with `guarantee` is acknowledged; EventMQ's scheduler acknowledges none.
        const isOrder = command.type === 'SCHEDULE' || command.type === 'UNSCHEDULE'
        if (from === 'router' && isOrder && command.headers.guarantee) assert.equal((await at.hear()).type, 'ACK')
      }
      assert.ok(compared > 0)
      await at.settled()
    })
  }
})
