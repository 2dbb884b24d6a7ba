// A setting of a subcommand: an option of the command line, mostly with an environment variable under EventMQ's name. What
// stands there is text; its schema makes a value of it.

import type { z } from 'zod'

/** One line of a subcommand's table of settings. */
export interface Setting<Value> {
  /** The long option, without dashes. */
  readonly option: string
  readonly short?: string
  /** EventMQ's environment variable; the option goes before it. */
  readonly variable?: string
  /** What stands for the value in the help. Absent: a switch without a value. */
  readonly placeholder?: string
  /** May be given several times; its schema then gets a list. */
  readonly repeatable?: boolean
  readonly help: string
  /** From the text (a list where repeatable, a boolean for a switch; undefined where absent) to the value. */
  readonly schema: z.ZodType<Value>
}

/** A subcommand's settings by the name of their values. */
export type SettingTable = Readonly<Record<string, Setting<unknown>>>

/** The values of a table's settings. */
export type SettingValues<Table extends SettingTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer Value> ? Value : never
}
