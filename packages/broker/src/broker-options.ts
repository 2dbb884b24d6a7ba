// What a broker can be told, with ranges, units and defaults. Options from outside go through here once.

import { type Clock, type Log, queueName } from '@eventmq-ts/emqp'
import type { JobStore } from '@eventmq-ts/store'
import { z } from 'zod'
import { BrokerError } from './broker-error.ts'
import type { CoreSettings } from './core/index.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const milliseconds = (minimum: number, maximum: number) => z.int().min(minimum).max(maximum)
const address = z.string().regex(/^tcp:\/\/.+:(\*|[0-9]{1,5})$/, 'expected tcp://<interface or *>:<port or *>')

const weightedQueue = z.object({
  weight: z.int().min(0).max(2_147_483_647),
  name: z.string().transform((text, context) => {
    try {
      return queueName(text)
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) })
      return z.NEVER
    }
  }),
})

/** The settings of a broker. All have defaults. Durations in milliseconds. */
export const brokerSettingsSchema = z.strictObject({
  /** Where clients and schedulers connect. A port of `*` takes a free one. */
  frontendAddress: address.default('tcp://127.0.0.1:47291'),
  /** Where workers connect. */
  backendAddress: address.default('tcp://127.0.0.1:47290'),
  /** Where administrators connect. */
  administrationAddress: address.default('tcp://127.0.0.1:47293'),
  /** Between two HEARTBEATs to every registered peer. */
  heartbeatIntervalMs: milliseconds(10, hourMs).default(3_000),
  /** A registered peer that is silent for longer is gone. EventMQ's own send something every 3 s. */
  peerTimeoutMs: milliseconds(20, dayMs).default(10_000),
  /** How long a worker that said KBYE may be silent while it finishes what it runs. */
  farewellTimeoutMs: milliseconds(20, dayMs).default(600_000),
  /** How long running jobs may take to finish when the broker stops. */
  drainTimeoutMs: milliseconds(0, dayMs).default(30_000),
  /** How long a scheduler may take for its first ACK of a schedule, before it is taken for one of EventMQ 0.3. */
  scheduleAckTimeoutMs: milliseconds(10, dayMs).default(10_000),
  /** How far ahead leases in the store are dated. */
  storeLeaseMs: milliseconds(1_000, dayMs).default(60_000),
  /** How long ids and results of done jobs are kept, unless the header `keep` says otherwise. */
  doneKeepMs: milliseconds(0, 365 * dayMs).default(60_000),
  /** How long dead jobs are kept. */
  deadKeepMs: milliseconds(0, 365 * dayMs).default(dayMs),
  /** How often a guaranteed job may lose its worker before it counts as poison. */
  maxLosses: z.int().min(1).max(1_000_000).default(5),
  /** In which order a free slot looks at its worker's queues. */
  queueOrder: z.enum(['strict', 'weighted']).default('strict'),
  /** What becomes of jobs for a queue that nobody serves: `keep` them there, or `default` as in EventMQ. */
  unknownQueue: z.enum(['keep', 'default']).default('keep'),
  /** The queues of a worker that names none. */
  defaultQueues: z
    .array(weightedQueue)
    .min(1)
    .max(1024)
    .default(() => [{ weight: 10, name: queueName('default') }]),
  /** Jobs of a queue held in memory; the rest stays in the store until its turn comes. */
  queueHead: z.int().min(2).max(10_000).default(10_000),
  maxQueueDepth: z.int().min(1).default(1_000_000),
  maxQueues: z.int().min(1).default(10_000),
  maxPeers: z.int().min(1).default(10_000),
  maxSlots: z.int().min(1).default(10_000),
  /** Bytes of a payload. */
  maxPayloadBytes: z.int().min(1).max(1_073_741_824).default(52_428_800),
})

/** The settings as a program writes them. */
export type BrokerSettings = z.input<typeof brokerSettingsSchema>

/** The settings with every default filled in. */
export type CompleteBrokerSettings = z.output<typeof brokerSettingsSchema>

/** What {@link Broker} takes: its settings and what it stands on. */
export type BrokerOptions = BrokerSettings & {
  /** Where jobs are kept. Default: memory. The broker opens it and closes it. */
  readonly store?: JobStore | undefined
  readonly log?: Log | undefined
  readonly clock?: Clock | undefined
}

/**
 * Checks settings and fills in defaults.
 *
 * @throws BrokerError `BROKER_OPTION`
 */
export function readBrokerSettings(settings: BrokerSettings): CompleteBrokerSettings {
  const result = brokerSettingsSchema.safeParse(settings)
  if (result.success) return result.data
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'options'}: ${message}`)
  throw new BrokerError('BROKER_OPTION', `the broker's options are wrong: ${problems.join('; ')}`, {
    cause: result.error,
  })
}

/** What of the settings concerns the core, with the addresses that were taken. */
export function coreSettings(settings: CompleteBrokerSettings, addresses: CoreSettings['addresses']): CoreSettings {
  const { frontendAddress, backendAddress, administrationAddress, ...rest } = settings
  return { ...rest, addresses }
}
