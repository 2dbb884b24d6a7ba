// TCP by node:net: dials and listens, and makes byte streams of what comes of it. All handles are unreferenced; what
// must keep the process alive holds it elsewhere.

import { connect, createServer, type Server, type Socket } from 'node:net'
import type { ByteStream, ByteStreamHandler, Dial, DialHandler, ListenHandler } from './byte-stream.ts'
import type { TcpEndpoint } from './endpoint.ts'

/** The options of a socket that concern TCP. */
export interface TcpSettings {
  /** Whether names may resolve to IPv6 addresses. */
  readonly ipv6: boolean
  readonly backlog: number
  /** Milliseconds; 0: as long as the system lets a connect take. */
  readonly connectTimeout: number
  /** -1: the system's default, 0: off, 1: on. */
  readonly tcpKeepalive: number
  /** Seconds before the first probe; -1: the system's default. */
  readonly tcpKeepaliveIdle: number
}

/** How long a peer may take to answer the end of our stream with its own, once it was sent everything. */
const FAREWELL_MS = 1_000

class TcpStream implements ByteStream {
  handler: ByteStreamHandler | undefined
  readonly #socket: Socket

  constructor(socket: Socket, settings: TcpSettings) {
    this.#socket = socket
    socket.setNoDelay(true)
    if (settings.tcpKeepalive === 1) socket.setKeepAlive(true, Math.max(0, settings.tcpKeepaliveIdle) * 1_000)
    socket.unref()
    let cause: Error | undefined
    socket.on('data', (chunk: Buffer) => this.handler?.data(chunk))
    socket.on('drain', () => this.handler?.drained())
    socket.on('error', (error) => {
      cause = error
    })
    socket.on('close', () => this.handler?.closed(cause))
  }

  get writable(): boolean {
    return this.#socket.writable
  }

  write(pieces: readonly Uint8Array[]): boolean {
    const socket = this.#socket
    const [only] = pieces
    if (pieces.length === 1 && only !== undefined) return socket.write(only)
    socket.cork()
    let room = true
    for (const piece of pieces) room = socket.write(piece)
    socket.uncork()
    return room
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  end(): void {
    // Bytes of the peer that lie unread when a TCP socket is closed reset the connection, and what we sent last could
    // be lost with it. So the peer's bytes are read until its own end, for a bounded time.
    const socket = this.#socket
    socket.resume()
    socket.end(() => {
      const timer = setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
      socket.once('close', () => clearTimeout(timer))
    })
  }

  destroy(): void {
    this.#socket.destroy()
  }
}

export function dialTcp(endpoint: TcpEndpoint, settings: TcpSettings, handler: DialHandler): Dial {
  const { host, port } = endpoint
  const socket = connect({ host, port, family: settings.ipv6 ? 0 : 4 })
  socket.unref()
  let timer: NodeJS.Timeout | undefined
  const settle = () => {
    clearTimeout(timer)
    socket.removeAllListeners()
  }
  const fail = (cause: Error) => {
    settle()
    // An aborted connect may still report its error.
    socket.on('error', () => undefined)
    socket.destroy()
    handler.failed(cause)
  }
  socket.once('connect', () => {
    settle()
    handler.opened(new TcpStream(socket, settings))
  })
  socket.once('error', fail)
  if (settings.connectTimeout > 0) {
    timer = setTimeout(() => fail(timedOut(settings.connectTimeout)), settings.connectTimeout).unref()
  }
  return {
    abort() {
      settle()
      socket.on('error', () => undefined)
      socket.destroy()
    },
  }
}

/** One bound TCP port. */
export class TcpListener {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  /** Binds; rejects with the platform's error. */
  static bind(endpoint: TcpEndpoint, settings: TcpSettings, handler: ListenHandler): Promise<TcpListener> {
    const server = createServer((socket) => handler.accepted(new TcpStream(socket, settings)))
    server.unref()
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      const { host, port } = endpoint
      server.listen({ host, port, backlog: settings.backlog, ipv6Only: false }, () => {
        server.removeListener('error', reject)
        server.on('error', (cause) => handler.failed(cause))
        resolve(new TcpListener(server))
      })
    })
  }

  get address(): { readonly host: string; readonly port: number } {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') return { host: '', port: 0 }
    return { host: address.address, port: address.port }
  }

  /** Stops accepting; resolves once the port is free. Streams that were accepted live on. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      // close() waits for accepted connections too on Node; the port itself is free at once.
      this.#server.close()
      setImmediate(resolve)
    })
  }
}

function timedOut(afterMs: number): Error {
  return Object.assign(new Error(`no connection after ${afterMs} ms (option connectTimeout)`), { code: 'ETIMEDOUT' })
}
