// What the engine needs to know of a socket's options. The table of all options, with ids and ranges, is in
// ../socket/options.ts; times are in milliseconds.

import type { TcpSettings } from '../transport/tcp.ts'

export interface EngineSettings extends TcpSettings {
  /** How long unsent messages are kept after close; -1: until they are sent, 0: not at all. */
  readonly linger: number
  /** -1: never reconnect. */
  readonly reconnectInterval: number
  /** 0: the interval does not grow. */
  readonly reconnectMaxInterval: number
  /** Bytes of one part; -1: no limit. */
  readonly maxMessageSize: number
  /** Queue messages only for connections that are up. */
  readonly immediate: boolean
  /** How long a handshake may take; 0: for ever. */
  readonly handshakeInterval: number
  /** Time between PINGs; 0: none are sent. */
  readonly heartbeatInterval: number
  /** What the peer is told to wait for us; 0: for ever. */
  readonly heartbeatTimeToLive: number
  /** How long the peer may be silent after a PING; -1: as long as the interval. */
  readonly heartbeatTimeout: number
  readonly sendHighWaterMark: number
  readonly receiveHighWaterMark: number
  readonly routingId: string | null
}
