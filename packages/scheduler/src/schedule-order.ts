// From a client's order to a schedule: a SCHEDULE or UNSCHEDULE comes in, what the timetable keeps goes out, or the reason
// why it cannot be kept.

import { createHash } from 'node:crypto'
import {
  type EpochMs,
  jobIdentity,
  type Schedule as ScheduleCommand,
  type Unschedule as UnscheduleCommand,
  withHeaders,
} from '@eventmq-ts/emqp'
import type { Schedule, ScheduleKey } from './core/schedule.ts'
import { SchedulerError } from './scheduler-error.ts'

/** What an order meant, or why it is refused. */
export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: SchedulerError }

/** The key of the schedule that an order is about: EventMQ 0.3's own, the SHA-1 of the job's identity in hex. */
export function readKey({ type, payload }: ScheduleCommand | UnscheduleCommand): Read<ScheduleKey> {
  const identity = jobIdentity(payload)
  if (!identity.ok) {
    const message = `${type} is refused: ${identity.error.message}`
    return { ok: false, error: new SchedulerError('SCHEDULER_PAYLOAD', message, { cause: identity.error }) }
  }
  return { ok: true, value: createHash('sha1').update(identity.value).digest('hex') as ScheduleKey }
}

/** The schedule that a SCHEDULE asks for, as from its acceptance. */
export function readSchedule(command: ScheduleCommand, acceptedAt: EpochMs): Read<Schedule> {
  const { timing, headers } = command
  const key = readKey(command)
  if (!key.ok) return key
  if (timing.kind === 'cron') {
    const message = `SCHEDULE is refused: cron expressions ("${timing.expression}") are not served yet; send an interval in seconds`
    return { ok: false, error: new SchedulerError('SCHEDULER_CRON', message) }
  }
  // What speaks to the scheduler stays here. A result would come back to the scheduler, which has no use for it.
  const forRequests = withHeaders(headers, {
    replyRequested: false,
    nohaste: false,
    runCount: undefined,
    timeZone: undefined,
    missed: undefined,
  })
  return {
    ok: true,
    value: {
      key: key.value,
      order: command.id,
      queue: command.queue,
      headers: forRequests.text,
      guarantee: headers.guarantee,
      payload: command.payload,
      intervalMs: timing.seconds * 1000,
      missed: headers.missed ?? 'once',
      acceptedAt,
      nextSlot: headers.nohaste ? 1 : 0,
      runsLeft: headers.runCount,
    },
  }
}
