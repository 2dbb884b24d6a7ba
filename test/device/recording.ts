// What live EventMQ 0.3.13 peers put on the wire, as recorded (`test/conformance/emqp`).

import { readdir, readFile } from 'node:fs/promises'
import { z } from 'zod'

const folder = new URL('../conformance/emqp/', import.meta.url)

const entrySchema = z.object({
  from: z.string().nullable(),
  to: z.string().nullable(),
  frames: z.array(z.object({ hex: z.string() })).optional(),
})
const recordingSchema = z.object({ name: z.string(), exchange: z.array(entrySchema) })

/** One recorded message. */
export interface RecordedMessage {
  readonly from: string
  readonly to: string
  readonly frames: readonly Uint8Array[]
}

/** The names of the recordings that begin so. */
export async function recordingNames(prefix: string): Promise<string[]> {
  const files = await readdir(folder)
  const names = files.filter((file) => file.startsWith(prefix) && file.endsWith('.json'))
  return names.map((file) => file.slice(0, -'.json'.length)).sort()
}

/** A recording's messages, in order; silences and events are left out. */
export async function readRecording(name: string): Promise<RecordedMessage[]> {
  const text = await readFile(new URL(`${name}.json`, folder), 'utf8')
  const { exchange } = recordingSchema.parse(JSON.parse(text))
  return exchange.flatMap(({ from, to, frames }) => {
    if (from === null || to === null || frames === undefined || frames.length === 0) return []
    return [{ from, to, frames: frames.map(({ hex }) => new Uint8Array(Buffer.from(hex, 'hex'))) }]
  })
}
