// What every stream transport offers to a session: bytes both ways, with back-pressure in both directions.

export interface ByteStreamHandler {
  data(chunk: Buffer): void
  /** After a `write` that returned false: more may be written. */
  drained(): void
  /** The stream is over; called once, whoever ended it. */
  closed(cause: Error | undefined): void
}

export interface ByteStream {
  handler: ByteStreamHandler | undefined
  /** Whether what is written can still leave: not once either side has ended the stream, even if `closed` is to come. */
  readonly writable: boolean
  /** Writes the pieces in order; false: wait for `drained`. */
  write(pieces: readonly Uint8Array[]): boolean
  pause(): void
  resume(): void
  /** Sends what was written, then closes. */
  end(): void
  /** Closes at once. */
  destroy(): void
}

export interface Dial {
  /** Gives up the attempt; neither callback is called any more. */
  abort(): void
}

export interface DialHandler {
  opened(stream: ByteStream): void
  failed(cause: Error): void
}

export interface ListenHandler {
  accepted(stream: ByteStream): void
  /** A connection could not be accepted; the listener goes on. */
  failed(cause: Error): void
}
