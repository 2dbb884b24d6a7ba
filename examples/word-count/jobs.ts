// Three jobs around a word count: what `npm run demo` runs. Load them into a worker with
//
//   eventmq worker --jobs ./examples/word-count/jobs.ts
//
// Words are what `wc -w` calls words: runs of anything but white space.

import { appendFile, readFile } from 'node:fs/promises'
import { defineJob } from 'eventmq-ts'
import { z } from 'zod'

const countSchema = z.object({
  lines: z.int().min(0),
  words: z.int().min(0),
  /** Each word once. */
  distinct: z.array(z.string()),
})

/** What was found in one file or in many. */
export type Count = z.output<typeof countSchema>

/** Counts lines, words and distinct words of a file. */
export const countFile = defineJob(
  { name: 'wordCount.countFile', queue: 'word-count', input: z.object({ file: z.string() }), timeoutSeconds: 30 },
  async ({ file }): Promise<Count & { readonly process: number }> => {
    const text = await readFile(file, 'utf8')
    return { ...countText(text), process: process.pid }
  },
)

/** Adds counts up; a word that several of them have counts once. */
export const mergeCounts = defineJob(
  { name: 'wordCount.mergeCounts', queue: 'word-count', input: z.object({ counts: z.array(countSchema) }) },
  ({ counts }): { readonly lines: number; readonly words: number; readonly distinct: number } => ({
    lines: counts.reduce((sum, { lines }) => sum + lines, 0),
    words: counts.reduce((sum, { words }) => sum + words, 0),
    distinct: new Set(counts.flatMap(({ distinct }) => distinct)).size,
  }),
)

/** Leaves a line with the time in a file; something for a schedule to run. */
export const tick = defineJob(
  { name: 'wordCount.tick', queue: 'word-count', input: z.object({ file: z.string() }) },
  async ({ file }) => {
    await appendFile(file, `${new Date().toISOString()}\n`)
  },
)

/** Lines are ends of lines, as for `wc -l`. */
export function countText(text: string): Count {
  const words = text.match(/[^\s\u2060]+/gu) ?? []
  return { lines: text.split('\n').length - 1, words: words.length, distinct: [...new Set(words)] }
}
