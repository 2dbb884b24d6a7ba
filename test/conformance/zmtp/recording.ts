// The recorded TCP streams of libzmq 4.3.4 beside this file: reads one by name, or all of them. JSON comes in; both
// streams as bytes go out, with what they mean as the recorder read them.

import { readdirSync, readFileSync } from 'node:fs'
import type { SocketTypeName } from 'zeromq-ts-pure/zmtp'
import { z } from 'zod'

const SOCKET_TYPES = [
  'PAIR',
  'PUB',
  'SUB',
  'REQ',
  'REP',
  'DEALER',
  'ROUTER',
  'PULL',
  'PUSH',
  'XPUB',
  'XSUB',
] as const satisfies readonly SocketTypeName[]

const hex = z
  .string()
  .regex(/^([0-9a-f]{2})*$/)
  .transform((digits) => new Uint8Array(Buffer.from(digits, 'hex')))

/** `DEALER`, or `DEALER (raw, 3.0)` for a peer that was not libzmq but played by hand. */
const peerSchema = z
  .string()
  .regex(/^[A-Z]+( \(raw.*\))?$/)
  .transform((text) => text.split(' '))
  .transform(([type, ...raw]) => ({ socketType: z.enum(SOCKET_TYPES).parse(type), libzmq: raw.length === 0 }))

const greetingSchema = z.object({
  signature: hex,
  version: z.string().regex(/^\d\.\d$/),
  mechanism: z.string(),
  asServer: z.number(),
  filler: hex,
})

const frameSchema = z.object({
  /** Counted from the end of the greeting. */
  offset: z.number(),
  flags: z.number(),
  long: z.boolean(),
  command: z.boolean(),
  more: z.boolean(),
  length: z.number(),
  /** Of a command. */
  name: z.string().optional(),
  dataHex: hex.optional(),
  properties: z.record(z.string(), z.string()).optional(),
  topicHex: hex.optional(),
  ttlDeciseconds: z.number().optional(),
  contextHex: hex.optional(),
  reason: z.string().optional(),
  /** Of a message part; null when it is long, and then its digest and first 16 bytes are there. */
  bodyHex: hex.nullish(),
  bodySha256: z.string().optional(),
  bodyStartHex: hex.optional(),
})

const decodedSchema = z.object({
  bytes: z.number(),
  greeting: greetingSchema,
  frames: z.array(frameSchema),
  /** Bytes at the end that are no whole frame. */
  undecodedTail: z.number(),
})

/** A stream that ended before its greeting did. */
const tooShort = z.object({ bytes: z.number().max(63) }).transform(() => undefined)

/** What was seen besides the streams; which keys there are differs from file to file. */
const expectationSchema = z.object({
  /** What the ROUTER's application got: routing id, then parts. */
  routerDelivered: z.array(hex).nullish(),
  serverClosed: z.boolean().optional(),
  xpubSawSubscribe: hex.optional(),
  xpubSawCancel: hex.optional(),
  xpubReceived: z.array(z.array(hex)).optional(),
})

const recordingSchema = z.object({
  name: z.string(),
  description: z.string(),
  recordedFrom: z.string(),
  /** Client, then server. */
  socketTypes: z.tuple([peerSchema, peerSchema]),
  mechanism: z.literal('NULL'),
  /** In the pieces in which they were read. */
  streams: z.object({ client: z.array(hex), server: z.array(hex) }),
  /** Which piece of which stream came when, in seconds. */
  order: z.array(z.tuple([z.enum(['client', 'server']), z.number(), z.number()])),
  closed: z.object({ by: z.string(), t: z.number() }).nullable(),
  decoded: z.object({ client: decodedSchema.or(tooShort), server: decodedSchema.or(tooShort) }).optional(),
  expectation: expectationSchema,
})

type Parsed = z.output<typeof recordingSchema>

export type RecordedFrame = Readonly<z.output<typeof frameSchema>>
type Expectation = Readonly<z.output<typeof expectationSchema>>

/** What a whole stream means. */
export type DecodedStream = Readonly<z.output<typeof decodedSchema>>

type Side = 'client' | 'server'

/** One direction of a recording. */
export interface RecordedStream {
  /** `null-sub-pub, client`: the recording and who spoke. */
  readonly title: string
  readonly socketType: SocketTypeName
  /** Whether libzmq spoke; else a peer played by hand, to see what libzmq does. */
  readonly libzmq: boolean
  readonly chunks: readonly Uint8Array[]
  readonly bytes: Uint8Array
  /** Undefined where the stream is no ZMTP, or ends before its greeting does. */
  readonly decoded: DecodedStream | undefined
}

export interface Recording {
  readonly name: string
  readonly description: string
  readonly client: RecordedStream
  readonly server: RecordedStream
  /** Who closed first, if anybody did while it was recorded. */
  readonly closedBy: string | undefined
  readonly expectation: Expectation
}

const folder = new URL('.', import.meta.url)

/** The recording of that name, e.g. `null-dealer-router`. */
export function readRecording(name: string): Recording {
  const parsed = recordingSchema.parse(JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')))
  return {
    name: parsed.name,
    description: parsed.description,
    client: streamOf(parsed, 'client'),
    server: streamOf(parsed, 'server'),
    closedBy: parsed.closed?.by,
    expectation: parsed.expectation,
  }
}

/** Every recording, in the order of their names. */
export function readAllRecordings(): readonly Recording[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  return files.sort().map((file) => readRecording(file.slice(0, -'.json'.length)))
}

function streamOf(parsed: Parsed, side: Side): RecordedStream {
  const { socketType, libzmq } = parsed.socketTypes[side === 'client' ? 0 : 1]
  const chunks = parsed.streams[side]
  const bytes = new Uint8Array(Buffer.concat(chunks))
  return { title: `${parsed.name}, ${side}`, socketType, libzmq, chunks, bytes, decoded: parsed.decoded?.[side] }
}
