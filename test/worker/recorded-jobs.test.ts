// The REQUESTs that were sent to EventMQ's job manager, sent to our worker: the same replies come back, but where ours
// differ on purpose.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decode, parseJobResult, type Request } from '@eventmq-ts/emqp'
import { type RecordedMessage, readExchange } from '../conformance/emqp/recorded-exchange.ts'
import { WorkerAtRouter } from './worker-at-router.ts'

/** Failures say that they are failures, nothing is `true`, and a header is matched by its whole name. */
const onPurpose: Readonly<Record<string, { readonly error: RegExp } | { readonly value: unknown } | 'no reply'>> = {
  'exception: its str() is the value; nothing marks it as an error': { error: /^deliberate failure$/ },
  'retry-count is ignored: run once': { error: /^deliberate failure$/ },
  'unknown callable': { error: /does not run "my_jobs\.nope"/ },
  'unknown module': { error: /does not run "no_such_module\.f"/ },
  'result not JSON-serializable': { error: /type Set/ },
  'substring test: any header text containing reply-requested counts': 'no reply',
  'args and friends left out': { value: true },
  'subcommand other than run: not looked at': { error: /expected \["run"/ },
}

const { exchange } = readExchange('jobmanager-jobs')

function requestOf({ frames }: RecordedMessage): Request | undefined {
  const decoded = decode(frames, { receiver: 'peer' })
  return decoded.ok && decoded.command.type === 'REQUEST' ? decoded.command : undefined
}

/** What the recorded job manager replied to a REQUEST. */
function recordedReply(id: string): Uint8Array | undefined {
  for (const { from, frames } of exchange) {
    if (from !== 'worker') continue
    const decoded = decode(frames, { receiver: 'broker' })
    if (!decoded.ok || decoded.command.type !== 'REPLY' || decoded.command.kind !== 'result') continue
    if (decoded.command.request === id) return decoded.command.payload
  }
  return undefined
}

describe('a REQUEST as EventMQ recorded it', () => {
  for (const message of exchange) {
    const request = message.from === 'router' ? requestOf(message) : undefined
    if (request === undefined) continue
    test(`gets its answer and then READY: ${message.note}`, async () => {
      await using at = await WorkerAtRouter.start()
      assert.equal((await at.hear()).type, 'READY')
      await at.router.sayFrames(at.peer, message.frames)
      const recorded = recordedReply(request.id)
      const ours = onPurpose[message.note]
      if (recorded !== undefined && ours !== 'no reply') {
        const reply = await at.hear()
        assert.ok(reply.type === 'REPLY' && reply.kind === 'result')
        assert.equal(reply.request, request.id)
        const result = parseJobResult(reply.payload)
        if (ours === undefined) assert.deepEqual(result, parseJobResult(recorded))
        else if ('value' in ours) assert.deepEqual(result, { kind: 'value', value: ours.value })
        else assert.match(result.kind === 'error' ? result.error.message : '', ours.error)
      }
      assert.equal((await at.hear()).type, 'READY')
    })
  }
})
