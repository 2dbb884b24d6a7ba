// An administrator's answers: the JSON of STATUS, ROUTER_SHOW_WORKERS and ROUTER_SHOW_SCHEDULERS with EventMQ's keys.
// Further keys are ours or a later version's and are kept. Bytes in, a typed view out, and back.

import { z } from 'zod'
import { EmqpError } from './error.ts'
import { type Parsed, parsed, refused } from './parsed.ts'
import { decodeText, encodeText } from './text.ts'

const countByName = z.record(z.string(), z.number())
const weightedName = z.tuple([z.number(), z.string()])

/** STATUS: counters by queue and by worker; latencies in milliseconds. */
export const statusSchema = z.looseObject({
  inflight_messages_by_queue: countByName,
  latency_messages_by_queue: countByName,
  max_latency_messages_by_queue: countByName,
  waiting_messages_by_queue: countByName,
  processed_messages_by_queue: countByName,
  processed_messages_by_worker: countByName,
})

/** ROUTER_SHOW_WORKERS: each worker's queues, last heartbeat (seconds on the broker's own clock) and free slots. */
export const showWorkersSchema = z.looseObject({
  connected_workers: z.record(
    z.string(),
    z.looseObject({ queues: z.array(weightedName), hb: z.number(), available_slots: z.number() }),
  ),
  connected_queues: z.record(z.string(), z.array(weightedName)),
})

/** ROUTER_SHOW_SCHEDULERS: each scheduler's last heartbeat (seconds on the broker's own clock). */
export const showSchedulersSchema = z.looseObject({
  connected_schedulers: z.record(z.string(), z.looseObject({ hb: z.number() })),
})

/** The answer to STATUS. */
export type Status = Readonly<z.output<typeof statusSchema>>

/** The answer to ROUTER_SHOW_WORKERS. */
export type ShowWorkers = Readonly<z.output<typeof showWorkersSchema>>

/** The answer to ROUTER_SHOW_SCHEDULERS. */
export type ShowSchedulers = Readonly<z.output<typeof showSchedulersSchema>>

/** Reads the answer to STATUS; an error has the code `EMQP_ADMINISTRATION`. */
export function parseStatus(payload: Uint8Array): Parsed<Status> {
  return parseView(statusSchema, payload)
}

/** Reads the answer to ROUTER_SHOW_WORKERS; an error has the code `EMQP_ADMINISTRATION`. */
export function parseShowWorkers(payload: Uint8Array): Parsed<ShowWorkers> {
  return parseView(showWorkersSchema, payload)
}

/** Reads the answer to ROUTER_SHOW_SCHEDULERS; an error has the code `EMQP_ADMINISTRATION`. */
export function parseShowSchedulers(payload: Uint8Array): Parsed<ShowSchedulers> {
  return parseView(showSchedulersSchema, payload)
}

/** Prints an answer for an administrator's REPLY. */
export function printAdministrationReply(view: Status | ShowWorkers | ShowSchedulers): Uint8Array {
  return encodeText(JSON.stringify(view))
}

function parseView<T>(schema: z.ZodType<T>, payload: Uint8Array): Parsed<T> {
  const text = decodeText(payload)
  let json: unknown
  try {
    json = JSON.parse(text ?? '')
  } catch (cause) {
    return refused(badView(text ?? 'bytes that are not UTF-8', 'JSON', cause))
  }
  const view = schema.safeParse(json)
  if (view.success) return parsed(view.data)
  const [issue] = view.error.issues
  const detail = issue === undefined ? '' : `: ${[...issue.path, issue.message].join(': ')}`
  return refused(badView(text ?? '', `EventMQ's keys${detail}`, view.error))
}

function badView(found: string, expected: string, cause: unknown): EmqpError {
  return new EmqpError('EMQP_ADMINISTRATION', { part: 'payload', found, expected }, { cause })
}
