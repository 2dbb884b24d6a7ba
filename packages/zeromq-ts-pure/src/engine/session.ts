// Joins one byte stream, one ZMTP connection and one pipe: what the stream reads goes through the connection into the
// pipe as whole messages; what the pipe holds is encoded and written in batches, at the end of the turn in which it
// was sent. A full pipe pauses the stream; a saturated stream leaves messages in the pipe. Hot path.

import { nextTick } from 'node:process'
import { ZeroMQError } from '../error.ts'
import { NullMechanism } from '../mechanism/null.ts'
import type { ByteStream, ByteStreamHandler } from '../transport/byte-stream.ts'
import { encodePing } from '../zmtp/command.ts'
import { Connection, type ConnectionSink, type Peer } from '../zmtp/connection.ts'
import { COMMAND, encodeFrame } from '../zmtp/frame.ts'
import { CONTINUE, PAUSE, type Verdict } from '../zmtp/frame-decoder.ts'
import { FrameEncoder } from '../zmtp/frame-encoder.ts'
import type { SocketTypeName } from '../zmtp/socket-type.ts'
import { Violation } from '../zmtp/violation.ts'
import { Heartbeat } from './heartbeat.ts'
import type { Message } from './message.ts'
import type { Monitor } from './monitor.ts'
import type { Pipe, PipeTransport } from './pipe.ts'
import type { EngineSettings } from './settings.ts'

/** What a session tells the listener or dialer that made it. */
export interface SessionOwner {
  /** The handshake is done: gives the pipe that the session shall serve. */
  established(session: Session, peer: Peer): Pipe
  /** The stream is over. Called once. */
  ended(session: Session): void
}

export interface SessionContext {
  readonly socketType: SocketTypeName
  /** The endpoint as events name it. */
  readonly address: string
  readonly settings: EngineSettings
  readonly monitor: Monitor
}

/** Bytes encoded before they are handed to the stream: enough for one large write, little enough to stay in cache. */
const WRITE_BATCH_LENGTH = 65_536

/** More than this waiting behind a peer that does not read, and the peer is given up. */
const UNREAD_COMMANDS_LENGTH = 4 * WRITE_BATCH_LENGTH

const NO_BYTES = new Uint8Array(0)

export class Session implements ByteStreamHandler, ConnectionSink, PipeTransport {
  readonly #stream: ByteStream
  readonly #owner: SessionOwner
  readonly #context: SessionContext
  readonly #connection: Connection
  readonly #encoder = new FrameEncoder()
  readonly #heartbeat: Heartbeat
  readonly #flush = () => this.#write()
  #handshakeTimer: NodeJS.Timeout | undefined
  #pipe: Pipe | undefined
  /** Parts of a message whose last part has not come. */
  #parts: Message | undefined
  #flushScheduled = false
  #saturated = false
  #paused = false
  /** Closed by this side: at once, or once everything is sent. */
  #ending = false
  /** The peer was given up, and that was reported. */
  #failed = false
  /** Everything is sent, and nothing more is read. */
  #finished = false

