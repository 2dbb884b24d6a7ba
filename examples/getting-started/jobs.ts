import { defineJob } from 'eventmq-ts'
import { z } from 'zod'

export const wordCount = defineJob(
  { name: 'reports.wordCount', queue: 'reports', input: z.object({ text: z.string() }), retryCount: 3 },
  ({ text }) => text.split(/\s+/).length,
)
