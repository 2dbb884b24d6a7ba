// A peer of a live broker for tests: a DEALER that sends commands or raw frames and waits for commands.

import assert from 'node:assert/strict'
import { type Command, decode, encode, type MessageId } from '@eventmq-ts/emqp'
import { Dealer } from 'zeromq-ts-pure'

let count = 0

export class Peer {
  readonly socket: Dealer
  readonly received: Command[] = []
  readonly #receiver: 'peer' | 'administrator'

  constructor(address: string, routingId?: string, receiver: 'peer' | 'administrator' = 'peer') {
    this.#receiver = receiver
    this.socket = new Dealer({ ...(routingId === undefined ? {} : { routingId }), linger: 0, receiveTimeout: 5000 })
    this.socket.connect(address)
  }

  newId(): MessageId {
    return `test-${++count}` as MessageId
  }

  async say(command: Command): Promise<void> {
    await this.socket.send(encode(command))
  }

  async sendFrames(frames: readonly Uint8Array[]): Promise<void> {
    await this.socket.send([...frames])
  }

  /** The next command that is not a HEARTBEAT. */
  async next(): Promise<Command> {
    for (;;) {
      const decoded = decode(await this.socket.receive(), { receiver: this.#receiver })
      if (!decoded.ok) throw decoded.error
      if (decoded.command.type !== 'HEARTBEAT') return decoded.command
    }
  }

  /** The next command, which must be of this type. */
  async expect<T extends Command['type']>(type: T): Promise<Extract<Command, { readonly type: T }>> {
    const command = await this.next()
    assert.equal(command.type, type)
    return command as Extract<Command, { readonly type: T }>
  }

  close(): void {
    this.socket.close()
  }
}
