// The settings of every subcommand that runs a role: its log, and how it may be told to stop.

import { z } from 'zod'
import { flag } from './schemas.ts'
import type { SettingTable } from './setting.ts'

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const

export const serviceSettings = {
  logLevel: {
    option: 'log-level',
    placeholder: 'LEVEL',
    help: `the least that is logged: ${levels.join(', ')} (default info)`,
    schema: z.enum(levels, { error: `expected ${levels.join(', ')}` }).default('info'),
  },
  logFormat: {
    option: 'log-format',
    placeholder: 'FORMAT',
    help: 'line for people, json for machines (default: line on a terminal, else json)',
    schema: z.enum(['line', 'json'], { error: 'expected line or json' }).optional(),
  },
  untilStdinEnds: {
    option: 'until-stdin-ends',
    help: 'stop in good order when standard input ends too, so that it never outlives its starter',
    schema: flag,
  },
} as const satisfies SettingTable
