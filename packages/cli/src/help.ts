// The texts of `eventmq help`: made of the commands' own tables, so that they cannot say anything else.

import type { Command } from './commands/command.ts'
import type { Setting } from './settings/setting.ts'

const exitCodes = `Exit codes
  0  ended in good order, also after SIGTERM or SIGINT
  1  failed while it was running
  2  a wrong command line, setting or jobs module; nothing was started
  3  an address is taken or cannot be listened on`

/** What `eventmq help` prints. */
export function helpOfAll(commands: readonly Command[]): string {
  const lines = commands.map(({ name, aliases = [], summary }) => {
    return `  ${[name, ...aliases].join(', ').padEnd(20)}${summary}`
  })
  return `eventmq: a job system over ZeroMQ, speaking eMQP/1.0

Usage
  eventmq COMMAND [OPTIONS]

Commands
${lines.join('\n')}
  ${'help [COMMAND]'.padEnd(20)}this text, or a command's own

${exitCodes}

Try: eventmq help worker
`
}

/** What `eventmq help COMMAND` prints. */
export function helpOfOne({ name, aliases = [], summary, description, examples, settings }: Command): string {
  const also = aliases.length === 0 ? '' : ` (also: ${aliases.join(', ')})`
  return `eventmq ${name}${also}: ${summary}

${description}

Options
${Object.values(settings).map(optionLines).join('\n')}

Examples
${examples.map((example) => `  ${example}`).join('\n')}
`
}

function optionLines({ option, short, placeholder, variable, help }: Setting<unknown>): string {
  const names = `${short === undefined ? '' : `-${short}, `}--${option}`
  const head = `  ${placeholder === undefined ? names : `${names} ${placeholder}`}`
  const source = variable === undefined ? '' : `\n      environment: ${variable}`
  return `${head}\n      ${help}${source}`
}
