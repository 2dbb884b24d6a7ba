import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { router } from '../../packages/cli/src/commands/router.ts'
import { scheduler } from '../../packages/cli/src/commands/scheduler.ts'
import { worker } from '../../packages/cli/src/commands/worker.ts'
import { readSettings } from '../../packages/cli/src/settings/read-settings.ts'

describe('settings', () => {
  test('have defaults', () => {
    const { broker, concurrency, queues, killGraceMs, logLevel, logFormat } = readSettings(worker.settings, [], {})
    assert.deepEqual(
      { broker, concurrency, queues, killGraceMs, logLevel, logFormat },
      {
        broker: 'tcp://127.0.0.1:47290',
        concurrency: 4,
        queues: [],
        killGraceMs: 30_000,
        logLevel: 'info',
        logFormat: undefined,
      },
    )
  })

  test('come from the environment under the names of EventMQ', () => {
    const read = readSettings(worker.settings, [], {
      EVENTMQ_WORKER_ADDR: 'tcp://broker.example:1',
      EVENTMQ_CONCURRENT_JOBS: '12',
      EVENTMQ_QUEUES: '[[40, "high"], [10, "low"]]',
      EVENTMQ_KILL_GRACE_PERIOD: '300',
    })
    assert.equal(read['broker'], 'tcp://broker.example:1')
    assert.equal(read['concurrency'], 12)
    assert.deepEqual(read['queues'], [
      { weight: 40, name: 'high' },
      { weight: 10, name: 'low' },
    ])
    assert.equal(read['killGraceMs'], 300_000)
    const addresses = readSettings(router.settings, [], {
      EVENTMQ_FRONTEND_ADDR: 'tcp://*:1',
      EVENTMQ_BACKEND_ADDR: 'tcp://*:2',
      EVENTMQ_ADMINISTRATIVE_ADDR: 'tcp://*:3',
    })
    assert.equal(addresses['frontendAddress'], 'tcp://*:1')
    assert.equal(addresses['backendAddress'], 'tcp://*:2')
    assert.equal(addresses['administrationAddress'], 'tcp://*:3')
  })

  test('on the command line go before the environment, and an empty variable is none', () => {
    const read = (argv: readonly string[], value: string) =>
      readSettings(worker.settings, argv, { EVENTMQ_CONCURRENT_JOBS: value })['concurrency']
    assert.equal(read(['-c', '2'], '8'), 2)
    assert.equal(read([], ''), 4)
  })

  test('name modules of jobs and of callables, as often as they are given', () => {
    const read = readSettings(
      worker.settings,
      ['-j', 'a', '--jobs=b', '--callables', 'c', '--callables', 'd=./e.ts'],
      {},
    )
    assert.deepEqual(read['jobs'], [
      { kind: 'jobs', module: 'a' },
      { kind: 'jobs', module: 'b' },
    ])
    assert.deepEqual(read['callables'], [
      { kind: 'callables', module: 'c', path: undefined },
      { kind: 'callables', module: './e.ts', path: 'd' },
    ])
  })

  const refused = [
    [worker, ['--job', 'x'], {}, /'--job'/],
    [router, ['--frontend'], {}, /--frontend/],
    [scheduler, ['now'], {}, /'now'/],
    [worker, ['-c', 'many'], {}, /^--concurrency is "many": expected a whole number from 1 to 10000/],
    [worker, ['-c', '0'], {}, /^--concurrency is "0": expected a whole number from 1 to 10000/],
    [worker, ['--kill-grace', '-1'], {}, /kill-grace/],
    [worker, ['--kill-grace', '1e3'], {}, /^--kill-grace is "1e3": expected seconds/],
    [worker, [], { EVENTMQ_CONCURRENT_JOBS: '4.5' }, /^EVENTMQ_CONCURRENT_JOBS is "4\.5": expected/],
    [worker, ['-Q', '[["a"]]'], {}, /^--queues is .*\[weight, "name"\]/],
    [worker, [], { EVENTMQ_QUEUES: 'a,a' }, /^EVENTMQ_QUEUES is "a,a": .*twice/],
    [worker, ['--callables', '=x'], {}, /^--callables is .*path=module/],
    [scheduler, ['-b', 'localhost'], {}, /^--broker is "localhost": expected tcp:\/\/host:port/],
    [router, ['--log-level', 'loud'], {}, /^--log-level is "loud": expected debug, info/],
    [router, ['--log-format', 'xml'], {}, /^--log-format is "xml": expected line or json/],
  ] as const
  for (const [command, argv, environment, message] of refused) {
    test(`${JSON.stringify(argv)} ${JSON.stringify(environment)} for a ${command.name} is refused`, () => {
      assert.throws(() => readSettings(command.settings, argv, environment), { exitCode: 2, message })
    })
  }
})
