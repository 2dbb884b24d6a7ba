// Making sockets and contexts. (npm `zeromq` refuses the same with the same words, but a socket whose constructor threw
// makes it crash when the process ends, so there is no side-by-side test of this.)

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  Context,
  context,
  Dealer,
  Publisher,
  Pull,
  Push,
  Reply,
  Request,
  Router,
  Socket,
  Subscriber,
  ZeroMQError,
} from 'zeromq-ts-pure'
import { scoped } from './scope.ts'

/** A constructor as JavaScript calls it: with anything. */
const untyped = (type: unknown) => type as new (options?: unknown) => Pull

const OPTIONS_REFUSED = {
  'an option that there is not': {
    options: { nonsense: 1 },
    error: { name: 'TypeError', message: 'Cannot add property nonsense, object is not extensible' },
  },
  'an option of another type of socket': {
    options: { sendTimeout: 1 },
    error: { name: 'TypeError', message: 'Cannot add property sendTimeout, object is not extensible' },
  },
  'an option without a value': {
    options: { linger: undefined },
    error: { name: 'TypeError', message: 'Option value must be a number' },
  },
  'an option out of its range': { options: { linger: -2 }, error: { code: 'EINVAL', errno: 22 } },
  'null for options': { options: null, error: { name: 'TypeError', message: 'Options must be an object' } },
}

describe('a socket', () => {
  for (const [what, { options, error }] of Object.entries(OPTIONS_REFUSED)) {
    test(`is not made with ${what}, and counts for nothing then`, () =>
      scoped(async (own) => {
        const only = new Context({ maxSockets: 1 })
        const withContext = options === null ? options : { context: only, ...options }
        assert.throws(() => new (untyped(Pull))(withContext), error)
        own(new Pull({ context: only }))
      }))
  }

  test('is made with options or without, and does not keep the object', () =>
    scoped(async (own) => {
      const options = { receiveTimeout: 5 }
      const pull = own(new Pull(options))
      options.receiveTimeout = 6
      assert.equal(pull.receiveTimeout, 5)
      assert.equal(own(new Pull()).receiveTimeout, -1)
      assert.equal(own(new (untyped(Pull))(undefined)).receiveTimeout, -1)
    }))

  test('of each type is a Socket and has its number', () =>
    scoped(async (own) => {
      const numbers = new Map<Socket, number>([
        [own(new Publisher()), 1],
        [own(new Subscriber()), 2],
        [own(new Request()), 3],
        [own(new Reply()), 4],
        [own(new Dealer()), 5],
        [own(new Router()), 6],
        [own(new Pull()), 7],
        [own(new Push()), 8],
      ])
      for (const [socket, number] of numbers) {
        assert.ok(socket instanceof Socket)
        assert.equal(socket.type, number)
      }
    }))

  test('takes no other properties', () =>
    scoped(async (own) => {
      const pull = own(new Pull())
      assert.throws(() => Object.assign(pull, { foo: 1 }), TypeError)
    }))

  test('closes at the end of its block with `using`', () => {
    let seen: Pull
    {
      using pull = new Pull()
      seen = pull
      assert.equal(pull.closed, false)
    }
    assert.equal(seen.closed, true)
  })
})

describe('a context', () => {
  test('allows so many open sockets and no more; a closed one makes room', () =>
    scoped(async (own) => {
      const small = new Context({ maxSockets: 2 })
      const first = own(new Pull({ context: small }))
      own(new Pull({ context: small }))
      assert.throws(() => new Pull({ context: small }), { code: 'EMFILE', errno: 24 })
      first.close()
      first.close()
      own(new Pull({ context: small }))
      assert.throws(() => new Pull({ context: small }), { code: 'EMFILE' })
    }))

  test('gives its ipv6 to sockets that do not set their own', () =>
    scoped(async (own) => {
      const six = new Context({ ipv6: true })
      assert.equal(own(new Pull({ context: six })).ipv6, true)
      assert.equal(own(new Pull({ context: six, ipv6: false })).ipv6, false)
      assert.equal(own(new Pull()).ipv6, false)
    }))

  test('is the common one unless another is named', () =>
    scoped(async (own) => {
      assert.equal(own(new Pull()).context, context)
    }))

  test('refuses what is no option, and values out of range', () => {
    assert.throws(() => new Context({ nonsense: 1 } as object), TypeError)
    assert.throws(() => new Context({ maxSockets: 0 }), { code: 'EINVAL' })
    assert.throws(() => new Context({ maxSockets: 65_536 }), { code: 'EINVAL' })
  })
})

test('an error looks as that of npm zeromq: an Error with code, errno, and an address only where there is one', () => {
  const pull = new Pull()
  pull.close()
  const error = thrown(() => pull.connect('tcp://127.0.0.1:1'))
  assert.ok(error instanceof ZeroMQError && error instanceof Error)
  assert.equal(`${error}`, 'Error: Socket is closed')
  assert.deepEqual(Object.keys(error).sort(), ['code', 'errno'])
  const push = new Push()
  const withAddress = thrown(() => push.connect('nonsense'))
  push.close()
  assert.deepEqual(Object.keys(withAddress).sort(), ['address', 'code', 'errno'])
})

function thrown(call: () => void): object {
  try {
    call()
  } catch (error) {
    if (error instanceof Error) return error
  }
  return assert.fail('nothing was thrown')
}
