// Reads a subcommand's settings: command line and environment come in, checked values go out, or one line that says which
// setting is wrong, where it stood, and what was expected.

import { parseArgs } from 'node:util'
import { EXIT } from '../exit-code.ts'
import { OperatorError } from '../operator-error.ts'
import type { Setting, SettingTable, SettingValues } from './setting.ts'

type Given = string | boolean | (string | boolean)[] | undefined

/**
 * @param argv what follows the subcommand
 * @param environment as `process.env`
 * @throws OperatorError with exit code 2
 */
export function readSettings<Table extends SettingTable>(
  table: Table,
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): SettingValues<Table> {
  const given = readOptions(table, argv)
  const values = Object.entries(table).map(([name, setting]) => [
    name,
    settingValue(setting, given[setting.option], environment),
  ])
  // Each value was made by its setting's schema, under its setting's name.
  return Object.fromEntries(values) as SettingValues<Table>
}

function readOptions(table: SettingTable, argv: readonly string[]): Readonly<Record<string, Given>> {
  const options = Object.values(table).map(({ option, short, placeholder, repeatable }) => [
    option,
    {
      type: placeholder === undefined ? ('boolean' as const) : ('string' as const),
      multiple: repeatable ?? false,
      ...(short === undefined ? {} : { short }),
    },
  ])
  try {
    return parseArgs({ args: [...argv], options: Object.fromEntries(options), allowPositionals: false }).values
  } catch (cause) {
    // Node's sentence names the option and what is wrong with it; what follows it is advice for other programs.
    const [sentence] = (cause instanceof Error ? cause.message : String(cause)).split('. ')
    throw new OperatorError(EXIT.usage, `${sentence}`, { cause })
  }
}

function settingValue(
  { option, variable, repeatable, schema }: Setting<unknown>,
  given: Given,
  environment: Readonly<Record<string, string | undefined>>,
): unknown {
  // An empty variable is one that somebody wanted to take back.
  const fromEnvironment = variable === undefined ? undefined : environment[variable] || undefined
  const inherited = repeatable && fromEnvironment !== undefined ? [fromEnvironment] : fromEnvironment
  const value = given ?? inherited
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const where = given === undefined && fromEnvironment !== undefined ? variable : `--${option}`
  const [issue] = read.error.issues
  const found = value === undefined ? 'is missing' : `is ${JSON.stringify(value)}`
  throw new OperatorError(EXIT.usage, `${where} ${found}: ${issue?.message ?? 'it cannot be read'}`, {
    cause: read.error,
  })
}
