// The pair of queues between a socket and one peer, each with its high-water mark (HWM). The socket side reads what
// came and writes what shall go; the transport side delivers and takes. A full inbound queue makes the transport stop
// reading, a full outbound queue makes the socket try another peer or wait: nothing is dropped here.

import type { Message } from './message.ts'
import { MessageRing } from './message-ring.ts'

/** The socket side: told when a pipe can do something again that it could not do before. */
export interface PipeOwner {
  /** Inbound was empty and is not any more. */
  readable(pipe: Pipe): void
  /** Outbound was full and has room again. */
  writable(pipe: Pipe): void
  /** The transport side is gone and everything it delivered was read. */
  ended(pipe: Pipe): void
}

/** The transport side: told when there is something to do. */
export interface PipeTransport {
  /** Outbound was empty and is not any more. */
  outgoing(): void
  /** Inbound was full and has room again. */
  room(): void
}

/** Keeps the process alive while messages wait to be sent. */
export interface Hold {
  acquire(): void
  release(): void
}

/** How many messages each direction may hold; 0: no limit. Looked at anew with every message. */
export interface HighWaterMarks {
  readonly receiveHighWaterMark: number
  readonly sendHighWaterMark: number
}

export class Pipe {
  /** The peer's routing id as a ROUTER addresses it; empty until the handshake, or if the peer stated none. */
  routingId: Buffer = Buffer.alloc(0)
  transport: PipeTransport | undefined

  readonly #owner: PipeOwner
  readonly #hold: Hold
  readonly #inbound = new MessageRing()
  readonly #outbound = new MessageRing()
  readonly #limits: HighWaterMarks
  #inboundBlocked = false
  #outboundBlocked = false
  #retired = false
  #ended = false
  #closed = false

  constructor(owner: PipeOwner, hold: Hold, limits: HighWaterMarks) {
    this.#owner = owner
    this.#hold = hold
    this.#limits = limits
  }

  // --- socket side

  get canRead(): boolean {
    return this.#inbound.length > 0
  }

  get canWrite(): boolean {
    if (this.#closed || this.#ended || this.#retired) return false
    const limit = this.#limits.sendHighWaterMark
    return limit === 0 || this.#outbound.length < limit
  }

  /** Messages written and not yet taken by the transport. */
  get pending(): number {
    return this.#outbound.length
  }

  read(): Message | undefined {
    const message = this.#inbound.shift()
    if (message === undefined) return undefined
    if (this.#inboundBlocked && this.#inbound.length <= lowWaterMark(this.#limits.receiveHighWaterMark)) {
      this.#inboundBlocked = false
      this.transport?.room()
    }
    if (this.#ended && this.#inbound.length === 0) this.#owner.ended(this)
    return message
  }

  /** @returns false when the pipe is full or over; the message was not taken then */
  write(message: Message): boolean {
    if (!this.canWrite) {
      this.#outboundBlocked = true
      return false
    }
    this.#push(message)
    return true
  }

  /** Writes past the high-water mark: for subscriptions, of which none may be lost. */
  writeAlways(message: Message): void {
    if (!this.#closed && !this.#ended && !this.#retired) this.#push(message)
  }

  /** Asks for `writable` once there is room; for who saw that there is none and did not write. */
  awaitRoom(): void {
    this.#outboundBlocked = true
  }

  /** The endpoint is given up: nothing more is taken, what was taken is still sent and what came can be read. */
  retire(): void {
    this.#retired = true
  }

  /** The socket lets go: what is inbound is forgotten, what is outbound stays for the transport to take. */
  close(): void {
    this.#closed = true
    this.#inbound.clear()
    if (this.#inboundBlocked) {
      this.#inboundBlocked = false
      this.transport?.room()
    }
  }

  // --- transport side

  /** @returns whether there is room for another; if not, `room` is called once there is */
  deliver(message: Message): boolean {
    if (this.#closed) return true
    this.#inbound.push(message)
    if (this.#inbound.length === 1) this.#owner.readable(this)
    const limit = this.#limits.receiveHighWaterMark
    if (limit === 0 || this.#inbound.length < limit) return true
    this.#inboundBlocked = true
    return false
  }

  take(): Message | undefined {
    const message = this.#outbound.shift()
    if (message === undefined) return undefined
    if (this.#outbound.length === 0) this.#hold.release()
    if (this.#outboundBlocked && this.#outbound.length <= lowWaterMark(this.#limits.sendHighWaterMark)) {
      this.#outboundBlocked = false
      this.#owner.writable(this)
    }
    return message
  }

  /** The transport is gone for good: what is outbound is lost, what was delivered can still be read. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.transport = undefined
    this.discard()
    if (this.#inbound.length === 0) this.#owner.ended(this)
  }

  /** Forgets what is outbound. */
  discard(): void {
    if (this.#outbound.length > 0) this.#hold.release()
    this.#outbound.clear()
  }

  #push(message: Message): void {
    this.#outbound.push(message)
    if (this.#outbound.length === 1) {
      this.#hold.acquire()
      this.transport?.outgoing()
    }
  }
}

/** Where a full queue counts as having room again: half of it was used up, as in libzmq. */
function lowWaterMark(highWaterMark: number): number {
  return highWaterMark >> 1
}
