// Which events tell of a connection's life, and in which order, side by side with npm `zeromq`.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket as TcpSocket } from 'node:net'
import { type Behaviour, describeBehaviours, type Open } from './behaviour.ts'
import type { AnySocket } from './libraries.ts'

const TYPES = [
  'accept',
  'bind',
  'bind:error',
  'close',
  'connect',
  'connect:delay',
  'connect:retry',
  'disconnect',
  'end',
  'handshake',
  'handshake:error:other',
  'handshake:error:protocol',
]

/** Which of the two a lost connection gives is a matter of microseconds. */
const LOST = /^(EPIPE|ECONNRESET)$/

/** A socket's events in order. Waiting for one is the only way in which these tests let time pass. */
class Watched {
  readonly types: string[] = []
  readonly errors: string[] = []
  #happened: () => void = () => undefined

  constructor(socket: AnySocket) {
    for (const type of TYPES) {
      socket.events.on(type, ({ error }) => {
        this.types.push(type)
        if (error !== undefined && 'code' in error) this.errors.push(`${error.code}`.replace(LOST, 'lost'))
        this.#happened()
      })
    }
  }

  async until(type: string, n = 1): Promise<void> {
    while (this.types.filter((seen) => seen === type).length < n) {
      await new Promise<void>((resolve) => {
        this.#happened = resolve
      })
    }
  }

  toString(): string {
    return this.types.join(' ')
  }
}

async function connected(open: Open): Promise<readonly [AnySocket, Watched, AnySocket, Watched]> {
  const [server, client] = [open('Router'), open('Dealer')]
  const [ofServer, ofClient] = [new Watched(server), new Watched(client)]
  await server.bind('tcp://127.0.0.1:*')
  client.connect(server.lastEndpoint ?? '')
  await Promise.all([ofServer.until('handshake'), ofClient.until('handshake')])
  return [server, ofServer, client, ofClient]
}

function portOf(socket: AnySocket): number {
  return Number(socket.lastEndpoint?.split(':').at(-1))
}

/** What a server sees of a peer that is played by hand. */
function serverSees(play: (peer: TcpSocket) => void, options = {}): Behaviour['run'] {
  return async (open) => {
    const server = open('Router', options)
    const watched = new Watched(server)
    await server.bind('tcp://127.0.0.1:*')
    const peer = connect(portOf(server), '127.0.0.1')
    peer.on('error', () => undefined)
    await once(peer, 'connect')
    play(peer)
    await watched.until('disconnect')
    peer.destroy()
    server.close()
    await watched.until('end')
    return `${watched}; ${watched.errors.join()}`
  }
}

const MECHANISM_PLAIN = Buffer.from(`ff00000000000000017f0301504c41494e${'00'.repeat(47)}`, 'hex')
const SUB_OPENING = Buffer.from(
  `ff00000000000000017f03014e554c4c${'00'.repeat(48)}04190552454144590b536f636b65742d5479706500000003535542`,
  'hex',
)

describeBehaviours('events', {
  'of a client that is refused, twice': {
    run: async (open) => {
      const client = open('Dealer')
      const watched = new Watched(client)
      client.connect('tcp://127.0.0.1:1')
      await watched.until('connect:retry', 2)
      return `${watched}`
    },
    expected: 'connect:delay close connect:retry connect:delay close connect:retry',
  },
  'of a server whose client comes and goes': {
    run: async (open) => {
      const [server, ofServer, client] = await connected(open)
      client.close()
      await ofServer.until('disconnect')
      server.close()
      await ofServer.until('end')
      return `${ofServer}`
    },
    expected: 'bind accept handshake disconnect close end',
  },
  'of a client that comes and goes': {
    run: async (open) => {
      const [, , client, ofClient] = await connected(open)
      client.close()
      await ofClient.until('end')
      return `${ofClient}`
    },
    expected: 'connect:delay connect handshake end',
  },
  'of a server that leaves its client': {
    run: async (open) => {
      const [server, ofServer] = await connected(open)
      server.close()
      await ofServer.until('end')
      return `${ofServer}`
    },
    expected: 'bind accept handshake close end',
  },
  'of a client whose server leaves': {
    run: async (open) => {
      const [server, , , ofClient] = await connected(open)
      server.close()
      await ofClient.until('connect:retry')
      return `${ofClient}`
    },
    expected: 'connect:delay connect handshake disconnect connect:retry',
  },
  'of a server whose peer wants another mechanism': {
    run: serverSees((peer) => peer.write(MECHANISM_PLAIN)),
    expected: 'bind accept handshake:error:protocol disconnect close end; ERR_ZMTP_MECHANISM_MISMATCH',
  },
  'of a server whose peer is of a type that does not fit': {
    run: serverSees((peer) => peer.write(SUB_OPENING)),
    expected: 'bind accept disconnect close end; ',
    ours: {
      expected: 'bind accept handshake:error:protocol disconnect close end; ERR_ZMTP_INVALID_METADATA',
      because: 'it says why',
    },
  },
  'of a server whose peer leaves during the handshake': {
    run: serverSees((peer) => peer.end('\xff', 'latin1')),
    expected: 'bind accept handshake:error:other disconnect close end; lost',
  },
  'of a server whose peer says nothing': {
    run: serverSees(() => undefined, { handshakeInterval: 50 }),
    expected: 'bind accept handshake:error:other disconnect close end; EAGAIN',
  },
  'of a client whose server ends the connection at once': {
    run: async (open) => {
      const server = createServer((peer) => peer.destroy())
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const client = open('Dealer')
      const watched = new Watched(client)
      client.connect(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`)
      await watched.until('connect:retry')
      server.close()
      return `${watched}; ${watched.errors.join()}`
    },
    expected: 'connect:delay connect handshake:error:other disconnect connect:retry; lost',
  },
  'of a second connect to the same address: of a DEALER nothing, of a PUSH another connection': {
    run: async (open) => {
      const [router, pull] = [open('Router'), open('Pull')]
      const [ofRouter, ofPull] = [new Watched(router), new Watched(pull)]
      const [dealer, push] = [open('Dealer'), open('Push')]
      for (const [server, client] of [
        [router, dealer],
        [pull, push],
      ] as const) {
        await server.bind('tcp://127.0.0.1:*')
        client.connect(server.lastEndpoint ?? '')
        client.connect(server.lastEndpoint ?? '')
      }
      await ofPull.until('handshake', 2)
      await ofRouter.until('handshake')
      const accepted = (watched: Watched) => watched.types.filter((type) => type === 'accept').length
      return `${accepted(ofRouter)}, ${accepted(ofPull)}`
    },
    expected: '1, 2',
  },
})
