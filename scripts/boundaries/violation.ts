// One broken wall, and how it is shown.

/** The rules by name, as a violation quotes them. */
export type Rule =
  | 'package'
  | 'layer'
  | 'core'
  | 'cycle'
  | 'deep import'
  | 'missing file'
  | 'library'
  | 'undeclared'
  | 'unused'
  | 'peer'
  | 'outsider'
  | 'no rule'

export interface Violation {
  /** From the repository's root. */
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly rule: Rule
  /** What is wrong. */
  readonly problem: string
  /** What to do about it. */
  readonly remedy: string
}

/** `file:line`, which editors and terminals open, the rule, what is wrong and what to do. */
export function describe({ file, line, rule, problem, remedy }: Violation): string {
  return `${file}:${line} [${rule}] ${problem}\n    ${remedy}`
}
