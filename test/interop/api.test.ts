// What calls come to, side by side with npm `zeromq`: errors, timeouts, states, arguments.

import { type Behaviour, describeBehaviours, outcome } from './behaviour.ts'
import type { AnySocket, Part } from './libraries.ts'

const LOCAL = 'tcp://127.0.0.1:*'
const CLOSED = 'EBADF 9: Socket is closed'
const NOT_A_SOCKET = 'ENOTSOCK 88: Socket operation on non-socket'
const TIMED_OUT = 'EAGAIN 11: Operation was not possible or timed out'
const WRONG_STATE = 'EFSM 156384763: Operation cannot be accomplished in current state'
const UNREACHABLE = 'EHOSTUNREACH 113: Host unreachable'
const BLOCKED = 'EBUSY 16: Socket is blocked by a bind or unbind operation'
const INVALID = 'EINVAL 22: Invalid argument'

/** A port that nobody listens at: 1 (tcpmux), which no system here serves. */
const DEAD = 'tcp://127.0.0.1:1'

async function bound(socket: AnySocket): Promise<string> {
  await socket.bind(LOCAL)
  return socket.lastEndpoint ?? ''
}

function closed(socket: AnySocket): AnySocket {
  socket.close()
  return socket
}

/** Calls with arguments that the types forbid. */
function untyped(value: unknown): Part {
  return value as Part
}

describeBehaviours('a closed socket', {
  'refuses send': { run: (open) => outcome(() => closed(open('Push')).send('a')), expected: `threw ${CLOSED}` },
  'refuses receive': { run: (open) => outcome(() => closed(open('Pull')).receive()), expected: `threw ${CLOSED}` },
  'refuses bind': { run: (open) => outcome(() => closed(open('Pull')).bind(LOCAL)), expected: `threw ${CLOSED}` },
  'refuses unbind': { run: (open) => outcome(() => closed(open('Pull')).unbind(DEAD)), expected: `threw ${CLOSED}` },
  'refuses connect': { run: (open) => outcome(() => closed(open('Pull')).connect(DEAD)), expected: `threw ${CLOSED}` },
  'refuses disconnect': {
    run: (open) => outcome(() => closed(open('Pull')).disconnect(DEAD)),
    expected: `threw ${CLOSED}`,
  },
  'refuses subscribe': {
    run: (open) => outcome(() => closed(open('Subscriber')).subscribe('a')),
    expected: `threw ${NOT_A_SOCKET}`,
  },
  'has no options any more': {
    run: (open) => outcome(() => Reflect.get(closed(open('Pull')), 'linger')),
    expected: `threw ${NOT_A_SOCKET}`,
  },
  'has no last endpoint any more': {
    run: async (open) => {
      const pull = open('Pull')
      await bound(pull)
      return outcome(() => closed(pull).lastEndpoint?.replace(/\d+$/, '<port>'))
    },
    expected: `threw ${NOT_A_SOCKET}`,
    ours: { expected: 'returned tcp://127.0.0.1:<port>', because: 'it can still be logged' },
  },
  'may be closed again': { run: (open) => outcome(() => closed(open('Pull')).close()), expected: 'returned undefined' },
  'says so': { run: async (open) => `${closed(open('Pull')).closed}`, expected: 'true' },
  'ends a loop over its messages': {
    run: async (open) =>
      outcome(() =>
        closed(open('Pull'))
          [Symbol.asyncIterator]()
          .next()
          .then((end) => end.done),
      ),
    expected: 'resolved true',
  },
})

describeBehaviours('closing', {
  'fails the receive that waits': {
    run: async (open) => {
      const pull = open('Pull')
      await pull.bind(LOCAL)
      const waiting = outcome(() => pull.receive())
      pull.close()
      return waiting
    },
    expected: `rejected ${TIMED_OUT}`,
  },
  'ends the loop that waits': {
    run: async (open) => {
      const pull = open('Pull')
      await pull.bind(LOCAL)
      const waiting = outcome(() =>
        pull[Symbol.asyncIterator]()
          .next()
          .then((end) => end.done),
      )
      pull.close()
      return waiting
    },
    expected: 'resolved true',
  },
  'fails the send that waits': {
    run: async (open) => {
      const push = open('Push')
      await push.bind(LOCAL)
      const waiting = outcome(() => push.send('a'))
      push.close()
      return waiting
    },
    expected: `rejected ${TIMED_OUT}`,
  },
  'fails the receive of a REQ that asked nothing': {
    run: async (open) => {
      const request = open('Request')
      const waiting = outcome(() => request.receive())
      request.close()
      return waiting
    },
    expected: `rejected ${WRONG_STATE}`,
  },
  'fails a mandatory send that waits for its peer': {
    run: async (open) => {
      const router = open('Router', { mandatory: true })
      await router.bind(LOCAL)
      const waiting = outcome(() => router.send(['x', 'a']))
      router.close()
      return waiting
    },
    expected: `rejected ${UNREACHABLE}`,
  },
  'waits for a bind under way': {
    run: async (open) => {
      const pull = open('Pull')
      const binding = outcome(() => pull.bind(LOCAL))
      pull.close()
      return `${await binding}, then closed: ${pull.closed}`
    },
    expected: 'resolved undefined, then closed: true',
  },
})

