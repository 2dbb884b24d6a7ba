// The command's entry as a function: the arguments come in, the exit code goes out. What an operator can put right ends
// as one line on standard error.

import { createRequire } from 'node:module'
import { z } from 'zod'
import type { Command } from './commands/command.ts'
import { router } from './commands/router.ts'
import { scheduler } from './commands/scheduler.ts'
import { worker } from './commands/worker.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { helpOfAll, helpOfOne } from './help.ts'
import { OperatorError } from './operator-error.ts'

const commands: readonly Command[] = [router, worker, scheduler]

/** @param argv without the runtime and the script */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  try {
    return await dispatch(argv)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    process.stderr.write(`eventmq: ${error.message}\n`)
    return error.exitCode
  }
}

async function dispatch([name, ...rest]: readonly string[]): Promise<ExitCode> {
  switch (name) {
    case undefined:
      process.stderr.write(helpOfAll(commands))
      return EXIT.usage
    case '--version':
    case 'version':
      process.stdout.write(`eventmq ${version()}\n`)
      return EXIT.ok
    case '--help':
    case '-h':
    case 'help': {
      const [about] = rest
      process.stdout.write(about === undefined ? helpOfAll(commands) : helpOfOne(commandNamed(about)))
      return EXIT.ok
    }
    default: {
      const command = commandNamed(name)
      if (rest.includes('--help') || rest.includes('-h')) {
        process.stdout.write(helpOfOne(command))
        return EXIT.ok
      }
      return command.run(rest)
    }
  }
}

function commandNamed(name: string): Command {
  const command = commands.find((candidate) => candidate.name === name || candidate.aliases?.includes(name))
  if (command !== undefined) return command
  const names = commands.map((candidate) => candidate.name).join(', ')
  throw new OperatorError(EXIT.usage, `there is no command ${JSON.stringify(name)}; there are ${names} and help`)
}

function version(): string {
  const manifest: unknown = createRequire(import.meta.url)('../package.json')
  return z.object({ version: z.string() }).parse(manifest).version
}
