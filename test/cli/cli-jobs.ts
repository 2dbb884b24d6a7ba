// Jobs for the tests of the command.

import { defineJob } from 'eventmq-ts'
import { z } from 'zod'

export const double = defineJob(
  { name: 'cliJobs.double', input: z.object({ number: z.number() }) },
  ({ number }) => number * 2,
)

/** Says that it has begun, and takes its time. */
export const slow = defineJob(
  { name: 'cliJobs.slow', input: z.object({ milliseconds: z.number() }) },
  async ({ milliseconds }, { log }) => {
    log.info({}, 'slow has begun')
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    return 'finished'
  },
)

export const forgetful = defineJob({ name: 'cliJobs.forgetful' }, () => {
  void Promise.reject(new Error('nobody waits for this'))
  return 'done'
})
