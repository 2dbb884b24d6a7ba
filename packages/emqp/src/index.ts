export {
  parseShowSchedulers,
  parseShowWorkers,
  parseStatus,
  printAdministrationReply,
  type ShowSchedulers,
  type ShowWorkers,
  type Status,
  showSchedulersSchema,
  showWorkersSchema,
  statusSchema,
} from './administration-reply.ts'
export { messageId, queueName } from './checked-name.ts'
export type {
  Ack,
  Administration,
  AdministrationReply,
  Command,
  Dialect,
  Disconnect,
  DispatchedReply,
  Heartbeat,
  Inform,
  Kbye,
  PayloadReply,
  Progress,
  Publish,
  Ready,
  Reply,
  Request,
  ResultReply,
  Role,
  Schedule,
  Timing,
  Unschedule,
  WeightedQueue,
} from './command.ts'
export { type DecodeContext, type Decoded, decode } from './decode.ts'
export { encode } from './encode.ts'
export { EmqpError, type EmqpErrorCode, type Offence } from './error.ts'
export {
  formatHeaders,
  type HeaderChanges,
  type HeaderEntry,
  type MessageHeaders,
  makeHeaders,
  NO_HEADERS,
  parseHeaders,
  withHeaders,
} from './headers.ts'
export type { MessageId, QueueName } from './identifier.ts'
export { type InformQueues, parseInformQueues } from './inform-queues.ts'
export { type JobCall, jobCallSchema, parseJobCall, printJobCall } from './job-call.ts'
export { jobIdentity } from './job-identity.ts'
export {
  type JobFailure,
  type JobResult,
  jobFailureSchema,
  parseJobResult,
  printJobResult,
  RELEASED,
} from './job-result.ts'
export { type Backoff, DEFAULT_BACKOFF, type KnownHeaderKey, type KnownHeaders } from './known-header.ts'
export { LIMITS, type Limit } from './limit.ts'
export { type Log, silentLog } from './log.ts'
export type { Parsed } from './parsed.ts'
export { type Clock, type EpochMs, type MonotonicMs, type Now, systemClock } from './time.ts'
export { PROTOCOL } from './wire.ts'
