// `eventmq worker`: a job manager as a process.

import { DeviceError } from '@eventmq-ts/device'
import { loadJobs, Worker, WorkerError } from '@eventmq-ts/worker'
import { EXIT } from '../exit-code.ts'
import { makeLog } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { announceReady } from '../ready-line.ts'
import { serve } from '../service.ts'
import { readSettings } from '../settings/read-settings.ts'
import { address, callableModules, flag, jobModules, queues, seconds, wholeNumber } from '../settings/schemas.ts'
import { serviceSettings } from '../settings/service-settings.ts'
import type { SettingTable } from '../settings/setting.ts'
import type { Command } from './command.ts'

const settings = {
  jobs: {
    option: 'jobs',
    short: 'j',
    placeholder: 'MODULE',
    repeatable: true,
    help: 'a module whose jobs (made by defineJob) it runs; give it once for each module',
    schema: jobModules,
  },
  callables: {
    option: 'callables',
    placeholder: '[PATH=]MODULE',
    repeatable: true,
    help: 'a module whose plain functions and classes it runs too, under PATH (default: its name)',
    schema: callableModules,
  },
  broker: {
    option: 'broker',
    short: 'b',
    variable: 'EVENTMQ_WORKER_ADDR',
    placeholder: 'ADDRESS',
    help: "the broker's endpoint for workers (default tcp://127.0.0.1:47290)",
    schema: address('tcp://127.0.0.1:47290'),
  },
  queues: {
    option: 'queues',
    short: 'Q',
    variable: 'EVENTMQ_QUEUES',
    placeholder: 'QUEUES',
    help: 'email,default or [[40, "email"], [10, "default"]], higher weight first (default: the broker\'s own)',
    schema: queues,
  },
  concurrency: {
    option: 'concurrency',
    short: 'c',
    variable: 'EVENTMQ_CONCURRENT_JOBS',
    placeholder: 'NUMBER',
    help: 'how many jobs run at once (default 4)',
    schema: wholeNumber(4, 1, 10_000),
  },
  killGraceMs: {
    option: 'kill-grace',
    variable: 'EVENTMQ_KILL_GRACE_PERIOD',
    placeholder: 'SECONDS',
    help: 'how long running jobs may take to finish when it stops (default 30)',
    schema: seconds(30, 86_400),
  },
  oldRouter: {
    option: 'eventmq-0.3',
    help: 'the broker is a router of EventMQ 0.3',
    schema: flag,
  },
  ...serviceSettings,
} as const satisfies SettingTable

export const worker: Command = {
  name: 'worker',
  aliases: ['jobmanager'],
  summary: 'runs jobs of the modules it is told to load, and nothing else',
  description:
    'Serves until SIGTERM or SIGINT: then it takes nothing more, lets running jobs finish and gives the rest back.',
  examples: ['eventmq worker --jobs ./jobs.ts', 'eventmq worker --jobs ./jobs.ts --queues email,default -c 8'],
  settings,
  async run(argv) {
    const { jobs, callables, oldRouter, logLevel, logFormat, untilStdinEnds, ...rest } = readSettings(
      settings,
      argv,
      process.env,
    )
    if (jobs.length + callables.length === 0) {
      throw new OperatorError(EXIT.usage, '--jobs is missing: name at least one module, e.g. --jobs ./jobs.ts')
    }
    const log = makeLog('worker', { logLevel, logFormat })
    // With jobs on this event loop, a promise that one of them forgot must not end all of them.
    process.on('unhandledRejection', (err) => {
      log.error({ err }, 'a job left a rejected promise behind; the worker goes on')
    })
    try {
      const loaded = await loadJobs([...jobs, ...callables], process.cwd())
      const service = new Worker({ ...rest, jobs: loaded, dialect: oldRouter ? '0.3' : 'eMQP', log })
      const names = service.jobs.join(',')
      const facts = { broker: rest.broker, concurrency: rest.concurrency, jobs: names }
      void service.registered.then(() => announceReady('worker', facts))
      return await serve(service, {
        log,
        untilStdinEnds,
        started: () => log.info({ broker: rest.broker }, `dialing the broker at ${rest.broker}; it will run ${names}`),
      })
    } catch (error) {
      const isOperators = error instanceof WorkerError || error instanceof DeviceError
      throw isOperators ? new OperatorError(EXIT.usage, error.message, { cause: error }) : error
    }
  },
}
