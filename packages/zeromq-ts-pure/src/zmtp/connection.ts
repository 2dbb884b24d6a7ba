// One ZMTP connection without I/O: bytes of the peer in, parts of messages and protocol facts out to the sink; bytes
// for the peer out to the sink as well. Everything that may happen is in one transition table; what is not there is a
// violation and closes the connection. Reads no clock and starts no timer.

import { ByteQueue } from './byte-queue.ts'
import { type Command, decodeCommand, decodeErrorReason, decodePing, encodeCommand } from './command.ts'
import { COMMAND, encodeFrame, MORE } from './frame.ts'
import { CONTINUE, FrameDecoder, type FrameSink, type Verdict } from './frame-decoder.ts'
import type { FrameEncoder } from './frame-encoder.ts'
import {
  checkGreetingPrefix,
  decodeGreeting,
  encodeGreeting,
  GREETING_HEAD_LENGTH,
  GREETING_LENGTH,
  type Greeting,
} from './greeting.ts'
import { IDENTITY, type Property, propertyValue, SOCKET_TYPE } from './metadata.ts'
import type { SecurityMechanism, SecurityStep } from './security.ts'
import { mayTalk, type SocketTypeName, statesIdentity } from './socket-type.ts'
import { printable, Violation } from './violation.ts'

/** What this side states of itself, and what it accepts. */
export interface ConnectionOptions {
  readonly socketType: SocketTypeName
  /** 0 to 255 bytes. */
  readonly routingId: Uint8Array
  readonly mechanism: SecurityMechanism
  /** Longest part accepted from the peer, in bytes; -1: no limit. */
  readonly maxMessageSize: number
}

/** What the peer stated of itself. */
export interface Peer {
  readonly major: number
  readonly minor: number
  /** As stated; undefined if the peer did not say (libzmq accepts that, and so do we). */
  readonly socketType: string | undefined
  /** Empty if the peer stated none. */
  readonly routingId: Uint8Array
  readonly properties: readonly Property[]
}

export interface ConnectionSink {
  /** Bytes to be written to the peer, in this order with what the owner encodes itself. */
  send(bytes: Uint8Array): void
  /** The handshake is done; parts may follow at once. */
  established(peer: Peer): void
  /** One part of a message; the message ends with the part that has `more` false. */
  part(body: Uint8Array, more: boolean): Verdict
  /**
   * A subscriber's command, to a publisher: 01 or 00, then the topic, as those of older peers come by `part`. It is a
   * message of its own and may come between the parts of another.
   */
  subscription(body: Uint8Array): Verdict
  /** The peer asks for a sign of life and wants to be given up if silent for `ttlMs` (0: never). */
  ping(ttlMs: number): void
}

type State = 'greeting' | 'handshake' | 'traffic' | 'closed'
type Step = 'greeted' | 'secure' | 'secured' | 'message' | 'PING' | 'PONG' | 'SUBSCRIBE' | 'CANCEL' | 'unknown'

/** Where each step leads. A step that is not in a state's row is a violation. */
const TRANSITIONS: Readonly<Record<State, Partial<Record<Step, State>>>> = {
  greeting: { greeted: 'handshake' },
  handshake: { secure: 'handshake', secured: 'traffic' },
  traffic: {
    message: 'traffic',
    PING: 'traffic',
    PONG: 'traffic',
    SUBSCRIBE: 'traffic',
    CANCEL: 'traffic',
    unknown: 'traffic',
  },
  closed: {},
}

/** Nothing in a handshake is larger; a peer cannot make us hold more before it is known. */
const HANDSHAKE_FRAME_LIMIT = 65_535

const UTF8 = new TextDecoder()
const ASCII = new TextEncoder()

export class Connection implements FrameSink {
  readonly #options: ConnectionOptions
  readonly #sink: ConnectionSink
  readonly #decoder = new FrameDecoder(this)
  readonly #greeting = new ByteQueue()
  readonly #ownGreeting: Uint8Array
  #greetingTailSent = false
  #peerGreeting: Greeting | undefined
  #peer: Peer | undefined
  #state: State = 'greeting'

