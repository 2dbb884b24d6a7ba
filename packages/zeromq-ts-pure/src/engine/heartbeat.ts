// Signs of life on one connection (ZMTP 3.1, "Connection Heartbeating"): PINGs at an interval, and the end of the
// connection when the peer is silent for too long, by our own timeout or by the time to live that the peer asked for.

import type { EngineSettings } from './settings.ts'

export interface HeartbeatActions {
  /** Send a PING that carries this time to live. */
  ping(ttlMs: number): void
  /** The peer is taken for dead. */
  expired(): void
}

export class Heartbeat {
  readonly #settings: EngineSettings
  readonly #actions: HeartbeatActions
  #pinging: NodeJS.Timeout | undefined
  #silence: NodeJS.Timeout | undefined
  #timeToLive: NodeJS.Timeout | undefined
  #timeToLiveMs = 0

  constructor(settings: EngineSettings, actions: HeartbeatActions) {
    this.#settings = settings
    this.#actions = actions
  }

  start(): void {
    const { heartbeatInterval } = this.#settings
    if (heartbeatInterval > 0) this.#pinging = setInterval(() => this.#ping(), heartbeatInterval).unref()
  }

  /** Something came from the peer. */
  heard(): void {
    if (this.#silence !== undefined) {
      clearTimeout(this.#silence)
      this.#silence = undefined
    }
    this.#timeToLive?.refresh()
  }

  /** The peer's PING: it expects to be given up if silent for so long; 0: never. */
  pinged(ttlMs: number): void {
    if (ttlMs === this.#timeToLiveMs) return
    this.#timeToLiveMs = ttlMs
    clearTimeout(this.#timeToLive)
    this.#timeToLive = ttlMs > 0 ? setTimeout(() => this.#actions.expired(), ttlMs).unref() : undefined
  }

  stop(): void {
    clearInterval(this.#pinging)
    clearTimeout(this.#silence)
    clearTimeout(this.#timeToLive)
    // What was cleared must not be refreshed.
    this.#silence = undefined
    this.#timeToLive = undefined
  }

  #ping(): void {
    const { heartbeatInterval, heartbeatTimeout, heartbeatTimeToLive } = this.#settings
    this.#actions.ping(heartbeatTimeToLive)
    if (this.#silence !== undefined) return
    const timeoutMs = heartbeatTimeout >= 0 ? heartbeatTimeout : heartbeatInterval
    this.#silence = setTimeout(() => this.#actions.expired(), timeoutMs).unref()
  }
}
