// What 0.3 peers said to the real router is said to ours, and what ours says to workers, schedulers and administrators is
// what they got there. Message ids and times are the router's own and are not compared. To clients ours says more than
// the real one (ACKs, results) and not that a job was dispatched; that is in the tests of the core.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CoreSettings, Endpoint, Send } from '@eventmq-ts/broker/core'
import { decode, encode } from '@eventmq-ts/emqp'
import { CoreDriver, peer, text } from './core-driver.ts'
import { type RecordedStep, readExchange } from './recorded-exchange.ts'

const replayed: { readonly name: string; readonly settings?: Partial<CoreSettings> }[] = [
  { name: 'router-admin-disconnect' },
  { name: 'router-admin-views' },
  { name: 'router-client-gone-before-reply' },
  { name: 'router-client-gone-before-reply-race' },
  { name: 'router-hwm', settings: { maxQueueDepth: 3 } },
  { name: 'router-priority-and-lru' },
  { name: 'router-publish-to-frontend' },
  { name: 'router-request-headers' },
  { name: 'router-request-real-client-order' },
  { name: 'router-request-unknown-queue', settings: { unknownQueue: 'default' } },
  { name: 'router-request-unknown-queue-waits-under-default', settings: { unknownQueue: 'default' } },
  { name: 'router-request-waits-for-worker' },
  { name: 'router-schedule-no-scheduler' },
  { name: 'router-scheduler-inform-heartbeat' },
  { name: 'router-worker-heartbeat' },
  { name: 'router-worker-inform-empty-queues' },
  { name: 'router-worker-lifecycle' },
  { name: 'router-worker-silent-timeout', settings: { peerTimeoutMs: 5000 } },
]

const doorOf = (name: string): Endpoint => {
  if (name.startsWith('worker')) return 'backend'
  return name.startsWith('admin') ? 'administration' : 'frontend'
}

/** A message without what is the router's own: its message id, a HEARTBEAT's time, the values of an administrator's JSON. */
function comparable(frames: readonly Uint8Array[]): unknown {
  const [, , command, id, ...rest] = frames.map(text)
  if (command === 'REPLY') return [command, comparableView(rest[0] ?? '')]
  // What the broker adds because it must know how the job ends; the rest of the headers stays as it came.
  const [queue, headers = '', payload] = rest
  if (command === 'REQUEST')
    return [command, id, queue, headers.replace(/(?<=(guarantee|retry-count:\d+)),reply-requested$/, ''), payload]
  return [command, ...rest]
}

/** Each receiver's messages in their order; across receivers the order on the recorder's clock says nothing. */
function inOrderOfReceiver(messages: readonly { readonly to: string; readonly message: unknown }[]) {
  const byReceiver: Record<string, unknown[]> = {}
  for (const { to, message } of messages) {
    const list = byReceiver[to] ?? []
    byReceiver[to] = list
    list.push(message)
  }
  return byReceiver
}

/**
 * An administrator's view without times and names made unique. Of STATUS the keys and what waits: what is in flight and
 * what was processed the real router counts wrong (fire-and-forget jobs for ever, jobs that waited never).
 */
function comparableView(json: string): unknown {
  const view: Record<string, object> = JSON.parse(json.replace(/(worker|scheduler)-[0-9a-f]{8}/g, '$1'))
  if ('waiting_messages_by_queue' in view) {
    const keys = Object.keys(view).filter((key) => key !== 'broker')
    return { keys, waiting: view['waiting_messages_by_queue'] }
  }
  if (view['connected_schedulers'] !== undefined)
    return { connected_schedulers: Object.keys(view['connected_schedulers']) }
  const workers = Object.entries(view['connected_workers'] ?? {}).map(([name, worker]) => [
    name,
    worker.queues,
    worker.available_slots,
    typeof worker.hb,
  ])
  // A queue that has lost its last worker is shown by the real router after a KBYE, and not after a timeout.
  const queues = Object.entries(view['connected_queues'] ?? {}).filter(([, served]) => served.length > 0)
  return { workers, queues }
}

