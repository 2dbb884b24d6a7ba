// What a run of tests on one runtime came to, and whether that is good enough. In: counts. Out: a verdict and the lines
// that tell it.

import type { RuntimeName } from '../setup/runtimes.mjs'

/** A test that did not run. */
export interface Skip {
  readonly name: string
  /** Why, in the words of the test; runtimes other than Node do not report it. */
  readonly reason: string | undefined
}

/** One run of tests on one runtime. */
export interface Tally {
  readonly runtime: RuntimeName
  readonly exitStatus: number
  readonly passed: number
  readonly failed: number
  readonly skips: readonly Skip[]
  /** Test files in which no test ran. */
  readonly emptyFiles: readonly string[]
}

/** What is wrong with a run; empty if it is good. A skip is wrong where `skipsAllowed` is false (in CI). */
export function faultsOf(tally: Tally, skipsAllowed: boolean): string[] {
  const faults = tally.emptyFiles.map((file) => `${file} holds no test`)
  if (tally.failed > 0) faults.push(`${tally.failed} failed`)
  else if (tally.exitStatus !== 0) faults.push(`ended with status ${tally.exitStatus}`)
  if (tally.passed + tally.failed === 0) faults.push('executed no test')
  if (!skipsAllowed && tally.skips.length > 0) {
    faults.push(`${tally.skips.length} skipped, and with CI=true nothing may be: bring what they miss`)
  }
  return faults.map((fault) => `${tally.runtime}: ${fault}`)
}

/** One line a skipped test. */
export function describeSkips({ runtime, skips }: Tally): string[] {
  return skips.map(({ name, reason }) => `${runtime}: skipped "${name}": ${reason ?? 'see the reason in the test'}`)
}

/** The closing line, in the plain form that CI systems count by. */
export function summaryLine({ runtime, passed, failed, skips }: Tally): string {
  return `${runtime}: ${passed} passed, ${failed} failed, ${skips.length} skipped`
}
