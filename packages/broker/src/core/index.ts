// The broker's core by itself, for tests, the simulation and the inspector: no sockets, no store, no clock.

export type { BrokerStats } from './administration.ts'
export { BrokerCore } from './broker-core.ts'
export type { BrokerEffects, LogEvent, Send, StoreRead } from './effects.ts'
export type { BrokerInput, MalformedInput, MessageInput, StoreAnswer } from './input.ts'
export { peerName } from './peer-name.ts'
export type { RefusalCode } from './refusal.ts'
export { backoffMs } from './runs.ts'
export type { CoreSettings, Endpoint, QueueOrder } from './settings.ts'
export { answerRead, withKnownJobs } from './store-answers.ts'
