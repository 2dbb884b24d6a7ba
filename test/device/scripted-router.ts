// A ROUTER that does only what a test tells it: what peers send comes out one by one, decoded; what the test sends goes
// to the peer it names.

import { type Command, decode, encode, type MessageId, messageId } from '@eventmq-ts/emqp'
import { Router } from 'zeromq-ts-pure'

/** One command of a peer. */
export interface Heard {
  readonly from: string
  readonly command: Command
  readonly frames: readonly Uint8Array[]
}

export class ScriptedRouter {
  readonly #socket: Router
  #ids = 0

  private constructor(socket: Router) {
    this.#socket = socket
  }

  /** Bound to an ephemeral port, or to the one of a router that was closed before. */
  static async bind(address = 'tcp://127.0.0.1:*'): Promise<ScriptedRouter> {
    const socket = new Router({ handover: true, linger: 0, queueOperations: true })
    await socket.bind(address)
    return new ScriptedRouter(socket)
  }

  get address(): string {
    const { lastEndpoint } = this.#socket
    if (lastEndpoint === null) throw new Error('not bound')
    return lastEndpoint
  }

  newId(): MessageId {
    return messageId(`router-${++this.#ids}`)
  }

  /** The next command, whichever it is. */
  async hear(): Promise<Heard> {
    const [from, ...frames] = await this.#socket.receive()
    const decoded = decode(frames, { receiver: 'broker' })
    if (from === undefined || !decoded.ok) throw new Error('a peer of ours sent something that is no eMQP')
    return { from: from.toString(), command: decoded.command, frames }
  }

  /** The next command of a type; others are passed over. */
  async hearA<T extends Command['type']>(
    type: T,
  ): Promise<Heard & { readonly command: Extract<Command, { readonly type: T }> }> {
    for (;;) {
      const heard = await this.hear()
      if (isOf(heard, type)) return heard
    }
  }

  /** Waits for an INFORM and acknowledges it. */
  async admit(): Promise<Heard> {
    const heard = await this.hearA('INFORM')
    await this.say(heard.from, { type: 'ACK', id: this.newId(), acknowledges: heard.command.id })
    return heard
  }

  say(to: string, command: Command): Promise<void> {
    return this.sayFrames(to, encode(command))
  }

  sayFrames(to: string, frames: readonly (string | Uint8Array)[]): Promise<void> {
    return this.#socket.send([to, ...frames])
  }

  close(): void {
    this.#socket.close()
  }
}

function isOf<T extends Command['type']>(
  heard: Heard,
  type: T,
): heard is Heard & { readonly command: Extract<Command, { readonly type: T }> } {
  return heard.command.type === type
}
