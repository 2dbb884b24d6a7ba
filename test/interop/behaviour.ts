// One thing that a user can see of a library: what a few calls come to, as one line of text; and a test that ours comes
// to the same as npm `zeromq`, or to something else for a reason that is written down.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AnySocket, LIBZMQ, type Library, type Options, OURS, type SocketClass } from './libraries.ts'

/** Opens a socket that is closed when the behaviour was seen. */
export type Open = (type: SocketClass, options?: Options) => AnySocket

export interface Behaviour {
  readonly run: (open: Open) => Promise<string>
  /** What the native package does; ours too, unless `ours` is there. */
  readonly expected: string
  readonly ours?: { readonly expected: string; readonly because: string }
}

const BOUNDED = { timeout: 20_000 }

export function describeBehaviours(title: string, behaviours: Readonly<Record<string, Behaviour>>): void {
  describe(title, () => {
    for (const [name, behaviour] of Object.entries(behaviours)) {
      const { expected, ours } = behaviour
      const suffix = ours === undefined ? '' : ` (ours differs: ${ours.because})`
      test(name + suffix, BOUNDED, async () => {
        assert.equal(await see(LIBZMQ, behaviour), expected, 'npm zeromq')
        assert.equal(await see(OURS, behaviour), ours?.expected ?? expected, 'ours')
      })
    }
  })
}

async function see(library: Library, { run }: Behaviour): Promise<string> {
  const sockets: AnySocket[] = []
  try {
    return await run((type, options = {}) => {
      const socket = library.open(type, { linger: 0, ...options })
      sockets.push(socket)
      return socket
    })
  } finally {
    for (const socket of sockets) socket.close()
  }
}

/** `returned ...`, `threw ...`, `resolved ...` or `rejected ...`; a promise that does so later than that is `pending`. */
export async function outcome(call: () => unknown, patienceMs = 50): Promise<string> {
  let result: unknown
  try {
    result = call()
  } catch (error) {
    return `threw ${textOf(error)}`
  }
  if (!(result instanceof Promise)) return `returned ${textOf(result)}`
  const patience = new Promise((resolve) => setTimeout(resolve, patienceMs, 'pending'))
  const settled = result.then(
    (value) => `resolved ${textOf(value)}`,
    (error: unknown) => `rejected ${textOf(error)}`,
  )
  return String(await Promise.race([settled, patience]))
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(',')
  if (!(value instanceof Error)) return String(value)
  if (value instanceof TypeError) return `TypeError: ${value.message}`
  const { code, errno, address } = value as Error & { code?: string; errno?: number; address?: string }
  const at = address === undefined ? '' : ` at ${address.replace(/:\d{4,5}$/, ':<port>')}`
  return `${code} ${errno}: ${value.message}${at}`
}
