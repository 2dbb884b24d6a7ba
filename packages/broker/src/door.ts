// One of the broker's three ROUTER sockets: messages of its peers go into a bounded inbox, and messages for its peers go
// out. A full inbox stops the reading, so a flood waits in its senders and not in here.

import { type Command, decode, type EmqpError, encode } from '@eventmq-ts/emqp'
import { type RoutingId, routingIdBytes, routingIdOf } from '@eventmq-ts/store'
import { Router, ZeroMQError } from 'zeromq-ts-pure'
import { asksForAnswer } from './asks-for-answer.ts'
import { BrokerError } from './broker-error.ts'
import type { Endpoint, MalformedInput, MessageInput, Send } from './core/index.ts'

const inboxLimit = 4096

/** What to change when an address cannot be had. */
const settingOf: Readonly<Record<Endpoint, { readonly option: string; readonly variable: string }>> = {
  frontend: { option: 'frontendAddress', variable: 'EVENTMQ_FRONTEND_ADDR' },
  backend: { option: 'backendAddress', variable: 'EVENTMQ_BACKEND_ADDR' },
  administration: { option: 'administrationAddress', variable: 'EVENTMQ_ADMINISTRATIVE_ADDR' },
}

export interface DoorEvents {
  /** There is something in the inbox. */
  readonly arrived: () => void
  readonly undeliverable: (send: Send) => void
  readonly failed: (error: unknown) => void
}

export class Door {
  readonly endpoint: Endpoint
  readonly #socket: Router
  readonly #events: DoorEvents
  #inbox: (MessageInput | MalformedInput)[] = []
  #resume: (() => void) | undefined

  constructor(endpoint: Endpoint, maxPayloadBytes: number, events: DoorEvents) {
    this.endpoint = endpoint
    this.#events = events
    this.#socket = new Router({
      queueOperations: true,
      // A peer that comes back takes its routing id over from its old connection, which may not have timed out yet.
      handover: true,
      // A message for nobody is reported and not dropped.
      mandatory: true,
      // A peer that does not read must not hold up the others: its messages count as undeliverable.
      sendTimeout: 0,
      // What a worker is sent is bounded by its slots; a client's replies are kept in the store when it does not read.
      sendHighWaterMark: endpoint === 'backend' ? 0 : 10_000,
      // Room to receive a payload that is too large, so that its client can be told.
      maxMessageSize: 2 * maxPayloadBytes + 65_536,
      linger: 1000,
    })
  }

  /** Listens. Gives the address with the port that was taken. */
  async bind(address: string): Promise<string> {
    try {
      await this.#socket.bind(address)
    } catch (cause) {
      const { option, variable } = settingOf[this.endpoint]
      const change = `choose another one by the option ${option} or the environment variable ${variable}`
      if (cause instanceof ZeroMQError && cause.code === 'EADDRINUSE') {
        const message = `${address} (${this.endpoint}) is taken by another process; stop that one, or ${change}`
        throw new BrokerError('BROKER_PORT_TAKEN', message, { cause })
      }
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new BrokerError('BROKER_BIND', `cannot listen on ${address} (${this.endpoint}): ${why}; ${change}`, {
        cause,
      })
    }
    return this.#socket.lastEndpoint ?? address
  }

  /** Reads until it is closed. */
  async read(): Promise<void> {
    try {
      for await (const [from, ...frames] of this.#socket) {
        if (from === undefined) continue
        this.#inbox.push(this.#inputOf(routingIdOf(from), frames))
        this.#events.arrived()
        if (this.#inbox.length < inboxLimit) continue
        await new Promise<void>((resolve) => {
          this.#resume = resolve
        })
      }
    } catch (error) {
      this.#events.failed(error)
    }
  }

  get isEmpty(): boolean {
    return this.#inbox.length === 0
  }

  /** All that has come, oldest first. */
  takeInputs(): readonly (MessageInput | MalformedInput)[] {
    const inputs = this.#inbox
    this.#inbox = []
    this.#resume?.()
    this.#resume = undefined
    return inputs
  }

  send(send: Send): void {
    const message = [routingIdBytes(send.to), ...encode(send.command)]
    this.#socket.send(message).catch((error: unknown) => {
      if (isUndeliverable(error)) this.#events.undeliverable(send)
      else this.#events.failed(error)
    })
  }

  close(): void {
    this.#socket.close()
    this.#resume?.()
  }

  #inputOf(from: RoutingId, frames: readonly Uint8Array[]): MessageInput | MalformedInput {
    const { endpoint } = this
    const decoded = decode(frames, { receiver: 'broker' })
    if (decoded.ok) return { type: 'message', endpoint, from, command: decoded.command satisfies Command }
    const error: EmqpError = decoded.error
    return { type: 'malformed', endpoint, from, error, wantsAnswer: asksForAnswer(frames) }
  }
}

/** No such peer, or one that does not read; and what is sent while the socket closes reaches nobody either. */
function isUndeliverable(error: unknown): boolean {
  return error instanceof ZeroMQError && ['EHOSTUNREACH', 'EAGAIN', 'EBADF'].includes(error.code)
}
