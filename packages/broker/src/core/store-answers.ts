// What whoever drives the core does with a store on its behalf, besides committing: the reads that it asks for, and the
// look-up that a REQUEST comes in with. The shell, the tests and the simulation share it.

import type { EpochMs, MessageId } from '@eventmq-ts/emqp'
import type { JobStore } from '@eventmq-ts/store'
import type { StoreRead } from './effects.ts'
import type { BrokerInput, StoreAnswer } from './input.ts'

/** Does a read of {@link BrokerEffects}. */
export async function answerRead(store: JobStore, read: StoreRead, now: EpochMs): Promise<StoreAnswer> {
  switch (read.type) {
    case 'waiting':
      return { type: 'waiting', queue: read.queue, page: await store.waiting(read) }
    case 'delayed':
      return { type: 'delayed', page: await store.delayed(read) }
    case 'active':
      return { type: 'active', page: await store.active(read) }
    case 'schedules':
      return { type: 'schedules', page: await store.schedules(read) }
    case 'result':
      return { type: 'result', to: read.to, job: await store.read(read.id) }
    case 'forget':
      return { type: 'forget', forgotten: await store.forget(now, read.limit) }
  }
}

/** The same inputs, each REQUEST with what the store knows under its id. */
export async function withKnownJobs(store: JobStore, inputs: readonly BrokerInput[]): Promise<readonly BrokerInput[]> {
  const ids: MessageId[] = []
  for (const input of inputs) {
    if (input.type === 'message' && input.command.type === 'REQUEST') ids.push(input.command.id)
  }
  if (ids.length === 0) return inputs
  const known = await store.lookup(ids)
  if (known.size === 0) return inputs
  return inputs.map((input) => {
    if (input.type !== 'message' || input.command.type !== 'REQUEST') return input
    return { ...input, known: known.get(input.command.id) }
  })
}
