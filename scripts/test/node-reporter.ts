// A reporter for `node --test` beside the one that people read: writes what the run came to as one line of JSON, with
// the reason of each skip and the files that hold no test, which Node itself counts as passed.

import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import type { Skip } from './tally.ts'

/** What this reporter writes. */
export interface NodeReport {
  readonly passed: number
  readonly failed: number
  readonly skips: readonly Skip[]
  readonly emptyFiles: readonly string[]
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const skips: Skip[] = []
  const files = new Set<string>()
  const filesWithTests = new Set<string>()
  let passed = 0
  let failed = 0
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const { data } = event
    if (data.details.type === 'suite' && !isFaultOfSuite(event)) continue
    const file = relative(process.cwd(), data.file ?? '')
    // Node reports a file without tests, and one that cannot be loaded, as a test with the file's name.
    const isWholeFile = data.nesting === 0 && data.name === file
    files.add(file)
    if (!isWholeFile) filesWithTests.add(file)
    const excuse = data.skip ?? data.todo
    if (excuse !== undefined && excuse !== false) {
      skips.push({ name: data.name, reason: typeof excuse === 'string' ? excuse : undefined })
    } else if (event.type === 'test:fail') {
      failed += 1
      filesWithTests.add(file)
    } else if (!isWholeFile) {
      passed += 1
    }
  }
  const emptyFiles = [...files].filter((file) => !filesWithTests.has(file))
  yield `${JSON.stringify({ passed, failed, skips, emptyFiles } satisfies NodeReport)}\n`
}

/** A suite fails with each test inside, which is counted by itself; only its own hooks and body are its own faults. */
function isFaultOfSuite(event: TestEvent): boolean {
  if (event.type !== 'test:fail') return false
  const { error } = event.data.details
  return !('failureType' in error && error.failureType === 'subtestsFailed')
}
