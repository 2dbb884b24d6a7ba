// What a subcommand is.

import type { ExitCode } from '../exit-code.ts'
import type { SettingTable } from '../settings/setting.ts'

export interface Command {
  readonly name: string
  readonly aliases?: readonly string[]
  /** One line for the list of commands. */
  readonly summary: string
  /** What it does and when it ends. */
  readonly description: string
  readonly examples: readonly string[]
  readonly settings: SettingTable
  /** Runs it with what follows its name. */
  run(argv: readonly string[]): Promise<ExitCode>
}
