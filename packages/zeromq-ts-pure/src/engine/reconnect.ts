// How long to wait before the next attempt to connect, as a function without a clock: see ZMQ_RECONNECT_IVL and
// ZMQ_RECONNECT_IVL_MAX in zmq_setsockopt(3).

/** The shortest wait: an interval of 0 must not become a busy loop. */
const SHORTEST_WAIT_MS = 10

/** The longest wait that a timer can count; what is set for longer fires at once. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

export class ReconnectBackoff {
  #failures = 0

  /** The connection works: the next wait starts small again. */
  succeeded(): void {
    this.#failures = 0
  }

  /**
   * @param intervalMs option reconnectInterval, 0 or more
   * @param maxIntervalMs option reconnectMaxInterval; 0: the interval does not grow
   * @param random 0 to 1, spreads peers that lost the same server; at most one interval is added
   * @returns milliseconds to wait, never above the maximum if there is one
   */
  nextWaitMs(intervalMs: number, maxIntervalMs: number, random: number): number {
    const base = Math.max(intervalMs, SHORTEST_WAIT_MS)
    const grows = maxIntervalMs > base
    const doublings = grows ? Math.min(this.#failures, 31) : 0
    this.#failures++
    const wait = base * 2 ** doublings + Math.floor(random * base)
    return Math.min(wait, maxIntervalMs > 0 ? Math.max(maxIntervalMs, SHORTEST_WAIT_MS) : LONGEST_WAIT_MS)
  }
}
