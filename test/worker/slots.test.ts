import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeHeaders, messageId, queueName, type Request } from '@eventmq-ts/emqp'
import fc from 'fast-check'
import { Slots, type SlotsEffect } from '../../packages/worker/src/core/slots.ts'

function request(id: string, replyRequested = false): Request {
  return {
    type: 'REQUEST',
    id: messageId(id),
    queue: queueName('default'),
    headers: makeHeaders({ replyRequested }),
    payload: new Uint8Array(),
  }
}

/** Effects in short: `announce 2`, `perform a`, `release b leaving`. */
function told(effects: readonly SlotsEffect[]): string[] {
  return effects.map((effect) => {
    switch (effect.type) {
      case 'announce':
        return `announce ${effect.count}`
      case 'release':
        return `release ${effect.request.id} ${effect.reason}`
      case 'abort':
        return `abort ${effect.id}`
      case 'drained':
        return 'drained'
      default:
        return `${effect.type} ${effect.request.id}`
    }
  })
}

describe('slots', () => {
  test('every slot is announced once registered, and none before', () => {
    const slots = new Slots(3)
    assert.deepEqual(told(slots.lost()), [])
    assert.deepEqual(told(slots.registered()), ['announce 3'])
  })

  test('a run that has ended is answered before its slot is announced again', () => {
    const slots = new Slots(1)
    slots.registered()
    assert.deepEqual(told(slots.take(request('a'))), ['perform a'])
    assert.equal(slots.running, 1)
    assert.deepEqual(told(slots.ended(messageId('a'))), ['reply a', 'announce 1'])
    assert.equal(slots.running, 0)
  })

  test('after a reconnect only the slots that do not run are announced, and what ran is answered', () => {
    const slots = new Slots(3)
    slots.registered()
    slots.take(request('a'))
    slots.lost()
    assert.deepEqual(told(slots.registered()), ['announce 2'])
    assert.deepEqual(told(slots.ended(messageId('a'))), ['reply a', 'announce 1'])
  })

  test('a run that ends while the broker is away is answered at once and announced when it is back', () => {
    const slots = new Slots(1)
    slots.registered()
    slots.take(request('a'))
    slots.lost()
    assert.deepEqual(told(slots.ended(messageId('a'))), ['reply a'])
    assert.deepEqual(told(slots.registered()), ['announce 1'])
  })

  test('a REQUEST for which no slot was offered goes back', () => {
    const slots = new Slots(1)
    assert.deepEqual(told(slots.take(request('early'))), ['release early no-slot'])
    slots.registered()
    slots.take(request('a'))
    assert.deepEqual(told(slots.take(request('b'))), ['release b no-slot'])
  })

  test('a job that runs here already is not run twice; its slot is offered again', () => {
    const slots = new Slots(2)
    slots.registered()
    slots.take(request('a'))
    assert.deepEqual(told(slots.take(request('a', true))), ['joined a', 'announce 1'])
    const [reply] = slots.ended(messageId('a'))
    assert.ok(reply?.type === 'reply')
    assert.equal(reply.request.headers.replyRequested, true)
  })

  test('a REQUEST that could not be read has used its slot, which is offered again', () => {
    const slots = new Slots(1)
    slots.registered()
    assert.deepEqual(told(slots.unreadable()), ['announce 1'])
  })

  test('draining takes nothing more, answers what ends and is drained with the last one', () => {
    const slots = new Slots(3)
    slots.registered()
    slots.take(request('a'))
    slots.take(request('b'))
    assert.deepEqual(told(slots.drain()), [])
    assert.deepEqual(told(slots.drain()), [])
    assert.deepEqual(told(slots.take(request('late'))), ['release late leaving'])
    assert.deepEqual(told(slots.ended(messageId('a'))), ['reply a'])
    assert.deepEqual(told(slots.registered()), [])
    assert.deepEqual(told(slots.ended(messageId('b'))), ['reply b', 'drained'])
  })

  test('what runs when the grace period is over is ended and given back, and its late end changes nothing', () => {
    const slots = new Slots(1)
    slots.registered()
    slots.take(request('a'))
    slots.drain()
    assert.deepEqual(told(slots.graceOver()), ['abort a', 'release a grace-over', 'drained'])
    assert.deepEqual(told(slots.ended(messageId('a'))), [])
  })

  test('the grace period means nothing to one that serves', () => {
    const slots = new Slots(1)
    slots.registered()
    slots.take(request('a'))
    assert.deepEqual(told(slots.graceOver()), [])
    assert.equal(slots.running, 1)
  })

  test('an idle one is drained at once', () => {
    assert.deepEqual(told(new Slots(2).drain()), ['drained'])
  })

  test('whatever happens, no more is offered and run than there are slots, and nothing is performed twice at once', () => {
    const event = fc.oneof(
      fc.record({ type: fc.constantFrom('registered', 'lost', 'unreadable', 'drain', 'graceOver') }),
      fc.record({ type: fc.constantFrom('take', 'ended'), id: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.array(event, { maxLength: 80 }), (concurrency, events) => {
        const slots = new Slots(concurrency)
        const running = new Set<string>()
        // As the broker counts: READY adds one, what it sends takes one, a new registration starts at none.
        let offered = 0
        for (const step of events) {
          if (step.type === 'registered' || step.type === 'lost') offered = 0
          if (step.type === 'take' || step.type === 'unreadable') {
            if (offered === 0) continue
            offered--
          }
          const effects =
            'id' in step
              ? step.type === 'take'
                ? slots.take(request(step.id))
                : slots.ended(messageId(step.id))
              : slots[step.type as 'registered' | 'lost' | 'unreadable' | 'drain' | 'graceOver']()
          for (const effect of effects) {
            if (effect.type === 'perform') {
              assert.ok(!running.has(effect.request.id))
              running.add(effect.request.id)
            }
            if (effect.type === 'reply') running.delete(effect.request.id)
            if (effect.type === 'abort') running.delete(effect.id)
            if (effect.type === 'announce') offered += effect.count
          }
          assert.equal(slots.running, running.size)
          assert.ok(running.size + offered <= concurrency)
        }
      }),
    )
  })
})
