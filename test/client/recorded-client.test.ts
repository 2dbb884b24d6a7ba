import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, type DeferOptions, type ScheduleOptions } from '@eventmq-ts/client'
import { type Command, decode } from '@eventmq-ts/emqp'
import { type CallArguments, jobAt } from '@eventmq-ts/job'
import { readRecording } from '../device/recording.ts'
import { ScriptedRouter } from '../device/scripted-router.ts'

const plain: DeferOptions = { guarantee: false, replyRequested: false }
const add = jobAt({ path: 'my_jobs', callable: 'add' })
const greet = jobAt({ path: 'my_jobs:Greeter', callable: 'greet' })
const echo = jobAt({ path: 'my_jobs', callable: 'echo' })

/** The calls of EventMQ's client in `client-defer-job`, in its order, as ours makes them. */
const deferred: [typeof add, CallArguments, DeferOptions][] = [
  [add, { args: [2, 3] }, plain],
  [add, { args: [2, 3] }, { ...plain, queue: 'email' }],
  [add, { args: [2, 3] }, { ...plain, replyRequested: true }],
  [add, { args: [2, 3] }, { ...plain, guarantee: true }],
  [add, { args: [2, 3] }, { ...plain, retryCount: 3 }],
  [add, { args: [2, 3] }, { ...plain, timeoutSeconds: 10 }],
  [add, { args: [2, 3] }, { queue: 'email', replyRequested: true, guarantee: true, retryCount: 2, timeoutSeconds: 5 }],
  [greet, { kwargs: { greeting: 'Hi' }, classArgs: ['Ada'], classKwargs: { punctuation: '?' } }, plain],
  [greet, { classArgs: ['Ada'] }, plain],
  [echo, { args: ['é中', null, true, 1.5], kwargs: { k: [1, { x: 2 }] } }, plain],
]

/** Those of `client-schedule`: `undefined` ends the schedule. */
const scheduled: (ScheduleOptions | undefined)[] = [
  { everySeconds: 60 },
  { everySeconds: 60, guarantee: false, nohaste: true, runCount: 3, queue: 'email' },
  { cron: '*/5 * * * *' },
  undefined,
  undefined,
]

test("each way of deferring puts on the wire what EventMQ's own client puts there", () =>
  compare('client-defer-job', deferred.length, async (client, index) => {
    const call = deferred[index]
    assert.ok(call !== undefined)
    await client.defer(...call)
  }))

test("each way of scheduling puts on the wire what EventMQ's own client puts there", () =>
  compare('client-schedule', scheduled.length, async (client, index) => {
    const input = { args: [1, 2] }
    const options = scheduled[index]
    if (options === undefined) await client.unschedule(add, input)
    else await client.schedule(add, input, options)
  }))

test("the calls of EventMQ's job decorator and of eventmq.schedule", () =>
  compare('client-job-decorator', 3, async (client, index) => {
    if (index === 0) await client.defer(jobAt({ path: '__main__', callable: 'g' }), { args: [1, 2] }, plain)
    if (index === 1) {
      await client.defer(jobAt({ path: '__main__', callable: 'h', queue: 'messaging' }), { args: [7] }, plain)
    }
    if (index === 2) await client.schedule(add, { args: [1, 1] }, { everySeconds: 30 })
  }))

/** Makes one call for each recorded message, and compares what arrives. */
async function compare(
  recording: string,
  count: number,
  call: (client: Client, index: number) => Promise<void>,
): Promise<void> {
  const messages = await readRecording(recording)
  assert.equal(messages.length, count)
  const router = await ScriptedRouter.bind()
  const client = new Client({ broker: router.address, dialect: '0.3' })
  try {
    for (const [index, { frames }] of messages.entries()) {
      await call(client, index)
      const heard = await router.hear()
      assert.deepEqual(comparable(heard.command), comparable(commandOf(frames)), `message ${index}`)
      assert.equal(heard.frames.length, frames.length, `frames of message ${index}`)
    }
  } finally {
    await client.stop()
    router.close()
  }
}

function commandOf(frames: readonly Uint8Array[]): Command {
  const decoded = decode(frames, { receiver: 'broker' })
  assert.ok(decoded.ok)
  return decoded.command
}

/** Without what may differ: the id, JSON's spacing, and an UNSCHEDULE's times, which nobody looks at. */
function comparable(command: Command): unknown {
  if (command.type !== 'REQUEST' && command.type !== 'SCHEDULE' && command.type !== 'UNSCHEDULE') return command
  const { type, queue, headers } = command
  const payload: unknown = JSON.parse(new TextDecoder().decode(command.payload))
  const timing = command.type === 'SCHEDULE' ? command.timing : undefined
  return { type, queue, headers: headers.text, timing, payload }
}
