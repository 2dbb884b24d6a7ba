// `eventmq scheduler`: a scheduler as a process.

import { DeviceError } from '@eventmq-ts/device'
import { Scheduler } from '@eventmq-ts/scheduler'
import { EXIT } from '../exit-code.ts'
import { makeLog } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { announceReady } from '../ready-line.ts'
import { serve } from '../service.ts'
import { readSettings } from '../settings/read-settings.ts'
import { address, flag } from '../settings/schemas.ts'
import { serviceSettings } from '../settings/service-settings.ts'
import type { SettingTable } from '../settings/setting.ts'
import type { Command } from './command.ts'

const settings = {
  broker: {
    option: 'broker',
    short: 'b',
    variable: 'EVENTMQ_SCHEDULER_ADDR',
    placeholder: 'ADDRESS',
    help: "the broker's endpoint for clients and schedulers (default tcp://127.0.0.1:47291)",
    schema: address('tcp://127.0.0.1:47291'),
  },
  oldRouter: {
    option: 'eventmq-0.3',
    help: 'the broker is a router of EventMQ 0.3',
    schema: flag,
  },
  ...serviceSettings,
} as const satisfies SettingTable

export const scheduler: Command = {
  name: 'scheduler',
  summary: 'sends jobs to the broker when their schedules say so',
  description: 'Serves until SIGTERM or SIGINT. Schedules are kept in memory: they end with the process.',
  examples: ['eventmq scheduler', 'eventmq scheduler --broker tcp://broker.example:47291'],
  settings,
  async run(argv) {
    const { broker, oldRouter, logLevel, logFormat, untilStdinEnds } = readSettings(settings, argv, process.env)
    const log = makeLog('scheduler', { logLevel, logFormat })
    try {
      const service = new Scheduler({ broker, dialect: oldRouter ? '0.3' : 'eMQP', log })
      void service.registered.then(() => announceReady('scheduler', { broker }))
      return await serve(service, {
        log,
        untilStdinEnds,
        started: () => log.info({ broker }, `dialing the broker at ${broker}`),
      })
    } catch (error) {
      throw error instanceof DeviceError ? new OperatorError(EXIT.usage, error.message, { cause: error }) : error
    }
  },
}