describeBehaviours('one operation at a time', {
  'a second receive': {
    run: async (open) => {
      const pull = open('Pull')
      pull.receive().catch(() => undefined)
      return outcome(() => pull.receive())
    },
    expected: 'threw EBUSY 16: Socket is busy reading; only one receive operation may be in progress at any time',
  },
  'a second send that has to wait': {
    run: async (open) => {
      const push = open('Push')
      push.send('a').catch(() => undefined)
      return outcome(() => push.send('b'))
    },
    expected: 'threw EBUSY 16: Socket is busy writing; only one send operation may be in progress at any time',
  },
  'a connect during a bind': {
    run: async (open) => {
      const pull = open('Pull')
      const binding = pull.bind(LOCAL)
      const seen = await outcome(() => pull.connect(DEAD))
      await binding
      return seen
    },
    expected: `threw ${BLOCKED}`,
  },
  'a receive during a bind': {
    run: async (open) => {
      const pull = open('Pull')
      const binding = pull.bind(LOCAL)
      const seen = await outcome(() => pull.receive())
      await binding
      return seen
    },
    expected: `threw ${BLOCKED}`,
  },
  'a second bind during a bind': {
    run: async (open) => {
      const pull = open('Pull')
      const binding = pull.bind(LOCAL)
      const seen = await outcome(() => pull.bind(LOCAL))
      await binding
      return seen
    },
    expected: `threw ${BLOCKED}`,
  },
})

const refusedWith = (type: 'Push' | 'Dealer', options: Record<string, number>, expected: string): Behaviour => ({
  run: (open) => outcome(() => open(type, options).send('a')),
  expected,
})

