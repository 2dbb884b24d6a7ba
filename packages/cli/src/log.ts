// The command's log: pino on standard error, one JSON object a line for machines, or one plain line for people.

import type { Log } from '@eventmq-ts/emqp'
import { pino } from 'pino'
import { z } from 'zod'

/** What the log goes by. */
export interface LogSettings {
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly logFormat: 'line' | 'json' | undefined
}

/** @param role what stands in every line, e.g. `worker` */
export function makeLog(role: string, { logLevel, logFormat }: LogSettings): Log {
  const format = logFormat ?? (process.stderr.isTTY ? 'line' : 'json')
  const toStderr = { write: (line: string) => void process.stderr.write(line) }
  const destination = format === 'json' ? toStderr : { write: (line: string) => toStderr.write(readable(line)) }
  return pino({ level: logLevel, base: { role } }, destination)
}

const entrySchema = z.object({
  level: z.number(),
  time: z.number(),
  role: z.string(),
  msg: z.string().default(''),
  // Whatever else is logged as an error has no stack to show.
  err: z.object({ stack: z.string() }).optional().catch(undefined),
})

/** A line of pino's as people read it: time, level, role and message; an error's stack where there is one. */
function readable(line: string): string {
  const { level, time, role, msg, err } = entrySchema.parse(JSON.parse(line))
  const clock = new Date(time).toTimeString().slice(0, 8)
  const stack = err === undefined ? '' : `\n${err.stack}`
  return `${clock} ${(pino.levels.labels[level] ?? '').toUpperCase().padEnd(5)} ${role}: ${msg}${stack}\n`
}
