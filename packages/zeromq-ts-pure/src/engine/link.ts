// What a bound and a connected endpoint have in common for the socket that owns them.

import type { Peer } from '../zmtp/connection.ts'
import { type Hold, Pipe, type PipeOwner } from './pipe.ts'
import type { SessionContext } from './session.ts'

/** The socket as the engine sees it: the owner of pipes, told when they come and go. */
export interface PipeHost extends PipeOwner {
  /** A new pipe; it takes messages at once, even while its connection is not up yet. */
  attached(pipe: Pipe): void
  /** The pipe's connection is up; its `routingId` is the peer's. Again after each reconnect. */
  connected(pipe: Pipe): void
  /** The pipe's connection is lost; the pipe stays, a new connection is on its way. */
  disconnected(pipe: Pipe): void
}

/** What is left of an endpoint that was told to stop. */
export interface Stopping {
  /** Resolves when the address can be used again. */
  readonly released: Promise<void>
  /** Resolves when all its connections are closed, and nothing is left to be sent. */
  readonly over: Promise<void>
}

/** A bound or connected endpoint. */
export interface Link {
  /** Takes nothing new and ends its connections; what was sent is delivered first, as `linger` says. Called once. */
  stop(): Stopping
  /** After `stop`: delivers no more. */
  abandon(): void
}

/** Without linger, what was handed to the transport already has so long to leave. */
const GRACE_MS = 100

/** Ends a link's linger, if it has an end: `linger` of -1 waits for ever. */
export function lingerTimer(link: Link, lingerMs: number): NodeJS.Timeout | undefined {
  return lingerMs < 0 ? undefined : setTimeout(() => link.abandon(), Math.max(lingerMs, GRACE_MS))
}

export interface LinkContext extends SessionContext {
  readonly host: PipeHost
  readonly hold: Hold
}

export function createPipe(context: LinkContext): Pipe {
  return new Pipe(context.host, context.hold, context.settings)
}

export function identify(pipe: Pipe, peer: Peer): void {
  pipe.routingId = Buffer.from(peer.routingId)
}
