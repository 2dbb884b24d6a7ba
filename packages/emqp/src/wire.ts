// The constants of eMQP's frames: the protocol's version, and the commands' names with the numbers of
// frames that each may have.

import { encodeText } from './text.ts'

/** The protocol that this package speaks, frame 1 of every message. */
export const PROTOCOL = 'eMQP/1.0'

/**
 * Every command on the wire and how many frames it may have, 0.3's number first. Sources: recordings of EventMQ 0.3.13;
 * the eMQP document of January 2016 for 7-frame SCHEDULE and PUBLISH, 5-frame REPLY, and KBAI.
 */
export const frameCounts = {
  INFORM: [6],
  ACK: [5],
  READY: [4],
  REQUEST: [7],
  REPLY: [6, 5],
  HEARTBEAT: [5],
  SCHEDULE: [9, 8, 7],
  UNSCHEDULE: [9, 8, 7],
  PUBLISH: [6, 7],
  DISCONNECT: [4],
  KBYE: [4],
  KBAI: [4],
  PROGRESS: [6],
  STATUS: [4],
  ROUTER_SHOW_WORKERS: [4],
  ROUTER_SHOW_SCHEDULERS: [4],
  HELLO: [4],
} as const satisfies Record<string, readonly number[]>

/** A command's name on the wire; `KBAI` is 2016's `KBYE`. */
export type WireName = keyof typeof frameCounts

/** All names. */
export const wireNames = Object.keys(frameCounts) as readonly WireName[]

/** The version's frame. Shared by all messages: nobody may write into it. */
export const protocolFrame: Uint8Array = encodeText(PROTOCOL)

/** The names' frames. Shared like {@link protocolFrame}. */
export const nameFrames = Object.fromEntries(wireNames.map((name) => [name, encodeText(name)])) as Readonly<
  Record<WireName, Uint8Array>
>

/** Whether two frames hold the same bytes. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false
  return true
}