  constructor(options: ConnectionOptions, sink: ConnectionSink) {
    this.#options = options
    this.#sink = sink
    this.#decoder.maxBodyLength = HANDSHAKE_FRAME_LIMIT
    const { name, asServer } = options.mechanism
    this.#ownGreeting = encodeGreeting({ major: 3, minor: 1, mechanism: name, asServer })
  }

  /** The peer, once the handshake is done. */
  get peer(): Peer | undefined {
    return this.#peer
  }

  get closed(): boolean {
    return this.#state === 'closed'
  }

  /** Opens: sends as much of the greeting as needs no knowledge of the peer (signature and major version). */
  open(): void {
    this.#sink.send(this.#ownGreeting.subarray(0, GREETING_HEAD_LENGTH))
  }

  /** Bytes of the peer. A returned violation has closed the connection. */
  receive(chunk: Uint8Array): Verdict {
    if (this.#state === 'closed') return CONTINUE
    return this.#closeOnViolation(this.#state === 'greeting' ? this.#greet(chunk) : this.#decoder.push(chunk))
  }

  /** Goes on with what was received before the sink asked for a pause. */
  resume(): Verdict {
    return this.#closeOnViolation(this.#decoder.resume())
  }

  /** Encodes one message for the peer; what a subscriber sends takes the form that the peer's version wants. */
  encode(message: readonly Uint8Array[], encoder: FrameEncoder): void {
    if (!this.#subscriptionsAsCommands) {
      encoder.message(message)
      return
    }
    const body = message[0] as Uint8Array
    if (message.length !== 1 || body.length === 0 || (body[0] as number) > 1) {
      encoder.message(message)
      return
    }
    encoder.frame(COMMAND, encodeCommand(body[0] === 1 ? 'SUBSCRIBE' : 'CANCEL', body.subarray(1)))
  }

  /** One frame of the peer, from the decoder. */
  frame(flags: number, body: Uint8Array): Verdict {
    if (this.#state === 'traffic' && (flags & COMMAND) === 0) return this.#sink.part(body, (flags & MORE) !== 0)
    if ((flags & COMMAND) === 0) return this.#step('message')
    if ((flags & MORE) !== 0) {
      return new Violation('ERR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED', 'a command frame with the MORE flag')
    }
    const command = decodeCommand(body)
    if (command instanceof Violation) return command
    return this.#state === 'handshake' ? this.#secure(command) : this.#obey(command)
  }

  get #subscriptionsAsCommands(): boolean {
    const type = this.#options.socketType
    if (type !== 'SUB' && type !== 'XSUB') return false
    const peer = this.#peer
    return peer !== undefined && (peer.major > 3 || peer.minor >= 1)
  }

  #closeOnViolation(verdict: Verdict): Verdict {
    if (verdict instanceof Violation) this.#state = 'closed'
    return verdict
  }

  #step(step: Step): Verdict {
    const next = TRANSITIONS[this.#state][step]
    if (next === undefined) {
      return new Violation('ERR_ZMTP_UNEXPECTED_COMMAND', `${step} is not allowed in state ${this.#state}`)
    }
    this.#state = next
    return CONTINUE
  }

