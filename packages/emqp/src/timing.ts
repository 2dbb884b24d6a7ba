// When a schedule fires, as it stands in frames. 0.3: a frame with the interval in whole seconds (-1 beside a cron
// expression) and a frame with the cron expression (empty beside an interval). 2016: headers `interval:#` and `cron:...`,
// the latter the last one, since a cron expression may hold commas.

import type { Timing } from './command.ts'
import { EmqpError } from './error.ts'
import { type MessageHeaders, parseHeaders, withoutHeader } from './headers.ts'
import { LIMITS } from './limit.ts'
import { type Parsed, parsed, refused } from './parsed.ts'
import { utf8Length } from './text.ts'

const noInterval = '-1'

/** Reads the two texts; neither an interval nor a cron expression is `undefined`. Errors: `EMQP_TIMING`, `EMQP_LIMIT`. */
export function parseTiming(interval: string, cron: string): Parsed<Timing | undefined> {
  if (interval !== noInterval && cron !== '') return refused(badTiming(`${interval} and ${cron}`, 'one of the two'))
  if (cron !== '') return parseCron(cron)
  if (interval === noInterval) return parsed(undefined)
  const seconds = /^[0-9]+$/.test(interval) ? Number(interval) : 0
  if (seconds >= 1 && seconds <= LIMITS.seconds) return parsed({ kind: 'interval', seconds })
  return refused(badTiming(interval, `whole seconds from 1 to ${LIMITS.seconds}, or -1 beside a cron expression`))
}

/** Reads 2016's headers frame of a schedule: its timing, and the headers that remain. */
export function parseTimingHeaders(
  text: string,
): Parsed<{ readonly headers: MessageHeaders; readonly timing: Timing | undefined }> {
  const cron = /(?:^|,)[ \t]*cron:(.*)$/s.exec(text)
  const read = parseHeaders(cron === null ? text : text.slice(0, cron.index))
  if (!read.ok) return read
  const intervals = read.value.entries.filter(({ name }) => name === 'interval')
  if (intervals.length > 1) return refused(badTiming('interval', 'it only once'))
  const [interval] = intervals
  const timing = parseTiming(interval === undefined ? noInterval : (interval.value ?? ''), cron?.[1] ?? '')
  if (!timing.ok) return timing
  const headers = interval === undefined ? read.value : withoutHeader(read.value, 'interval')
  return parsed({ headers, timing: timing.value })
}

/**
 * Prints the interval's and the cron expression's frame.
 *
 * @throws EmqpError `EMQP_NOT_EXPRESSIBLE` where the interval is out of its range or the cron expression is none
 */
export function printTiming(timing: Timing | undefined): readonly [interval: string, cron: string] {
  if (timing === undefined) return [noInterval, '']
  const interval = timing.kind === 'interval' ? String(timing.seconds) : noInterval
  const cron = timing.kind === 'cron' ? timing.expression : ''
  const back = parseTiming(interval, cron)
  if (!back.ok) throw notExpressible(back.error)
  if (back.value === undefined) throw notExpressible(badTiming(cron, 'an interval or a cron expression'))
  return [interval, cron]
}

/**
 * Prints 2016's headers frame of a schedule.
 *
 * @throws EmqpError `EMQP_NOT_EXPRESSIBLE` where the headers hold something that the 2016 dialect reads as timing
 */
export function printTimingHeaders(headers: MessageHeaders, timing: Timing | undefined): string {
  const clash = headers.entries.find(({ name }) => name === 'interval' || name === 'cron')
  if (clash !== undefined) throw notExpressible(badTiming(clash.name, 'no header of that name: it is the 2016 timing'))
  if (timing === undefined) return headers.text
  const [interval, cron] = printTiming(timing)
  const header = timing.kind === 'interval' ? `interval:${interval}` : `cron:${cron}`
  return headers.text === '' ? header : `${headers.text},${header}`
}

function parseCron(expression: string): Parsed<Timing> {
  if (utf8Length(expression) > LIMITS.cronBytes) {
    const expected = `at most ${LIMITS.cronBytes} bytes (cronBytes)`
    return refused(new EmqpError('EMQP_LIMIT', { part: 'cron', found: expression, expected }))
  }
  return parsed({ kind: 'cron', expression })
}

function badTiming(found: string, expected: string): EmqpError {
  return new EmqpError('EMQP_TIMING', { part: 'interval and cron', found, expected })
}

function notExpressible(error: EmqpError): EmqpError {
  const { part, found, expected } = error
  return new EmqpError('EMQP_NOT_EXPRESSIBLE', { part, found, expected }, { cause: error })
}