describeBehaviours('timeouts', {
  'a receive with 0': {
    run: (open) => outcome(() => open('Pull', { receiveTimeout: 0 }).receive()),
    expected: `rejected ${TIMED_OUT}`,
  },
  'a receive with 10 ms': {
    run: (open) => outcome(() => open('Pull', { receiveTimeout: 10 }).receive()),
    expected: `rejected ${TIMED_OUT}`,
  },
  'a receive without': { run: (open) => outcome(() => open('Pull').receive()), expected: 'pending' },
  'a PUSH without peers, with 0': refusedWith('Push', { sendTimeout: 0 }, `rejected ${TIMED_OUT}`),
  'a PUSH without peers, with 10 ms': refusedWith('Push', { sendTimeout: 10 }, `rejected ${TIMED_OUT}`),
  'a PUSH without peers, without': refusedWith('Push', {}, 'pending'),
  'a DEALER without peers, with 0': refusedWith('Dealer', { sendTimeout: 0 }, `rejected ${TIMED_OUT}`),
  'a loop over messages, with 10 ms': {
    run: (open) => outcome(() => open('Pull', { receiveTimeout: 10 })[Symbol.asyncIterator]().next()),
    expected: `rejected ${TIMED_OUT}`,
  },
  'a REQ that receives first, without': {
    run: (open) => outcome(() => open('Request').receive()),
    expected: 'pending',
  },
  'a REQ that receives first, with 0': {
    run: (open) => outcome(() => open('Request', { receiveTimeout: 0 }).receive()),
    expected: `rejected ${WRONG_STATE}`,
  },
  'a REQ that receives first, with 10 ms': {
    run: (open) => outcome(() => open('Request', { receiveTimeout: 10 }).receive()),
    expected: `rejected ${WRONG_STATE}`,
  },
  'a REQ that sends twice, with 10 ms': {
    run: async (open) => {
      const request = open('Request', { sendTimeout: 10 })
      request.connect(DEAD)
      await request.send('a')
      return outcome(() => request.send('b'))
    },
    expected: `rejected ${WRONG_STATE}`,
  },
  'a REQ that sends twice, without': {
    run: async (open) => {
      const request = open('Request')
      request.connect(DEAD)
      await request.send('a')
      return outcome(() => request.send('b'))
    },
    expected: 'pending',
  },
  'a REQ whose reply does not come, with 10 ms': {
    run: async (open) => {
      const request = open('Request', { receiveTimeout: 10 })
      request.connect(DEAD)
      await request.send('a')
      return outcome(() => request.receive())
    },
    expected: `rejected ${TIMED_OUT}`,
  },
  'a REP that sends first, with 0': {
    run: (open) => outcome(() => open('Reply', { sendTimeout: 0 }).send('a')),
    expected: `rejected ${WRONG_STATE}`,
  },
  'a REP that sends first, without': { run: (open) => outcome(() => open('Reply').send('a')), expected: 'pending' },
  'a mandatory ROUTER without peers, with 0': {
    run: (open) => outcome(() => open('Router', { mandatory: true, sendTimeout: 0 }).send(['x', 'a'])),
    expected: `rejected ${UNREACHABLE}`,
  },
  'a mandatory ROUTER without peers, with 10 ms': {
    run: (open) => outcome(() => open('Router', { mandatory: true, sendTimeout: 10 }).send(['x', 'a'])),
    expected: `rejected ${UNREACHABLE}`,
  },
  'a mandatory ROUTER without peers, without': {
    run: (open) => outcome(() => open('Router', { mandatory: true }).send(['x', 'a'])),
    expected: 'pending',
  },
  'a ROUTER without peers drops': {
    run: (open) => outcome(() => open('Router', { sendTimeout: 0 }).send(['x', 'a'])),
    expected: 'resolved undefined',
  },
  'a PUB without peers drops': {
    run: (open) => outcome(() => open('Publisher', { sendTimeout: 0 }).send('a')),
    expected: 'resolved undefined',
  },
})

/** By address: what bind and connect come to. */
const ADDRESSES: Readonly<Record<string, { readonly bind: string; readonly connect: string }>> = {
  'tcp://': { bind: `rejected ${INVALID} at tcp://`, connect: `threw ${INVALID} at tcp://` },
  'tcp://*': { bind: `rejected ${INVALID} at tcp://*`, connect: `threw ${INVALID} at tcp://*` },
  'tcp://127.0.0.1': { bind: `rejected ${INVALID} at tcp://127.0.0.1`, connect: `threw ${INVALID} at tcp://127.0.0.1` },
  'tcp://127.0.0.1:abc': {
    bind: `rejected ${INVALID} at tcp://127.0.0.1:abc`,
    connect: `threw ${INVALID} at tcp://127.0.0.1:abc`,
  },
  'tcp://127.0.0.1:*': { bind: 'resolved undefined', connect: `threw ${INVALID} at tcp://127.0.0.1:*` },
  'tcp://lo:*': { bind: 'resolved undefined', connect: `threw ${INVALID} at tcp://lo:*` },
  nonsense: { bind: `rejected ${INVALID} at nonsense`, connect: `threw ${INVALID} at nonsense` },
  '': { bind: `rejected ${INVALID} at `, connect: `threw ${INVALID} at ` },
  'foo://a': {
    bind: 'rejected EPROTONOSUPPORT 93: Protocol not supported at foo://a',
    connect: 'threw EPROTONOSUPPORT 93: Protocol not supported at foo://a',
  },
  'TCP://127.0.0.1:*': {
    bind: 'rejected EPROTONOSUPPORT 93: Protocol not supported at TCP://127.0.0.1:*',
    connect: 'threw EPROTONOSUPPORT 93: Protocol not supported at TCP://127.0.0.1:*',
  },
}

describeBehaviours(
  'addresses',
  Object.fromEntries(
    Object.entries(ADDRESSES).flatMap(([address, { bind, connect }]): [string, Behaviour][] => [
      [`bind "${address}"`, { run: (open) => outcome(() => open('Pull').bind(address), 5_000), expected: bind }],
      [`connect "${address}"`, { run: (open) => outcome(() => open('Pull').connect(address)), expected: connect }],
    ]),
  ),
)

