// The schemas of settings: text as an operator writes it to the value that a role takes.

import { parseInformQueues, type WeightedQueue } from '@eventmq-ts/emqp'
import type { JobModule } from '@eventmq-ts/worker'
import { z } from 'zod'

/** An address to dial or to listen on. */
export function address(standard: string) {
  const error = 'expected tcp://host:port, e.g. tcp://127.0.0.1:47291'
  return z
    .string()
    .regex(/^tcp:\/\/\S+:(\*|[0-9]{1,5})$/, { error })
    .default(standard)
}

/** A whole number within bounds. */
export function wholeNumber(standard: number, minimum: number, maximum: number) {
  const error = `expected a whole number from ${minimum} to ${maximum}`
  return z
    .string()
    .regex(/^[0-9]+$/, { error })
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, { error })
    .default(standard)
}

/** Seconds, with a fraction if need be, as milliseconds. */
export function seconds(standard: number, maximum: number) {
  const error = `expected seconds from 0 to ${maximum}, e.g. 30 or 0.5`
  return z
    .string()
    .regex(/^[0-9]+(\.[0-9]+)?$/, { error })
    .transform((text) => Math.round(Number(text) * 1000))
    .refine((value) => value <= maximum * 1000, { error })
    .default(standard * 1000)
}

/** Queues in either of INFORM's notations. */
export const queues = z
  .string()
  .transform((text, context): readonly WeightedQueue[] => {
    const read = parseInformQueues(text)
    if (read.ok) return read.value.queues
    context.addIssue({ code: 'custom', message: `expected ${read.error.expected}` })
    return z.NEVER
  })
  .default([])

/** Modules of defined jobs. */
export const jobModules = z
  .array(z.string().min(1))
  .default([])
  .transform((modules): readonly JobModule[] => modules.map((module) => ({ kind: 'jobs', module })))

/** Modules of plain functions and classes: `module`, or `path=module`. */
export const callableModules = z
  .array(z.string().regex(/^([^=]+=)?[^=]+$/, { error: 'expected module or path=module, e.g. my_jobs=./my-jobs.ts' }))
  .default([])
  .transform((entries): readonly JobModule[] =>
    entries.map((entry) => {
      const [module = '', path] = entry.split('=').reverse()
      return { kind: 'callables', module, path }
    }),
  )

/** A switch. */
export const flag = z.boolean().default(false)
