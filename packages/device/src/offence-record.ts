// What a router sent that is no eMQP: counted by kind, and logged once for each kind, so that a router that repeats a
// fault for ever fills no disk.

import type { EmqpError, Log } from '@eventmq-ts/emqp'

export class OffenceRecord {
  readonly #log: Log
  readonly #counts = new Map<string, number>()

  constructor(log: Log) {
    this.#log = log
  }

  /** By the codec's error code. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts
  }

  add(error: EmqpError): void {
    const count = (this.#counts.get(error.code) ?? 0) + 1
    this.#counts.set(error.code, count)
    if (count > 1) return
    const { code, frame, command, messageId } = error
    this.#log.warn(
      { code, frame, command, messageId },
      `the router sent something that is no eMQP and was ignored (further ones of this kind are only counted): ${error.message}`,
    )
  }
}
