// Every recorded malformed or odd message, against a live broker: it stays alive, serves a real job afterwards, and the
// offence is logged once, with what was wrong. (The real router dies of many of them.)

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Broker } from '@eventmq-ts/broker'
import { makeHeaders, queueName } from '@eventmq-ts/emqp'
import { Peer } from './peer.ts'
import { exchangeNames, readExchange } from './recorded-exchange.ts'
import { RecordedLog } from './recorded-log.ts'

const unknownCommands: ReadonlySet<string> = new Set([
  'malformed-backend-inform-lowercase',
  'malformed-backend-known-unknown-command',
  'malformed-frontend-request-lowercase',
  'malformed-frontend-unknown-command',
])

/** What the log says of each; undefined where ours takes the message, which is no offence. */
const offences: Readonly<Record<string, RegExp | undefined>> = {
  'malformed-admin-nonutf8': /message id/,
  'malformed-admin-short': /STATUS/,
  'malformed-admin-wrong-version': /eMQP\/9\.9/,
  'malformed-anonymous-identity': undefined,
  'malformed-backend-1-frame': /frame/,
  'malformed-backend-3-frames': /READY/,
  'malformed-backend-inform-docs-style': /queues/,
  'malformed-backend-inform-flat-pair': /queues/,
  'malformed-backend-inform-invalid-json': /queues/,
  'malformed-backend-inform-json-empty-list': /queues/,
  'malformed-backend-inform-json-names': /queues/,
  'malformed-backend-inform-json-number': /queues/,
  'malformed-backend-inform-json-object': /queues/,
  'malformed-backend-inform-json-string': /queues/,
  'malformed-backend-inform-lowercase': /inform/,
  'malformed-backend-inform-mixed-weights': /queues/,
  'malformed-backend-inform-no-type': /INFORM/,
  'malformed-backend-inform-short-pair': /queues/,
  'malformed-backend-inform-swapped-pair': /queues/,
  'malformed-backend-inform-type-scheduler': /schedulers connect to the frontend, tcp:\/\//,
  'malformed-backend-inform-unknown-type': /gardener/,
  'malformed-backend-inform-wrong-version': /eMQP\/0\.1/,
  'malformed-backend-known-kbai': undefined,
  'malformed-backend-known-reply-short': /does not hold that job/,
  'malformed-backend-known-reply-unknown-msgid': /never-sent/,
  'malformed-backend-known-request': /REQUEST is refused: workers do not send it/,
  'malformed-backend-known-status-ack-command': /ACK is refused/,
  'malformed-backend-known-unknown-command': /FROBNICATE/,
  'malformed-backend-nonutf8-msgid': /message id/,
  'malformed-backend-ready-unknown': /READY is not obeyed/,
  'malformed-backend-reply-unknown': /REPLY is not obeyed/,
  // With handover the second connection takes the routing id over, as a peer that comes back must be able to.
  'malformed-empty-identity-duplicate': undefined,
  'malformed-frontend-1-frame': /frame/,
  'malformed-frontend-2-frames': /command/,
  'malformed-frontend-3-frames': /REQUEST/,
  'malformed-frontend-heartbeat-unknown': /HEARTBEAT is not obeyed/,
  'malformed-frontend-inform-no-frames': /INFORM/,
  'malformed-frontend-inform-queues-only': /INFORM/,
  'malformed-frontend-inform-type-worker': /workers connect to the backend, tcp:\/\//,
  'malformed-frontend-inform-unknown-type': /gardener/,
  // A client's farewell.
  'malformed-frontend-kbye-unknown': undefined,
  'malformed-frontend-no-delimiter': /delimiter/,
  // The payload is the worker's business.
  'malformed-frontend-request-bad-json': undefined,
  'malformed-frontend-request-empty-msgid': /message id/,
  'malformed-frontend-request-empty-queue': /queue/,
  'malformed-frontend-request-empty-version': /protocol/,
  'malformed-frontend-request-extra-frames': /frames/,
  'malformed-frontend-request-lowercase': /request/,
  'malformed-frontend-request-no-message': /frames/,
  'malformed-frontend-request-no-queue': /frames/,
  'malformed-frontend-request-nonempty-frame0': /delimiter/,
  'malformed-frontend-request-nonutf8-message': undefined,
  'malformed-frontend-request-nonutf8-msgid': /message id/,
  'malformed-frontend-request-queue-only': /frames/,
  'malformed-frontend-request-wrong-version': /eMQP\/9\.9/,
  'malformed-frontend-schedule-short': /interval/,
  'malformed-frontend-unknown-command': /FROBNICATE/,
}

