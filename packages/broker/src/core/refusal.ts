// What a client is told when the broker itself ends or refuses a job: an error in the shape of a failed job's, with a
// stable code.

import { type JobFailure, printJobResult } from '@eventmq-ts/emqp'

/**
 * | code | meaning | what the client can do |
 * |---|---|---|
 * | `bad-request` | the message is not a REQUEST or SCHEDULE that the codec takes | correct it as the message says |
 * | `unsupported` | it asks by header for what this broker does not do | leave the header out |
 * | `too-large` | the payload is over the broker's limit | send less, or raise maxPayloadBytes |
 * | `queue-full` | the queue holds as many jobs as it may, or as many schedule orders wait | send again later |
 * | `too-many-queues` | there are as many queues as there may be | use one that exists |
 * | `draining` | the broker is about to stop | send again later, or elsewhere |
 * | `lost` | the worker vanished while it ran the job, and without `guarantee` it is not run again | send it again if that is safe |
 * | `poison` | its workers vanished too often while they ran it | find out what it does to them |
 * | `expired` | it did not start in the time that `expires` gave it | |
 * | `unknown-command` | an administrator asked for what there is not | |
 */
export type RefusalCode =
  | 'bad-request'
  | 'unsupported'
  | 'too-large'
  | 'queue-full'
  | 'too-many-queues'
  | 'draining'
  | 'lost'
  | 'poison'
  | 'expired'
  | 'unknown-command'

/** The payload of a REPLY that says so. */
export function printRefusal(code: RefusalCode, message: string, attempts?: number): Uint8Array {
  const error: JobFailure = { name: 'BrokerRefusal', message, code, ...(attempts === undefined ? {} : { attempts }) }
  return printJobResult({ kind: 'error', error })
}
