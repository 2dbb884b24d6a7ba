// What killed or confused EventMQ's job manager must leave ours alive, serving, and with one line in its log.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type RecordedMessage, readAllExchanges } from '../conformance/emqp/recorded-exchange.ts'
import { WorkerAtRouter } from './worker-at-router.ts'

/** For each recording: what the log must say was wrong, and the error code of the REPLY if there is to be one. */
const right: Readonly<Record<string, { readonly says: RegExp; readonly reply?: string }>> = {
  'malformed-jobmanager-nonutf8': { says: /payload.*not UTF-8/ },
  'malformed-jobmanager-request-bad-json': { says: /payload is "not json"; expected JSON/, reply: 'EMQP_JOB' },
  'malformed-jobmanager-request-bad-timeout': { says: /headers.*timeout:soon.*whole seconds/, reply: 'EMQP_HEADER' },
  'malformed-jobmanager-request-empty-params': { says: /\["run", {"path", "callable"/, reply: 'EMQP_JOB' },
  'malformed-jobmanager-request-json-not-list': { says: /expected \["run"/, reply: 'EMQP_JOB' },
  'malformed-jobmanager-request-no-frames': { says: /REQUEST.*frames/, reply: 'EMQP_FRAME_COUNT' },
  'malformed-jobmanager-two-frames': { says: /frames/ },
  'malformed-jobmanager-unknown-command': { says: /FROBNICATE/ },
  'malformed-jobmanager-wrong-version': { says: /eMQP\/1\.0/ },
}

const exchanges = readAllExchanges().filter(({ name }) => name.startsWith('malformed-jobmanager-'))

/** The recorded message whose note begins so. */
function noted(messages: readonly RecordedMessage[], note: string): RecordedMessage {
  const found = messages.find((message) => message.note.startsWith(note))
  if (found === undefined) throw new Error(`the recording has no message noted "${note}"`)
  return found
}

describe('a worker that is sent', () => {
  test('every recorded oddity is in the table below', () => {
    assert.deepEqual(exchanges.map(({ name }) => name).sort(), Object.keys(right).sort())
  })

  for (const { name, description, exchange } of exchanges) {
    test(`${description.replace('To a real job manager: ', '')} is alive, serves on, and says once what was wrong`, async () => {
      await using at = await WorkerAtRouter.start()
      assert.equal((await at.hear()).type, 'READY')
      await at.router.sayFrames(at.peer, noted(exchange, 'MALFORMED').frames)
      const { says, reply } = right[name] ?? assert.fail()
      if (reply !== undefined) {
        const { request, result } = await at.result()
        assert.equal(request, 'm1')
        assert.ok(result.kind === 'error')
        assert.equal(result.error.code, reply)
      }
      await at.router.sayFrames(at.peer, noted(exchange, 'is it still working?').frames)
      let next = await at.hear()
      // The slot that the odd REQUEST used is offered again before anything else.
      while (next.type === 'READY') next = await at.hear()
      assert.ok(next.type === 'REPLY' && next.kind === 'result')
      assert.equal(Buffer.from(next.payload).toString(), '{"value": 42}')
      assert.equal((await at.hear()).type, 'READY')
      const lines = [...at.log.at('warn'), ...at.log.at('error')]
      assert.equal(lines.length, 1, JSON.stringify(lines))
      assert.match(lines[0]?.message ?? '', says)
    })
  }
})
