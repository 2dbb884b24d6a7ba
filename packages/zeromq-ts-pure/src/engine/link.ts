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
