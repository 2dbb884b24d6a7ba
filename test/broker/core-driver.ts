// Drives the broker's core in tests: a clock that is turned, a store in memory, and peers that are only names. Each input
// is a whole turn; what it made the core send is handed back.

import {
  answerRead,
  BrokerCore,
  type BrokerInput,
  type CoreSettings,
  type Endpoint,
  type Send,
  withKnownJobs,
} from '@eventmq-ts/broker/core'
import {
  type Command,
  type EpochMs,
  type HeaderChanges,
  type MessageId,
  type MonotonicMs,
  makeHeaders,
  type Now,
  type QueueName,
  type WeightedQueue,
} from '@eventmq-ts/emqp'
import { type JobStore, MemoryStore, type RoutingId } from '@eventmq-ts/store'
import { RecordedLog } from './recorded-log.ts'

export const id = (text: string) => text as MessageId
export const queue = (text: string) => text as QueueName
export const peer = (text: string) => text as RoutingId
export const bytes = (text: string) => new TextEncoder().encode(text)
export const text = (payload: Uint8Array) => new TextDecoder().decode(payload)

export const testSettings: CoreSettings = {
  heartbeatIntervalMs: 3000,
  peerTimeoutMs: 10_000,
  farewellTimeoutMs: 600_000,
  drainTimeoutMs: 30_000,
  scheduleAckTimeoutMs: 30_000,
  storeLeaseMs: 60_000,
  doneKeepMs: 60_000,
  deadKeepMs: 86_400_000,
  maxLosses: 3,
  queueOrder: 'strict',
  unknownQueue: 'keep',
  defaultQueues: [{ weight: 10, name: queue('default') }],
  queueHead: 1000,
  maxQueueDepth: 100_000,
  maxQueues: 100,
  maxPeers: 100,
  maxSlots: 1000,
  maxPayloadBytes: 1000,
  addresses: { frontend: 'tcp://front:1', backend: 'tcp://back:2', administration: 'tcp://admin:3' },
}

export class CoreDriver {
  readonly store: JobStore
  readonly log = new RecordedLog()
  readonly core: BrokerCore
  now: Now
  wakeAt = 0 as MonotonicMs
  stopped = false
  #ids = 0

  private constructor(settings: Partial<CoreSettings>, store: JobStore, startMs: number) {
    this.store = store
    this.now = { epochMs: (1_800_000_000_000 + startMs) as EpochMs, monotonicMs: startMs as MonotonicMs }
    this.core = new BrokerCore({ ...testSettings, ...settings }, { nextId: () => id(`b${++this.#ids}`), now: this.now })
  }

  /** A core that has been opened over the store. `startMs`: when, on both clocks. */
  static async open(
    settings: Partial<CoreSettings> = {},
    store: JobStore = new MemoryStore(),
    startMs = 1000,
  ): Promise<CoreDriver> {
    const driver = new CoreDriver(settings, store, startMs)
    await driver.feed({ type: 'opened', overview: await store.open() })
    return driver
  }

  /** One turn. Gives what was sent, HEARTBEATs left out. */
  async feed(...inputs: BrokerInput[]): Promise<readonly Send[]> {
    return (await this.feedAll(inputs)).filter(({ command }) => command.type !== 'HEARTBEAT')
  }

  /** One turn, HEARTBEATs included. */
  async feedAll(inputs: readonly BrokerInput[]): Promise<readonly Send[]> {
    const sent: Send[] = []
    for (let next: readonly BrokerInput[] = inputs; next.length > 0; ) {
      for (const input of await withKnownJobs(this.store, next)) this.core.receive(input, this.now)
      const effects = this.core.takeEffects()
      const { refused } = await this.store.commit(effects.writes)
      sent.push(...effects.sends.filter(({ guard }) => guard === undefined || !refused.includes(guard)))
      for (const { level, fields, message } of effects.logs) this.log[level](fields, message)
      const answers: BrokerInput[] = []
      for (const read of effects.reads)
        answers.push({ type: 'stored', answer: await answerRead(this.store, read, this.now.epochMs) })
      this.wakeAt = effects.wakeAt
      this.stopped = effects.stopped
      next = answers
    }
    return sent
  }

