// The recorded exchanges of EventMQ 0.3 peers (test/conformance/emqp), as data for tests of the broker.

import { readdirSync, readFileSync } from 'node:fs'

const directory = new URL('../conformance/emqp/', import.meta.url)

export interface RecordedStep {
  /** Seconds since the recording began. */
  readonly t: number
  readonly from: string | null
  readonly to: string | null
  /** As on the DEALER's wire. */
  readonly frames: readonly Uint8Array[] | undefined
  readonly note: string
}

export interface RecordedExchange {
  readonly name: string
  readonly description: string
  readonly steps: readonly RecordedStep[]
}

interface FileStep {
  readonly t: number
  readonly from: string | null
  readonly to: string | null
  readonly frames?: readonly { readonly hex: string }[] | null
  readonly note?: string
}

export function readExchange(name: string): RecordedExchange {
  const file: { description: string; exchange: FileStep[] } = JSON.parse(
    readFileSync(new URL(`${name}.json`, directory), 'utf8'),
  )
  const steps = file.exchange.map(({ t, from, to, frames, note = '' }) => ({
    t,
    from,
    to,
    // Without frames it is a silence or an event.
    frames: frames?.length ? frames.map(({ hex }) => new Uint8Array(Buffer.from(hex, 'hex'))) : undefined,
    note,
  }))
  return { name, description: file.description, steps }
}

/** The names of the recordings that begin so. */
export function exchangeNames(...prefixes: string[]): readonly string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json') && prefixes.some((prefix) => file.startsWith(prefix)))
    .map((file) => file.slice(0, -'.json'.length))
    .sort()
}
