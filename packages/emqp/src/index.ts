export { type Log, silentLog } from './log.ts'
export { type Clock, type EpochMs, type MonotonicMs, type Now, systemClock } from './time.ts'
