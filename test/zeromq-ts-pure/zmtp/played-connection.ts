// A Connection with a sink that writes down everything: what it sends, the messages it delivers, what it says of the
// peer. For tests that play the peer with bytes.

import { NullMechanism } from 'zeromq-ts-pure/mechanism/null'
import {
  CONTINUE,
  Connection,
  type ConnectionOptions,
  type ConnectionSink,
  FrameEncoder,
  type Peer,
  type Verdict,
  Violation,
} from 'zeromq-ts-pure/zmtp'

const GREETING_LENGTH = 64

export class PlayedConnection implements ConnectionSink {
  readonly connection: Connection
  readonly messages: Uint8Array[][] = []
  readonly pingTtlsMs: number[] = []
  readonly peers: Peer[] = []
  violation: Violation | undefined
  /** What the sink says after each part. */
  verdict: Verdict = CONTINUE
  #sent: Uint8Array[] = []
  #parts: Uint8Array[] = []

  constructor(options: Partial<ConnectionOptions> = {}) {
    this.connection = new Connection(
      {
        socketType: 'ROUTER',
        routingId: new Uint8Array(0),
        mechanism: new NullMechanism(),
        maxMessageSize: -1,
        ...options,
      },
      this,
    )
    this.connection.open()
  }

  /** Plays the peer: all chunks in turn, until the connection has had enough. */
  receive(chunks: readonly Uint8Array[]): this {
    for (const chunk of chunks) this.#note(this.connection.receive(chunk))
    return this
  }

  resume(): Verdict {
    const verdict = this.connection.resume()
    this.#note(verdict)
    return verdict
  }

  /** Everything sent so far. */
  get sent(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#sent))
  }

  /** What was sent after the greeting. */
  get sentFrames(): Uint8Array {
    return this.sent.subarray(GREETING_LENGTH)
  }

  /** What this connection makes of a message on the wire. */
  encode(message: readonly Uint8Array[]): Uint8Array {
    const encoder = new FrameEncoder()
    this.connection.encode(message, encoder)
    return new Uint8Array(Buffer.concat(encoder.take()))
  }

  // --- ConnectionSink

  send(bytes: Uint8Array): void {
    this.#sent.push(bytes.slice())
  }

  established(peer: Peer): void {
    this.peers.push(peer)
  }

  part(body: Uint8Array, more: boolean): Verdict {
    this.#parts.push(body.slice())
    if (!more) {
      this.messages.push(this.#parts)
      this.#parts = []
    }
    return this.verdict
  }

  subscription(body: Uint8Array): Verdict {
    this.messages.push([body.slice()])
    return this.verdict
  }

  ping(ttlMs: number): void {
    this.pingTtlsMs.push(ttlMs)
  }

  #note(verdict: Verdict): void {
    if (verdict instanceof Violation) this.violation = verdict
  }
}
