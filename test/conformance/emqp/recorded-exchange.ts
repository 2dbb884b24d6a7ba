// The recorded eMQP exchanges of EventMQ 0.3.13 beside this file: reads one by name, or all of them. JSON comes in, typed
// messages with their frames as bytes go out. Frames are as on the DEALER's wire, without a routing id.

import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'

const recordedBytes = z
  .object({ hex: z.string().regex(/^([0-9a-f]{2})*$/), utf8: z.string().nullable() })
  .transform(({ hex }) => bytesOfHex(hex))

const messageSchema = z.object({
  /** Seconds since the recording began. */
  t: z.number(),
  /** Who spoke; null for an event outside the wire. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** Empty: a silence, or an event. */
  frames: z.array(recordedBytes),
  note: z.string(),
  /** The peer's routing id, where the recorder was the ROUTER. */
  identity: recordedBytes.optional(),
})

const exchangeSchema = z.object({
  name: z.string(),
  description: z.string(),
  recordedFrom: z.string(),
  exchange: z.array(messageSchema),
  /** What became of the recorded process; its keys differ from file to file. */
  outcome: z.record(z.string(), z.unknown()).nullish(),
})

/** One step of a recording. */
export type RecordedMessage = Readonly<z.output<typeof messageSchema>>

/** One recording: what was done, and every message in order. */
export type RecordedExchange = Readonly<z.output<typeof exchangeSchema>>

const folder = new URL('.', import.meta.url)

/** The recording of that name, e.g. `router-worker-lifecycle`. */
export function readExchange(name: string): RecordedExchange {
  return exchangeSchema.parse(JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')))
}

/** Every recording, in the order of their names. */
export function readAllExchanges(): readonly RecordedExchange[] {
  const names = readdirSync(folder).filter((file) => file.endsWith('.json'))
  return names.sort().map((file) => readExchange(file.slice(0, -'.json'.length)))
}

function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16))
}