  async say(endpoint: Endpoint, from: string, command: Command): Promise<readonly Send[]> {
    return this.feed({ type: 'message', endpoint, from: peer(from), command })
  }

  /** Registers a worker with free slots. Gives what it was sent. */
  async worker(
    name: string,
    queues: readonly WeightedQueue[] = [{ weight: 10, name: queue('default') }],
    slots = 0,
  ): Promise<readonly Send[]> {
    const sent = [...(await this.say('backend', name, { type: 'INFORM', id: this.newId(), role: 'worker', queues }))]
    for (let i = 0; i < slots; i++) sent.push(...(await this.ready(name)))
    return sent
  }

  async scheduler(name: string): Promise<readonly Send[]> {
    return this.say('frontend', name, { type: 'INFORM', id: this.newId(), role: 'scheduler', queues: [] })
  }

  async ready(worker: string): Promise<readonly Send[]> {
    return this.say('backend', worker, { type: 'READY', id: this.newId() })
  }

  async request(
    client: string,
    job: string,
    headers: HeaderChanges = {},
    changes: { queue?: string; payload?: Uint8Array } = {},
  ): Promise<readonly Send[]> {
    const payload = changes.payload ?? bytes(`payload of ${job}`)
    const name = queue(changes.queue ?? 'default')
    return this.say('frontend', client, {
      type: 'REQUEST',
      id: id(job),
      queue: name,
      headers: makeHeaders(headers),
      payload,
    })
  }

  async reply(worker: string, job: string, payload: string): Promise<readonly Send[]> {
    return this.say('backend', worker, {
      type: 'REPLY',
      kind: 'result',
      id: this.newId(),
      request: id(job),
      payload: bytes(payload),
    })
  }

  /** Lets time pass, with a tick whenever the core wants one. Gives what was sent meanwhile, HEARTBEATs left out. */
  async advance(ms: number): Promise<readonly Send[]> {
    return (await this.advanceAll(ms)).filter(({ command }) => command.type !== 'HEARTBEAT')
  }

  async advanceAll(ms: number): Promise<readonly Send[]> {
    const until = this.now.monotonicMs + ms
    const sent: Send[] = []
    while (this.wakeAt <= until) {
      this.turnClock(Math.max(this.wakeAt, this.now.monotonicMs) - this.now.monotonicMs)
      sent.push(...(await this.feedAll([{ type: 'tick' }])))
    }
    this.turnClock(until - this.now.monotonicMs)
    return sent
  }

  /** Lets time pass with nobody there to see it. */
  turnClock(ms: number): void {
    const { epochMs, monotonicMs } = this.now
    this.now = { epochMs: (epochMs + ms) as EpochMs, monotonicMs: (monotonicMs + ms) as MonotonicMs }
  }

  newId(): MessageId {
    return id(`m${++this.#ids}`)
  }
}

/** What was sent, as short text: `ACK job-1 -> c1`, `REQUEST job-1 -> w1`, `REPLY job-1 -> c1`. */
export function told(sent: readonly Send[]): string[] {
  return sent.map(({ command, to }) => {
    switch (command.type) {
      case 'ACK':
        return `ACK ${command.acknowledges} -> ${to}`
      case 'REPLY':
        return `REPLY ${command.kind === 'result' ? command.request : command.kind} -> ${to}`
      case 'REQUEST':
      case 'SCHEDULE':
      case 'UNSCHEDULE':
        return `${command.type} ${command.id} -> ${to}`
      case 'PROGRESS':
        return `PROGRESS ${command.request} -> ${to}`
      default:
        return `${command.type} -> ${to}`
    }
  })
}

/** The code of the error in the one REPLY that was sent. */
export function refusalCode(sent: readonly Send[]): string | undefined {
  const [reply] = sent.filter(({ command }) => command.type === 'REPLY')
  if (reply?.command.type !== 'REPLY' || !('payload' in reply.command)) return undefined
  return JSON.parse(text(reply.command.payload)).error?.code
}
