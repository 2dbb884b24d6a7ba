import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { messageId, parseJobResult, printJobResult } from '@eventmq-ts/emqp'
import { MemoryScheduleStore, Scheduler, type ScheduleStore } from '@eventmq-ts/scheduler'
import { ScriptedRouter } from '../device/scripted-router.ts'
import { SchedulerAtRouter } from './scheduler-at-router.ts'

// The key of `my_jobs.add(1, 1)` in EventMQ's own store (recording scheduler-interval).
const key = '6e1f81206cb628f005f9d826fdcd128cb30b875c'

describe('a scheduler', () => {
  test('sends the first REQUEST at once and then one every interval, in the queue of the schedule', async () => {
    await using at = await SchedulerAtRouter.start()
    const start = at.clock.now().epochMs
    await at.schedule({ id: 'order' })
    for (const afterMs of [0, 2000, 4000]) {
      const request = await at.request()
      assert.equal(request.queue, 'email')
      assert.equal(request.id, `${key}:${start + afterMs}`)
      assert.equal(JSON.parse(Buffer.from(request.payload).toString())[1].callable, 'add')
      at.clock.turn(2000)
    }
  })

  test('waits one interval where the schedule says nohaste', async () => {
    await using at = await SchedulerAtRouter.start()
    const start = at.clock.now().epochMs
    await at.schedule({ id: 'order', headers: { nohaste: true } })
    await at.settled()
    at.clock.turn(1999)
    await at.settled()
    at.clock.turn(1)
    assert.equal((await at.request()).id, `${key}:${start + 2000}`)
  })

  test('stops after run_count runs', async () => {
    await using at = await SchedulerAtRouter.start()
    await at.schedule({ id: 'order', headers: { runCount: 2 } })
    await at.request()
    at.clock.turn(2000)
    await at.request()
    at.clock.turn(2000)
    await at.settled()
    assert.equal(at.scheduler.schedules, 0)
  })

  test('its REQUESTs carry what concerns the job, and not what concerned the scheduler', async () => {
    await using at = await SchedulerAtRouter.start()
    const headers = { guarantee: true, replyRequested: true, retryCount: 3, timeoutSeconds: 9, runCount: 5 }
    await at.schedule({ id: 'order', headers })
    assert.equal((await at.hear()).type, 'ACK')
    assert.equal((await at.request()).headers.text, 'guarantee,retry-count:3,timeout:9')
  })

  test('the same job again replaces the schedule, whatever its queue', async () => {
    await using at = await SchedulerAtRouter.start()
    await at.schedule({ id: 'first', headers: { nohaste: true }, timing: { kind: 'interval', seconds: 60 } })
    await at.schedule({ id: 'second', headers: { nohaste: true }, queue: 'other' })
    await at.settled()
    assert.equal(at.scheduler.schedules, 1)
    at.clock.turn(2000)
    assert.equal((await at.request()).queue, 'other')
  })

  test('UNSCHEDULE goes by the job alone', async () => {
    await using at = await SchedulerAtRouter.start()
    await at.schedule({ id: 'one' })
    await at.request()
    await at.schedule({ id: 'two', args: [2] })
    await at.request()
    await at.unschedule({ id: 'end', queue: 'elsewhere' })
    await at.settled()
    assert.equal(at.scheduler.schedules, 1)
    at.clock.turn(2000)
    const left = await at.request()
    assert.notEqual(left.id.split(':')[0], key)
  })

  test('acknowledges a guaranteed order once the store has it, and not before', async () => {
    const committed = Promise.withResolvers<void>()
    const store: ScheduleStore = { open: async () => [], commit: () => committed.promise, close: async () => undefined }
    await using at = await SchedulerAtRouter.start({ store })
    await at.schedule({ id: 'order', headers: { guarantee: true, nohaste: true } })
    const heard = at.hear()
    const pending = Symbol('pending')
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(await Promise.race([heard, Promise.resolve(pending)]), pending)
    committed.resolve()
    const ack = await heard
    assert.ok(ack.type === 'ACK')
    assert.equal(ack.acknowledges, 'order')
  })

  test('refuses an order that the store cannot keep, and holds what the store holds', async () => {
    const store: ScheduleStore = {
      open: async () => [],
      commit: () => Promise.reject(new Error('disk full')),
      close: async () => undefined,
    }
    await using at = await SchedulerAtRouter.start({ store })
    await at.schedule({ id: 'order', headers: { guarantee: true } })
    const reply = await at.hear()
    assert.ok(reply.type === 'REPLY' && reply.kind === 'result')
    assert.equal(reply.request, 'order')
    const result = parseJobResult(reply.payload)
    assert.ok(result.kind === 'error')
    assert.equal(result.error.code, 'SCHEDULER_STORE')
    assert.match(result.error.message, /disk full/)
    assert.equal(at.scheduler.schedules, 0)
  })

  test('an order that is sent again is acknowledged again and neither fires again nor starts anew', async () => {
    await using at = await SchedulerAtRouter.start()
    const start = at.clock.now().epochMs
    const order = { id: 'order', headers: { guarantee: true } }
    await at.schedule(order)
    assert.equal((await at.hear()).type, 'ACK')
    await at.request()
    at.clock.turn(1500)
    await at.schedule(order)
    assert.equal((await at.hear()).type, 'ACK')
    await at.settled()
    at.clock.turn(500)
    assert.equal((await at.request()).id, `${key}:${start + 2000}`)
  })

  test('an order that is sent again after its only run does not run again', async () => {
    await using at = await SchedulerAtRouter.start()
    const order = { id: 'order', headers: { guarantee: true, runCount: 1 } }
    await at.schedule(order)
    assert.equal((await at.hear()).type, 'ACK')
    await at.request()
    await at.schedule(order)
    assert.equal((await at.hear()).type, 'ACK')
    await at.settled()
  })

  test('sends a guaranteed REQUEST again until it is acknowledged, under the same id', async () => {
    await using at = await SchedulerAtRouter.start({ resendAfterMs: 1000 })
    const long = { kind: 'interval', seconds: 60 } as const
    await at.schedule({ id: 'order', headers: { guarantee: true }, timing: long })
    assert.equal((await at.hear()).type, 'ACK')
    const first = await at.request()
    at.clock.turn(1000)
    assert.equal((await at.request()).id, first.id)
    await at.say({ type: 'ACK', id: messageId('ack'), acknowledges: first.id })
    await at.settled()
    at.clock.turn(5000)
    await at.settled()
  })

  test('a REQUEST that the broker refuses is not sent again, and the refusal is told', async () => {
    await using at = await SchedulerAtRouter.start({ resendAfterMs: 1000 })
    const long = { kind: 'interval', seconds: 60 } as const
    await at.schedule({ id: 'order', headers: { guarantee: true }, timing: long })
    await at.hear()
    const { id: request } = await at.request()
    const payload = printJobResult({
      kind: 'error',
      error: { name: 'QueueFull', message: 'email is full', code: 'full' },
    })
    await at.say({ type: 'REPLY', kind: 'result', id: messageId('reply'), request, payload })
    await at.settled()
    at.clock.turn(5000)
    await at.settled()
    assert.match(at.log.at('warn')[0]?.message ?? '', /refused .*: email is full/)
  })

  test('fires nothing more while too many guaranteed REQUESTs wait for their ACK, and goes on when they have it', async () => {
    await using at = await SchedulerAtRouter.start({ maxUnacknowledged: 1, resendAfterMs: 3_600_000 })
    await at.schedule({ id: 'order', headers: { guarantee: true } })
    await at.hear()
    const { id } = await at.request()
    at.clock.turn(10_000)
    await at.settled()
    await at.say({ type: 'ACK', id: messageId('ack'), acknowledges: id })
    await at.settled()
    at.clock.turn(0)
    await at.request()
  })

  test('for a router of EventMQ 0.3 nothing waits for an ACK', async () => {
    await using at = await SchedulerAtRouter.start({ dialect: '0.3', resendAfterMs: 10 })
    await at.schedule({ id: 'order', headers: { guarantee: true }, timing: { kind: 'interval', seconds: 60 } })
    await at.hear()
    await at.request()
    at.clock.turn(1000)
    await at.settled()
  })

  test('refuses cron for now, by REPLY and in the log', async () => {
    await using at = await SchedulerAtRouter.start()
    const timing = { kind: 'cron', expression: '*/5 * * * *' } as const
    await at.schedule({ id: 'order', headers: { guarantee: true }, timing })
    const reply = await at.hear()
    assert.ok(reply.type === 'REPLY' && reply.kind === 'result')
    const result = parseJobResult(reply.payload)
    assert.ok(result.kind === 'error')
    assert.equal(result.error.code, 'SCHEDULER_CRON')
    assert.match(at.log.at('warn')[0]?.message ?? '', /\*\/5 \* \* \* \*.*not served yet/)
  })

  test('after the broker was away it sends one run for all that were missed, and guaranteed ones in the air again', async () => {
    await using at = await SchedulerAtRouter.start({ resendAfterMs: 3_600_000 })
    const start = at.clock.now().epochMs
    await at.schedule({ id: 'order', headers: { guarantee: true } })
    await at.hear()
    const first = await at.request()
    const { address } = at.router
    at.router.close()
    const again = await ScriptedRouter.bind(address)
    try {
      // The device finds out by the connection's end, on its own time; the schedule's time is the test's.
      const informed = await again.hearA('INFORM')
      at.clock.turn(61_000)
      await again.say(informed.from, { type: 'ACK', id: again.newId(), acknowledges: informed.command.id })
      const ids = [await again.hearA('REQUEST'), await again.hearA('REQUEST')].map(({ command }) => command.id)
      assert.deepEqual(ids, [first.id, `${key}:${start + 60_000}`])
      at.clock.turn(1000)
      assert.equal((await again.hearA('REQUEST')).command.id, `${key}:${start + 62_000}`)
    } finally {
      again.close()
    }
  })

  test('a new one on the same store goes on where the last one was', async () => {
    const store = new MemoryScheduleStore()
    const first = await SchedulerAtRouter.start({ store })
    const start = first.clock.now().epochMs
    await first.schedule({ id: 'order', headers: { runCount: 3 } })
    await first.request()
    await first.settled()
    await first[Symbol.asyncDispose]()
    await using second = await SchedulerAtRouter.start({ store }, first.clock)
    second.clock.turn(2000)
    assert.equal((await second.request()).id, `${key}:${start + 2000}`)
    second.clock.turn(2000)
    assert.equal((await second.request()).id, `${key}:${start + 4000}`)
    await second.settled()
    assert.equal(second.scheduler.schedules, 0)
  })

  test('says KBYE when it stops, also when the broker says DISCONNECT', async () => {
    await using at = await SchedulerAtRouter.start()
    await at.say({ type: 'DISCONNECT', id: messageId('go') })
    assert.equal((await at.hear()).type, 'KBYE')
    await at.scheduler.closed
  })

  test('stops also where its store does not close, and says so', async () => {
    const store = new MemoryScheduleStore()
    store.close = () => Promise.reject(new Error('the disk is gone'))
    await using at = await SchedulerAtRouter.start({ store })
    await at.say({ type: 'DISCONNECT', id: messageId('go') })
    await at.scheduler.closed
    assert.match(String(at.log.at('error')[0]?.fields['err']), /the disk is gone/)
  })

  test('refuses options that are unknown or out of range and names them', () => {
    const broker = 'tcp://127.0.0.1:1'
    assert.throws(() => new Scheduler({ broker, onTimeMs: -1 }), { code: 'SCHEDULER_OPTION', message: /onTimeMs/ })
    const unknown = { broker, adress: 'x' }
    assert.throws(() => new Scheduler(unknown), { code: 'SCHEDULER_OPTION', message: /adress/ })
  })

  test('cannot be started after it was stopped', async () => {
    const scheduler = new Scheduler({ broker: 'tcp://127.0.0.1:1' })
    await scheduler.stop()
    await assert.rejects(scheduler.start(), { code: 'SCHEDULER_STATE' })
  })

  test('goes by the key that EventMQ itself gives the job', () => {
    const text =
      '{"args": [1, 1], "callable": "add", "class_args": [], "class_kwargs": {}, "kwargs": {}, "path": "my_jobs"}'
    assert.equal(createHash('sha1').update(text).digest('hex'), key)
  })
})
