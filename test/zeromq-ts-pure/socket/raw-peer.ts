// A peer played by hand over TCP: writes what a test says, and lets it wait for bytes or for the end. For seeing what
// a socket really puts on the wire, and what it does with peers that no library would play.

import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

export class RawPeer {
  readonly #socket: Socket
  readonly #ended: Promise<void>
  #chunks: Buffer[] = []
  #length = 0
  #over = false
  #arrived: () => void = () => undefined

  constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#length += chunk.length
      this.#arrived()
    })
    // A reset is one of the ways in which the other side may end; 'close' follows it.
    socket.on('error', () => undefined)
    socket.on('end', () => socket.end())
    this.#ended = new Promise((resolve) => {
      socket.on('close', () => {
        this.#over = true
        this.#arrived()
        resolve()
      })
    })
  }

  /** @param address `tcp://127.0.0.1:<port>` */
  static async connect(address: string): Promise<RawPeer> {
    const socket = connect(portOf(address), '127.0.0.1')
    const peer = new RawPeer(socket)
    await once(socket, 'connect')
    return peer
  }

  /** Resolves when the chunk was handed to the system. */
  write(chunk: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#socket.write(chunk, () => resolve()))
  }

  /** Every chunk in a segment of its own: the next one leaves in a later turn of the event loop. */
  async writeApart(chunks: readonly Uint8Array[]): Promise<void> {
    for (const chunk of chunks) {
      await this.write(chunk)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Takes the next bytes, once so many are there; rejects if the stream ends before. */
  async read(count: number): Promise<Uint8Array> {
    while (this.#length < count) {
      if (this.#over) throw new Error(`the stream ended with ${this.#length} bytes left, ${count} were wanted`)
      await new Promise<void>((resolve) => {
        this.#arrived = resolve
      })
    }
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all.subarray(count)]
    this.#length -= count
    return new Uint8Array(all.subarray(0, count))
  }

  /** Stops reading: the other side's bytes fill the system's buffers and then its own queues. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Resolves when the other side ended the connection, however; gives what it had sent and nobody took. */
  async ended(): Promise<Uint8Array> {
    await this.#ended
    return new Uint8Array(Buffer.concat(this.#chunks))
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** A port at which a test plays the server. */
export class RawListener {
  readonly #server: Server
  readonly #waiting: RawPeer[] = []
  #accepted: () => void = () => undefined

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#waiting.push(new RawPeer(socket))
      this.#accepted()
    })
  }

  /** @param port 0: any */
  static async listen(port = 0): Promise<RawListener> {
    const server = createServer()
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return new RawListener(server)
  }

  get address(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('not listening')
    return `tcp://127.0.0.1:${address.port}`
  }

  /** The next connection, once there is one. */
  async accept(): Promise<RawPeer> {
    for (;;) {
      const peer = this.#waiting.shift()
      if (peer !== undefined) return peer
      await new Promise<void>((resolve) => {
        this.#accepted = resolve
      })
    }
  }

  close(): void {
    this.#server.close()
    for (const peer of this.#waiting) peer.close()
  }
}

export function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1))
}

/** An address at which nobody listens, and a moment ago somebody did. */
export async function deadAddress(): Promise<string> {
  const listener = await RawListener.listen()
  const { address } = listener
  listener.close()
  return address
}
