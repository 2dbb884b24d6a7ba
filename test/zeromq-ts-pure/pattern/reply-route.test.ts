// Peers by routing id: who is served when peers share an id, come back under another one, or leave.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KeepAlive } from '../../../packages/zeromq-ts-pure/src/engine/keep-alive.ts'
import { Pipe } from '../../../packages/zeromq-ts-pure/src/engine/pipe.ts'
import { ReplyRoute } from '../../../packages/zeromq-ts-pure/src/pattern/reply-route.ts'

const OWNER = { readable: () => undefined, writable: () => undefined, ended: () => undefined }

function pipeOf(id: string): Pipe {
  const pipe = new Pipe(OWNER, new KeepAlive(), { receiveHighWaterMark: 0, sendHighWaterMark: 0 })
  pipe.routingId = Buffer.from(id)
  return pipe
}

describe('of two peers with one id', () => {
  test('the second is served once the first comes back under another id', () => {
    const routes = new ReplyRoute(1)
    const [first, second] = [pipeOf('X'), pipeOf('X')]
    routes.add(first, false)
    assert.deepEqual(routes.add(second, false).served, [])
    first.routingId = Buffer.from('Y')
    assert.deepEqual(routes.add(first, false).served, [second, first])
    assert.equal(routes.find(Buffer.from('X')), second)
    assert.equal(routes.find(Buffer.from('Y')), first)
  })

  test('the second waits no more once it took over, and is the successor of nobody when it was displaced in turn', () => {
    const routes = new ReplyRoute(1)
    const [first, second, third] = [pipeOf('X'), pipeOf('X'), pipeOf('X')]
    routes.add(first, false)
    routes.add(second, false)
    assert.equal(routes.add(second, true).displaced, first)
    assert.equal(routes.add(third, true).displaced, second)
    assert.equal(routes.remove(third), undefined)
    assert.equal(routes.size, 0)
  })
})