describe('a live broker and every recorded malformed message', () => {
  const log = new RecordedLog()
  const broker = new Broker({
    frontendAddress: 'tcp://127.0.0.1:*',
    backendAddress: 'tcp://127.0.0.1:*',
    administrationAddress: 'tcp://127.0.0.1:*',
    drainTimeoutMs: 100,
    log,
  })
  before(() => broker.start())
  after(() => broker.stop())

  const doorOf = (name: string) => {
    if (name.startsWith('worker')) return 'backend'
    return name.startsWith('admin') ? 'administration' : 'frontend'
  }

  /** A job from a client of its own through a worker of its own; whatever was said before must have been read by then. */
  async function serveOneJob(name: string): Promise<void> {
    const worker = new Peer(broker.addresses.backend, `good-worker-${name}`)
    const client = new Peer(broker.addresses.frontend, `good-client-${name}`)
    const queue = queueName(`good-${name}`)
    try {
      await worker.say({ type: 'INFORM', id: worker.newId(), role: 'worker', queues: [{ weight: 10, name: queue }] })
      await worker.expect('ACK')
      await worker.say({ type: 'READY', id: worker.newId() })
      const id = client.newId()
      const headers = makeHeaders({ guarantee: true, replyRequested: true })
      await client.say({ type: 'REQUEST', id, queue, headers, payload: new TextEncoder().encode('{}') })
      await client.expect('ACK')
      const request = await worker.expect('REQUEST')
      const payload = new TextEncoder().encode('{"value": 1}')
      await worker.say({ type: 'REPLY', kind: 'result', id: worker.newId(), request: request.id, payload })
      const reply = await client.expect('REPLY')
      assert.ok(reply.kind === 'result' && reply.request === id)
    } finally {
      worker.close()
      client.close()
    }
  }

  async function untilLogged(wanted: string): Promise<void> {
    const endBy = performance.now() + 5000
    while (!log.events.some(({ message }) => message.includes(wanted))) {
      assert.ok(performance.now() < endBy, `the broker did not log ${wanted}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Waits until the broker has read all that these peers have said: they say something more that is always logged. */
  async function untilRead(name: string, peers: ReadonlyMap<string, Peer>): Promise<void> {
    for (const [from, peer] of peers) {
      // A second unknown command would only be counted: then the first is what there is to wait for.
      if (unknownCommands.has(name)) return untilLogged(`${from}-of-${name}`)
      const command = `MARK-${from}-of-${name}`
      await peer.sendFrames(['', 'eMQP/1.0', command, 'marker'].map((frame) => new TextEncoder().encode(frame)))
      await untilLogged(command)
    }
  }

  test('the list of expectations is complete', () => {
    const recorded = exchangeNames(
      'malformed-frontend',
      'malformed-backend',
      'malformed-admin',
      'malformed-empty',
      'malformed-anon',
    )
    assert.deepEqual(Object.keys(offences).sort(), recorded)
  })

  for (const [name, offence] of Object.entries(offences)) {
    test(`${name}: alive, serving, ${offence === undefined ? 'no offence' : `logged once: ${offence.source}`}`, async () => {
      const first = log.events.length
      const peers = new Map<string, Peer>()
      try {
        for (const { from, frames } of readExchange(name).steps) {
          if (from === null || frames === undefined || from.startsWith('router')) continue
          const peer = peers.get(from) ?? new Peer(broker.addresses[doorOf(from)], `${from}-of-${name}`)
          peers.set(from, peer)
          await peer.sendFrames(frames)
        }
        await untilRead(name, peers)
        await serveOneJob(name)
      } finally {
        for (const peer of peers.values()) peer.close()
      }
      const complaints = log.events
        .slice(first)
        .filter(({ level, message }) => (level === 'warn' || level === 'error') && !message.includes('MARK-'))
        .filter(({ fields }) => String(fields['peer']).endsWith(`-of-${name}`))
      if (offence === undefined) assert.deepEqual(complaints, [])
      else {
        assert.equal(complaints.length, 1, complaints.map(({ message }) => message).join('\n'))
        assert.match(complaints[0]?.message ?? '', offence)
      }
      assert.equal(broker.stats?.faults, 0)
    })
  }
})
