// The bounds on what a peer may send as text. Payloads are not bounded here: their limit is a device's setting.

/** The largest sizes that the codec takes, in bytes of UTF-8 or in items. Each is named in the error it causes. */
export const LIMITS = Object.freeze({
  /** Bytes of a message id. */
  messageIdBytes: 255,
  /** Bytes of a queue's name. */
  queueNameBytes: 255,
  /** Bytes of a whole headers frame. */
  headersBytes: 8192,
  /** Headers in one headers frame. */
  headers: 64,
  /** Bytes of INFORM's queues frame. */
  informQueuesBytes: 65_536,
  /** Queues in one INFORM. */
  informQueues: 1024,
  /** Bytes of a cron expression. */
  cronBytes: 255,
  /** Bytes of a number: an interval, HEARTBEAT's time. */
  numberBytes: 32,
  /** Bytes of PUBLISH's topic. */
  topicBytes: 1024,
  /** Seconds in an interval or in a header that holds a duration: a hundred years. */
  seconds: 3_155_760_000,
})

/** The name of one bound. */
export type Limit = keyof typeof LIMITS