async function replay(broker: CoreDriver, steps: readonly RecordedStep[]): Promise<readonly Send[]> {
  const sent: Send[] = []
  for (const { t, from, frames } of steps) {
    sent.push(...(await broker.advance(Math.max(0, t * 1000 + 1000 - broker.now.monotonicMs))))
    if (from === null || frames === undefined || from.startsWith('router')) continue
    const decoded = decode(frames, { receiver: 'broker' })
    if (decoded.ok) sent.push(...(await broker.say(doorOf(from), from, decoded.command)))
    else {
      const { error } = decoded
      const input = { type: 'malformed', endpoint: doorOf(from), from: peer(from), error, wantsAnswer: false } as const
      // A real router says nothing to what it does not know; ours answers an administrator.
      await broker.feed(input)
    }
  }
  return sent
}

describe('ours says to workers, schedulers and administrators what the recorded router said', () => {
  for (const { name, settings } of replayed) {
    const exchange = readExchange(name)
    test(`${name}: ${exchange.description.split('. ')[0]}`, async () => {
      const broker = await CoreDriver.open(settings)
      const ours = (await replay(broker, exchange.steps))
        .filter(({ to }) => doorOf(to) !== 'frontend' || to.startsWith('scheduler'))
        .map(({ command, to }) => ({ to: to as string, message: comparable(encode(command)) }))
      const theirs = exchange.steps
        .filter(({ from, to, frames }) => from?.startsWith('router') && frames !== undefined && to !== null)
        .filter(({ to }) => to !== null && (doorOf(to) !== 'frontend' || to.startsWith('scheduler')))
        .filter(({ frames }) => text(frames?.[2] ?? new Uint8Array(0)) !== 'HEARTBEAT')
        .map(({ frames = [], to }) => ({ to: to ?? '', message: comparable(frames) }))
      assert.deepEqual(inOrderOfReceiver(ours), inOrderOfReceiver(theirs))
    })
  }
})

describe('ours differs from the recorded router where it must', () => {
  test('a client cannot stop it', async () => {
    const broker = await CoreDriver.open()
    await replay(broker, readExchange('router-client-disconnect-command').steps)
    assert.equal(broker.stopped, false)
  })

  test('a worker that sends DISCONNECT does not kill it', async () => {
    const broker = await CoreDriver.open()
    await replay(broker, readExchange('router-worker-disconnect-command').steps)
    assert.deepEqual([broker.stopped, broker.core.stats().workers], [false, 1])
  })

  test('a job that waits when an administrator stops it is kept', async () => {
    const broker = await CoreDriver.open()
    await replay(broker, readExchange('router-admin-disconnect-with-waiting').steps)
    assert.equal(broker.stopped, true)
    assert.equal(broker.core.stats().waiting, 1)
  })

  test('a free slot looks at weights and not at the order of INFORM', async () => {
    const broker = await CoreDriver.open()
    const sent = await replay(broker, readExchange('router-waiting-priority').steps)
    assert.deepEqual(
      sent.flatMap(({ command }) => (command.type === 'REQUEST' ? [command.id] : [])),
      ['h1', 'l1'],
    )
  })

  test('a second INFORM does not double the queues', async () => {
    const broker = await CoreDriver.open()
    const sent = await replay(broker, readExchange('router-worker-inform-many-queues').steps)
    const views = sent.flatMap(({ command }) =>
      command.type === 'REPLY' && 'payload' in command ? [JSON.parse(text(command.payload))] : [],
    )
    assert.deepEqual(views.at(-1).connected_queues, {
      email: [[40, 'worker']],
      default: [[10, 'worker']],
      'heavy-cpu': [[20, 'worker']],
    })
    assert.equal(views.at(-1).connected_workers.worker.available_slots, 0)
  })

  test('SCHEDULEs are spread over schedulers, UNSCHEDULE goes to all', async () => {
    const broker = await CoreDriver.open()
    const sent = await replay(broker, readExchange('router-schedule-routing').steps)
    const orders = sent.filter(({ command }) => command.type === 'SCHEDULE' || command.type === 'UNSCHEDULE')
    assert.deepEqual(
      orders.map(({ command, to }) => `${command.type} ${to}`),
      [
        'SCHEDULE scheduler1',
        'SCHEDULE scheduler2',
        'SCHEDULE scheduler1',
        'UNSCHEDULE scheduler1',
        'UNSCHEDULE scheduler2',
      ],
    )
  })
})
