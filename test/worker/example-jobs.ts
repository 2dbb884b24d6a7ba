// A module of defined jobs as a user may write it, for the tests of loading.

import { defineJob } from '@eventmq-ts/job'
import { z } from 'zod'

export const shout = defineJob(
  { name: 'texts.shout', input: z.object({ text: z.string() }) },
  ({ text }) => `${text.toUpperCase()}!`,
)

/** Exported for others, not to be run by whoever can reach the broker. */
export function helper(): string {
  return 'not a job'
}

export default shout
