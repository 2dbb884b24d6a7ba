// Reads the JUnit files that `bun test` and `deno test` write. In: the XML. Out: counts and the names of skipped tests.
// It reads what these two write and no other XML: one <testcase> a test, its outcome an element inside.

import type { Skip } from './tally.ts'

export interface JunitReport {
  readonly passed: number
  readonly failed: number
  readonly skips: readonly Skip[]
}

const TEST_CASE = /<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

export function readJunit(xml: string): JunitReport {
  const skips: Skip[] = []
  let passed = 0
  let failed = 0
  for (const [, attributes = '', body = ''] of xml.matchAll(TEST_CASE)) {
    if (/<(failure|error)\b/.test(body)) failed += 1
    else if (/<skipped\b/.test(body)) skips.push({ name: nameIn(attributes), reason: undefined })
    else passed += 1
  }
  return { passed, failed, skips }
}

function nameIn(attributes: string): string {
  const name = /\bname="([^"]*)"/.exec(attributes)?.[1] ?? ''
  return name.replace(/&(\w+);/g, (entity, word: string) => ENTITIES[word] ?? entity)
}
