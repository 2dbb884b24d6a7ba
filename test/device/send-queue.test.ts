import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type QueuedMessage, SendQueue } from '../../packages/device/src/send-queue.ts'

const frames = (text: string) => [new TextEncoder().encode(text)]
const textOf = (message: QueuedMessage | undefined) => message && new TextDecoder().decode(message.frames[0])

function take(queue: SendQueue): QueuedMessage {
  const message = queue.take()
  assert.ok(message !== undefined)
  return message
}

test('messages leave in order, and one that was not sent after all is the first again', async () => {
  const queue = new SendQueue()
  const sent = ['a', 'b'].map((text) => queue.add(frames(text), false))
  const first = take(queue)
  assert.equal(queue.length, 2, 'what is being sent still counts')
  queue.putBack(first)
  assert.equal(textOf(take(queue)), 'a')
  queue.done(first)
  await sent[0]
  queue.done(take(queue))
  await sent[1]
  assert.equal(queue.take(), undefined)
})

test('what belongs to a registration ends with it, without an error; the rest stays', async () => {
  const queue = new SendQueue()
  const ready = queue.add(frames('ready'), true)
  void queue.add(frames('reply'), false)
  queue.dropOfRegistration()
  await ready
  assert.equal(textOf(queue.take()), 'reply')
})

test('once closed, whatever waits is rejected, also what was being sent then', async () => {
  const queue = new SendQueue()
  const being = assert.rejects(queue.add(frames('being sent'), false), /closed/)
  const waiting = assert.rejects(queue.add(frames('waiting'), false), /closed/)
  const message = take(queue)
  queue.close(new Error('closed'))
  await waiting
  queue.putBack(message)
  await being
  await queue.whenEmpty()
})

test('whenEmpty waits for what is being sent too', async () => {
  const queue = new SendQueue()
  await queue.whenEmpty()
  void queue.add(frames('a'), false)
  let empty = false
  const waiting = queue.whenEmpty().then(() => {
    empty = true
  })
  const message = take(queue)
  await undefined
  assert.equal(empty, false)
  queue.done(message)
  await waiting
})