  constructor(stream: ByteStream, context: SessionContext, owner: SessionOwner) {
    this.#stream = stream
    this.#context = context
    this.#owner = owner
    const { settings, socketType } = context
    this.#connection = new Connection(
      {
        socketType,
        routingId: settings.routingId === null ? NO_BYTES : Buffer.from(settings.routingId),
        mechanism: new NullMechanism(),
        maxMessageSize: settings.maxMessageSize,
      },
      this,
    )
    this.#heartbeat = new Heartbeat(settings, {
      ping: (ttlMs) => this.send(encodeFrame(COMMAND, encodePing(ttlMs, NO_BYTES))),
      // While we do not read, the peer's silence says nothing.
      expired: () => {
        if (!this.#paused) this.#stream.destroy()
      },
    })
  }

  /** Begins the handshake. */
  open(): void {
    const { handshakeInterval } = this.#context.settings
    if (handshakeInterval > 0) {
      this.#handshakeTimer = setTimeout(() => {
        this.#fail(new ZeroMQError('EAGAIN', { message: `no handshake within ${handshakeInterval} ms` }))
      }, handshakeInterval).unref()
    }
    this.#stream.handler = this
    this.#connection.open()
  }

  /** Sends what the pipe holds, or will hold once the handshake is done, then closes the stream. */
  end(): void {
    this.#ending = true
    if (this.#pipe !== undefined) this.#schedule()
  }

  /** As `end`, but does not wait for a handshake. */
  close(): void {
    if (this.#pipe === undefined) this.destroy()
    this.end()
  }

  /** Closes the stream at once. */
  destroy(): void {
    this.#ending = true
    this.#stream.destroy()
  }

  // --- ByteStreamHandler

  data(chunk: Buffer): void {
    if (this.#finished) return
    this.#heartbeat.heard()
    this.#heed(this.#connection.receive(chunk))
  }

  drained(): void {
    this.#saturated = false
    this.#write()
  }

  closed(cause: Error | undefined): void {
    clearTimeout(this.#handshakeTimer)
    this.#heartbeat.stop()
    this.#deliverRest()
    const { monitor, address } = this.#context
    if (this.#pipe !== undefined) this.#pipe.transport = undefined
    if (!this.#ending) {
      if (this.#pipe === undefined && !this.#failed) {
        const message = `the connection ended during the handshake${cause === undefined ? '' : `: ${cause.message}`}`
        this.#report(new ZeroMQError('ECONNRESET', { message, cause }))
      }
      monitor.emit({ type: 'disconnect', address })
    }
    this.#owner.ended(this)
  }

  // --- ConnectionSink

  send(bytes: Uint8Array): void {
    if (this.#encoder.length === 0 && !this.#saturated) {
      this.#saturated = !this.#stream.write([bytes])
      return
    }
    this.#encoder.raw(bytes)
    // Commands are answers: a peer that asks without end and reads nothing must not fill our memory.
    if (this.#encoder.length > UNREAD_COMMANDS_LENGTH) this.#stream.destroy()
  }

  established(peer: Peer): void {
    clearTimeout(this.#handshakeTimer)
    const { monitor, address } = this.#context
    monitor.emit({ type: 'handshake', address })
    this.#pipe = this.#owner.established(this, peer)
    this.#pipe.transport = this
    this.#heartbeat.start()
    if (this.#pipe.pending > 0 || this.#ending) this.#schedule()
  }

  part(body: Uint8Array, more: boolean): Verdict {
    const part = asBuffer(body)
    let message = this.#parts
    if (message === undefined) message = [part]
    else message.push(part)
    if (more) {
      this.#parts = message
      return CONTINUE
    }
    this.#parts = undefined
    return (this.#pipe as Pipe).deliver(message) ? CONTINUE : PAUSE
  }

  subscription(body: Uint8Array): Verdict {
    return (this.#pipe as Pipe).deliver([asBuffer(body)]) ? CONTINUE : PAUSE
  }

  ping(ttlMs: number): void {
    this.#heartbeat.pinged(ttlMs)
  }

  // --- PipeTransport

  outgoing(): void {
    this.#schedule()
  }

  room(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#heartbeat.heard()
    const verdict = this.#connection.resume()
    if (verdict === CONTINUE) this.#stream.resume()
    this.#heed(verdict)
  }

  #schedule(): void {
    if (this.#flushScheduled || this.#saturated) return
    this.#flushScheduled = true
    nextTick(this.#flush)
  }

  #write(): void {
    this.#flushScheduled = false
    // What is in the pipe stays there for the next connection, if there is one.
    if (!this.#stream.writable) return
    const pipe = this.#pipe
    const encoder = this.#encoder
    const connection = this.#connection
    while (!this.#saturated) {
      while (pipe !== undefined && encoder.length < WRITE_BATCH_LENGTH) {
        const message = pipe.take()
        if (message === undefined) break
        connection.encode(message, encoder)
      }
      if (encoder.length === 0) break
      this.#saturated = !this.#stream.write(encoder.take())
    }
    if (this.#ending && !this.#saturated) this.#finish()
  }

  /** Everything is written: the peer gets it all and then the end of the stream; what it still sends is not read. */
  #finish(): void {
    if (this.#finished) return
    this.#finished = true
    this.#heartbeat.stop()
    this.#stream.end()
  }

  /** What had arrived before the stream ended is delivered even if the pipe is full: it is at most one chunk. */
  #deliverRest(): void {
    while (this.#paused && !this.#finished) this.#paused = this.#connection.resume() === PAUSE
  }

  #heed(verdict: Verdict): void {
    if (verdict === CONTINUE) return
    if (verdict === PAUSE) {
      this.#paused = true
      this.#stream.pause()
      return
    }
    this.#fail(verdict)
  }

  /** Gives the peer up. */
  #fail(failure: Violation | ZeroMQError): void {
    this.#failed = true
    this.#report(failure)
    this.#stream.destroy()
  }

  /** Failures are events only while the handshake lasts; afterwards the end of the connection is the event. */
  #report(failure: Violation | ZeroMQError): void {
    if (this.#pipe !== undefined) return
    const { monitor, address } = this.#context
    if (failure instanceof Violation) {
      const error = Object.assign(new Error('ZMTP protocol error', { cause: failure.reason }), { code: failure.code })
      monitor.emit({ type: 'handshake:error:protocol', address, error })
    } else {
      monitor.emit({ type: 'handshake:error:other', address, error: failure })
    }
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
