// The ZMTP wire without I/O, for inspectors, tests and other shells: `zeromq-ts-pure/zmtp`.

export { ByteQueue } from './byte-queue.ts'
export {
  type Command,
  decodeCommand,
  decodeErrorReason,
  decodePing,
  encodeCommand,
  encodePing,
  PING_CONTEXT_LIMIT,
  type Ping,
  TTL_LIMIT_MS,
} from './command.ts'
export { Connection, type ConnectionOptions, type ConnectionSink, type Peer } from './connection.ts'
export { COMMAND, encodeFrame, frameLength, LONG, MORE, writeFrameHeader } from './frame.ts'
export { CONTINUE, FrameDecoder, type FrameSink, PAUSE, type Verdict } from './frame-decoder.ts'
export { FrameEncoder } from './frame-encoder.ts'
export {
  checkGreetingPrefix,
  decodeGreeting,
  encodeGreeting,
  GREETING_HEAD_LENGTH,
  GREETING_LENGTH,
  type Greeting,
} from './greeting.ts'
export { decodeMetadata, encodeMetadata, IDENTITY, type Property, propertyValue, SOCKET_TYPE } from './metadata.ts'
export type { SecurityMechanism, SecurityStep } from './security.ts'
export { mayTalk, type SocketTypeName, statesIdentity } from './socket-type.ts'
export { Violation, type ViolationCode } from './violation.ts'
