// Why brokers refuse messages, and what a caller can do about it. Reasons that are not here are passed on as they came.

interface Remedy {
  /** Completes the error's message. */
  readonly advice: string
  /** Whether the same call can succeed later. */
  readonly passes: boolean
}

const remedies: Readonly<Record<string, Remedy>> = {
  'bad-request': { advice: 'correct the call as the message says', passes: false },
  unsupported: { advice: 'leave that option out, or use a broker that has it', passes: false },
  'too-large': { advice: 'send less, or where the data is instead of the data', passes: false },
  'too-many-queues': { advice: 'use a queue that exists', passes: false },
  'queue-full': { advice: 'defer it again later, or give that queue more workers', passes: true },
  draining: { advice: 'defer it again when the broker is back', passes: true },
}

/** What to do about a refusal for this reason, where it is a known one. */
export function remedyFor(reason: string | undefined): Remedy | undefined {
  return reason !== undefined && Object.hasOwn(remedies, reason) ? remedies[reason] : undefined
}