  #greet(chunk: Uint8Array): Verdict {
    const greeting = this.#greeting
    greeting.push(chunk)
    const refused = checkGreetingPrefix((index) => greeting.at(index), greeting.length)
    if (refused !== undefined) return refused
    if (greeting.length >= GREETING_HEAD_LENGTH && !this.#greetingTailSent) {
      this.#greetingTailSent = true
      this.#sink.send(this.#ownGreeting.subarray(GREETING_HEAD_LENGTH))
    }
    if (greeting.length < GREETING_LENGTH) return CONTINUE
    const peer = decodeGreeting(greeting.take(GREETING_LENGTH))
    if (peer instanceof Violation) return peer
    const { mechanism } = this.#options
    if (peer.mechanism !== mechanism.name) {
      return new Violation(
        'ERR_ZMTP_MECHANISM_MISMATCH',
        `the peer wants mechanism ${printable(peer.mechanism)}, this socket ${mechanism.name}`,
      )
    }
    this.#peerGreeting = peer
    this.#step('greeted')
    this.#answer(mechanism.start(this.#ownProperties()))
    return greeting.length > 0 ? this.#decoder.push(greeting.takeAll()) : CONTINUE
  }

  #ownProperties(): readonly Property[] {
    const { socketType, routingId } = this.#options
    const type = { name: SOCKET_TYPE, value: ASCII.encode(socketType) }
    return statesIdentity(socketType) ? [type, { name: IDENTITY, value: routingId }] : [type]
  }

  #secure(command: Command): Verdict {
    const step = this.#options.mechanism.receive(command)
    if (step instanceof Violation) return step
    this.#answer(step)
    return step.peer === undefined ? this.#step('secure') : this.#establish(step.peer)
  }

  #answer(step: SecurityStep): void {
    for (const body of step.send) this.#sink.send(encodeFrame(COMMAND, body))
  }

  #establish(properties: readonly Property[]): Verdict {
    const { socketType, maxMessageSize } = this.#options
    const stated = propertyValue(properties, SOCKET_TYPE)
    const peerType = stated === undefined ? undefined : UTF8.decode(stated)
    if (peerType !== undefined && !mayTalk(socketType, peerType)) {
      return new Violation(
        'ERR_ZMTP_INVALID_METADATA',
        `a ${socketType} cannot talk to a peer of type ${printable(peerType)}`,
      )
    }
    const routingId = propertyValue(properties, IDENTITY) ?? new Uint8Array(0)
    if (routingId.length > 255) {
      return new Violation('ERR_ZMTP_INVALID_METADATA', `a routing id of ${routingId.length} bytes; the limit is 255`)
    }
    const { major, minor } = this.#peerGreeting as Greeting
    this.#decoder.maxBodyLength = maxMessageSize
    this.#peer = { major, minor, socketType: peerType, routingId, properties }
    const verdict = this.#step('secured')
    this.#sink.established(this.#peer)
    return verdict
  }

  #obey(command: Command): Verdict {
    switch (command.name) {
      case 'PING':
        return this.#pong(command.data)
      case 'PONG':
        return this.#step('PONG')
      case 'SUBSCRIBE':
      case 'CANCEL':
        return this.#subscription(command.name, command.data)
      case 'ERROR': {
        const reason = decodeErrorReason(command.data)
        if (reason instanceof Violation) return reason
        return new Violation('ERR_ZMTP_UNSPECIFIED', `the peer ended the connection: ${reason}`)
      }
      default:
        return this.#step('unknown')
    }
  }

  #pong(data: Uint8Array): Verdict {
    const ping = decodePing(data)
    if (ping instanceof Violation) return ping
    const verdict = this.#step('PING')
    this.#sink.send(encodeFrame(COMMAND, encodeCommand('PONG', ping.context)))
    this.#sink.ping(ping.ttlMs)
    return verdict
  }

  /** Publishers see subscriptions as messages (01 or 00, then the topic), whichever form the peer used. */
  #subscription(name: 'SUBSCRIBE' | 'CANCEL', topic: Uint8Array): Verdict {
    const verdict = this.#step(name)
    const type = this.#options.socketType
    if (verdict !== CONTINUE || (type !== 'PUB' && type !== 'XPUB')) return verdict
    const body = new Uint8Array(1 + topic.length)
    body[0] = name === 'SUBSCRIBE' ? 1 : 0
    body.set(topic, 1)
    return this.#sink.subscription(body)
  }
}
