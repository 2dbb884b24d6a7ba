// Runs a role as a service until it is told to stop: by SIGTERM or SIGINT, or (where its starter wants it so) by the end
// of standard input, which comes even if the starter is killed. A second signal ends it at once.

import type { Log } from '@eventmq-ts/emqp'
import { EXIT, type ExitCode } from './exit-code.ts'

/** What the roles have in common. */
export interface Service {
  start(): Promise<void>
  /** Resolves when the role has stopped, whoever asked for it; rejects if it could not go on. */
  readonly closed: Promise<void>
  stop(): Promise<void>
}

/** How a service is run. */
export interface ServiceSettings {
  readonly log: Log
  readonly untilStdinEnds: boolean
  /** Called when the service has started. */
  readonly started: () => void
}

const signals = ['SIGTERM', 'SIGINT'] as const

/**
 * Starts the service and resolves with the exit code when it has ended.
 *
 * @throws whatever the service's `start` throws
 */
export async function serve(service: Service, { log, untilStdinEnds, started }: ServiceSettings): Promise<ExitCode> {
  let asked = false
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked) {
      log.error({ signal }, `${signal} again: ended at once`)
      process.exit(EXIT.failed)
    }
    asked = true
    log.info({ signal }, `${signal}: finishing what runs; once more ends at once`)
    void service.stop()
  }
  for (const signal of signals) process.on(signal, onSignal)
  if (untilStdinEnds) process.stdin.once('end', () => service.stop()).resume()
  try {
    await service.start()
    started()
    return await service.closed.then(
      () => EXIT.ok,
      // The role has logged why it could not go on.
      () => EXIT.failed,
    )
  } finally {
    for (const signal of signals) process.off(signal, onSignal)
    // An open standard input would keep the process alive.
    if (untilStdinEnds) process.stdin.destroy()
  }
}
