// `eventmq router`: a broker as a process.

import { Broker, BrokerError } from '@eventmq-ts/broker'
import { EXIT } from '../exit-code.ts'
import { makeLog } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { announceReady } from '../ready-line.ts'
import { serve } from '../service.ts'
import { readSettings } from '../settings/read-settings.ts'
import { address, seconds } from '../settings/schemas.ts'
import { serviceSettings } from '../settings/service-settings.ts'
import type { SettingTable } from '../settings/setting.ts'
import type { Command } from './command.ts'

const settings = {
  frontendAddress: {
    option: 'frontend',
    variable: 'EVENTMQ_FRONTEND_ADDR',
    placeholder: 'ADDRESS',
    help: 'where clients and schedulers connect (default tcp://127.0.0.1:47291)',
    schema: address('tcp://127.0.0.1:47291'),
  },
  backendAddress: {
    option: 'backend',
    variable: 'EVENTMQ_BACKEND_ADDR',
    placeholder: 'ADDRESS',
    help: 'where workers connect (default tcp://127.0.0.1:47290)',
    schema: address('tcp://127.0.0.1:47290'),
  },
  administrationAddress: {
    option: 'administration',
    variable: 'EVENTMQ_ADMINISTRATIVE_ADDR',
    placeholder: 'ADDRESS',
    help: 'where administrators connect (default tcp://127.0.0.1:47293)',
    schema: address('tcp://127.0.0.1:47293'),
  },
  drainTimeoutMs: {
    option: 'drain',
    placeholder: 'SECONDS',
    help: 'how long running jobs may take to finish when it stops (default 30)',
    schema: seconds(30, 86_400),
  },
  ...serviceSettings,
} as const satisfies SettingTable

export const router: Command = {
  name: 'router',
  aliases: ['broker'],
  summary: 'the broker: takes jobs, keeps them, hands them to workers',
  description: 'Serves until SIGTERM, SIGINT or an administrator says DISCONNECT. A port of * takes a free one.',
  examples: ['eventmq router', "eventmq router --frontend 'tcp://*:47291' --backend 'tcp://*:47290'"],
  settings,
  async run(argv) {
    const { logLevel, logFormat, untilStdinEnds, ...addresses } = readSettings(settings, argv, process.env)
    const log = makeLog('router', { logLevel, logFormat })
    const broker = new Broker({ ...addresses, log })
    try {
      return await serve(broker, { log, untilStdinEnds, started: () => announceReady('router', broker.addresses) })
    } catch (error) {
      throw explain(error)
    }
  },
}

function explain(error: unknown): unknown {
  if (!(error instanceof BrokerError)) return error
  const isAddress = error.code === 'BROKER_PORT_TAKEN' || error.code === 'BROKER_BIND'
  return new OperatorError(isAddress ? EXIT.address : EXIT.failed, inOptions(error.message), { cause: error })
}

/** The broker names its own options; an operator knows the command's. */
function inOptions(message: string): string {
  return message.replace(/the option (\w+)Address/, 'the option --$1')
}