describeBehaviours('binding and connecting', {
  'an address that is taken': {
    run: async (open) => {
      const address = await bound(open('Pull'))
      return outcome(() => open('Pull').bind(address), 5_000)
    },
    expected: 'rejected EADDRINUSE 98: Address already in use at tcp://127.0.0.1:<port>',
  },
  'unbinding what is not bound': {
    run: (open) => outcome(() => open('Pull').unbind('tcp://127.0.0.1:9999')),
    expected: 'rejected ENOENT 2: No such endpoint at tcp://127.0.0.1:<port>',
  },
  'disconnecting what is not connected': {
    run: (open) => outcome(() => open('Pull').disconnect('tcp://127.0.0.1:9999')),
    expected: 'threw ENOENT 2: No such endpoint at tcp://127.0.0.1:<port>',
  },
  'disconnecting what is no address': {
    run: (open) => outcome(() => open('Pull').disconnect('nonsense')),
    expected: `threw ${INVALID} at nonsense`,
  },
  'binding what is no text': {
    run: (open) => outcome(() => open('Pull').bind(untyped(5) as string)),
    expected: 'threw TypeError: Address must be a string',
  },
  'connecting what is no text': {
    run: (open) => outcome(() => open('Pull').connect(untyped(undefined) as string)),
    expected: 'threw TypeError: Address must be a string',
  },
  'the last endpoint after connecting': {
    run: async (open) => {
      const push = open('Push')
      push.connect(DEAD)
      return `${push.lastEndpoint}`
    },
    expected: DEAD,
  },
  'the last endpoint of a socket that did neither': {
    run: async (open) => `${open('Push').lastEndpoint}`,
    expected: 'null',
  },
})

const carried =
  (parts: unknown): Behaviour['run'] =>
  async (open) => {
    const pull = open('Pull', { receiveTimeout: 5_000 })
    const push = open('Push')
    push.connect(await bound(pull))
    await push.send(parts as Part[])
    return (await pull.receive()).map((part) => part.toString('hex')).join(' ')
  }

describeBehaviours('messages', {
  'text, numbers and what String() makes of the rest': {
    run: carried(['é', 5, 1.5, true, undefined, {}, [1, 2], 12345678901234567890n]),
    expected:
      'c3a9 35 312e35 74727565 756e646566696e6564 5b6f626a656374204f626a6563745d 312c32 3132333435363738393031323334353637383930',
  },
  'null and empty parts': { run: carried([null, '', Buffer.alloc(0)]), expected: '  ' },
  'bytes of every kind of array': {
    run: carried([
      Buffer.from('b'),
      new Uint16Array([258]),
      new ArrayBuffer(2),
      new Uint8Array([1, 2, 3]).subarray(1, 2),
    ]),
    expected: '62 0201 0000 02',
  },
  'one typed array that is not in a list': { run: carried(new Uint16Array([258, 3])), expected: '02010300' },
  'a small buffer that changes right after its send': {
    run: async (open) => {
      const pull = open('Pull', { receiveTimeout: 5_000 })
      const push = open('Push')
      push.connect(await bound(pull))
      const buffer = Buffer.alloc(10, 'a')
      const sent = push.send(buffer)
      buffer.fill('b')
      await sent
      return String(await pull.receive())
    },
    expected: 'aaaaaaaaaa',
  },
  'no message': {
    run: (open) => outcome(() => open('Publisher').send(untyped(undefined))),
    expected: 'threw TypeError: Message must be present',
  },
  'an empty list, which is nothing to send': {
    run: (open) => outcome(() => open('Push', { sendTimeout: 0 }).send([])),
    expected: 'resolved undefined',
  },
  'a part whose conversion fails': {
    run: (open) =>
      outcome(() =>
        open('Publisher').send(
          untyped({
            toString: () => {
              throw new TypeError('no text')
            },
          }),
        ),
      ),
    expected: 'threw TypeError: no text',
  },
})

describeBehaviours('subscribing', {
  'to what is neither text nor bytes': {
    run: (open) => outcome(() => open('Subscriber').subscribe(untyped(5))),
    expected: 'threw TypeError: Option value must be a string or buffer',
  },
  'to null': {
    run: (open) => outcome(() => open('Subscriber').subscribe(untyped(null))),
    expected: 'returned undefined',
  },
  'to bytes': {
    run: (open) => outcome(() => open('Subscriber').subscribe(untyped(new Uint8Array(2)))),
    expected: 'returned undefined',
  },
  'not any more to what was never subscribed': {
    run: (open) => outcome(() => open('Subscriber').unsubscribe('a')),
    expected: 'returned undefined',
  },
})
