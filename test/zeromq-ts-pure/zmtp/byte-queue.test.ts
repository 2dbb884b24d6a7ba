import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ByteQueue } from 'zeromq-ts-pure/zmtp'
import { bytes, hexOf } from './wire.ts'

describe('a byte queue', () => {
  test('gives back what came in, across its chunks', () => {
    const queue = new ByteQueue()
    queue.push(bytes('01 02'))
    queue.push(new Uint8Array(2_000).fill(3))
    queue.push(bytes('04'))
    assert.equal(queue.length, 2_003)
    assert.equal(queue.at(1), 2)
    assert.equal(queue.at(2), 3)
    assert.equal(queue.at(2_002), 4)
    assert.equal(hexOf(queue.take(3)), '010203')
    assert.equal(hexOf(queue.take(1_999)), '03'.repeat(1_999))
    assert.equal(hexOf(queue.take(1)), '04')
    assert.equal(queue.length, 0)
  })

  test('takes nothing, or all, when asked to', () => {
    const queue = new ByteQueue()
    assert.equal(queue.takeAll().length, 0)
    queue.push(bytes('01 02'))
    assert.equal(queue.take(0).length, 0)
    assert.equal(hexOf(queue.takeAll()), '0102')
  })

  test('refuses to give more than it holds, and holds it still', () => {
    const queue = new ByteQueue()
    queue.push(bytes('01'))
    assert.throws(() => queue.take(2), RangeError)
    assert.throws(() => queue.at(1), RangeError)
    assert.equal(hexOf(queue.takeAll()), '01')
  })

  test('copies small chunks: whoever pushed them may use their memory again', () => {
    const queue = new ByteQueue()
    const chunk = bytes('01 02')
    queue.push(chunk)
    chunk.fill(9)
    assert.equal(hexOf(queue.takeAll()), '0102')
  })

  test('keeps bytes that were taken as they were, whatever comes later', () => {
    const queue = new ByteQueue()
    queue.push(bytes('01 02 03'))
    const taken = queue.take(2)
    queue.push(bytes('04 05'))
    assert.equal(hexOf(taken), '0102')
    const rest = queue.takeAll()
    queue.push(bytes('06'))
    assert.equal(hexOf(rest), '030405')
  })

  test('hands on a large chunk without a copy', () => {
    const queue = new ByteQueue()
    const chunk = new Uint8Array(5_000)
    queue.push(chunk)
    assert.equal(queue.take(4_000).buffer, chunk.buffer)
  })
})

/** The plain model: one array of numbers. */
interface Model {
  held: number[]
}

class Push implements fc.Command<Model, ByteQueue> {
  readonly chunk: Uint8Array

  constructor(chunk: Uint8Array) {
    this.chunk = chunk
  }

  check(): boolean {
    return true
  }

  run(model: Model, queue: ByteQueue): void {
    queue.push(this.chunk)
    model.held.push(...this.chunk)
    assert.equal(queue.length, model.held.length)
  }

  toString(): string {
    return `push(${this.chunk.length})`
  }
}

/** Takes a part of what is held: a share of 0 to 100 percent. */
class Take implements fc.Command<Model, ByteQueue> {
  readonly share: number

  constructor(share: number) {
    this.share = share
  }

  check(): boolean {
    return true
  }

  run(model: Model, queue: ByteQueue): void {
    const count = Math.round((model.held.length * this.share) / 100)
    const expected = Uint8Array.from(model.held.splice(0, count))
    assert.equal(hexOf(queue.take(count)), hexOf(expected))
    assert.equal(queue.length, model.held.length)
  }

  toString(): string {
    return `take(${this.share} %)`
  }
}

class Look implements fc.Command<Model, ByteQueue> {
  readonly share: number

  constructor(share: number) {
    this.share = share
  }

  check({ held }: Model): boolean {
    return held.length > 0
  }

  run({ held }: Model, queue: ByteQueue): void {
    const index = Math.min(held.length - 1, Math.floor((held.length * this.share) / 100))
    assert.equal(queue.at(index), held[index])
  }

  toString(): string {
    return `at(${this.share} %)`
  }
}

class TakeTooMuch implements fc.Command<Model, ByteQueue> {
  check(): boolean {
    return true
  }

  run({ held }: Model, queue: ByteQueue): void {
    assert.throws(() => queue.take(held.length + 1), RangeError)
    assert.equal(queue.length, held.length)
  }

  toString(): string {
    return 'take(too much)'
  }
}

test('a byte queue behaves like an array of its bytes, whatever is done in whatever order', () => {
  // Around the lengths at which small chunks are gathered: 1,024 a chunk, 4,096 together.
  const length = fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 1_500 }), fc.constantFrom(1_023, 1_024, 1_025, 4_096))
  const share = fc.nat({ max: 100 })
  const commands = fc.commands(
    [
      fc
        .tuple(length, fc.nat({ max: 255 }))
        .map(([size, first]) => new Push(new Uint8Array(size).map((_, i) => first + i))),
      share.map((percent) => new Take(percent)),
      share.map((percent) => new Look(percent)),
      fc.constant(new TakeTooMuch()),
    ],
    { maxCommands: 60 },
  )
  fc.assert(
    fc.property(commands, (sequence) => {
      fc.modelRun(() => ({ model: { held: [] }, real: new ByteQueue() }), sequence)
    }),
  )
})
