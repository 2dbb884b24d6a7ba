import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EventmqProcess, eventmq, type Finished } from './eventmq-process.ts'

/** One line on standard error, nothing on standard output, and that exit code. */
function assertRefused({ code, stdout, stderr }: Finished, exitCode: number, says: RegExp): void {
  assert.equal(code, exitCode, stderr)
  assert.equal(stdout, '')
  assert.match(stderr, says)
  assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
}

describe('the command line', () => {
  test('help lists the commands and the exit codes', async () => {
    for (const args of [['help'], ['--help'], ['-h']]) {
      const { code, stdout, stderr } = await eventmq(args)
      assert.equal(code, 0)
      assert.equal(stderr, '')
      for (const word of ['router', 'worker, jobmanager', 'scheduler', 'Exit codes']) assert.ok(stdout.includes(word))
    }
  })

  test('help of a command lists its options and environment variables, by any of its names', async () => {
    const texts = await Promise.all(
      [
        ['help', 'worker'],
        ['worker', '--help'],
        ['help', 'jobmanager'],
      ].map((args) => eventmq(args)),
    )
    for (const { code, stdout } of texts) {
      assert.equal(code, 0)
      assert.match(
        stdout,
        /--jobs MODULE[\s\S]*--queues QUEUES[\s\S]*EVENTMQ_QUEUES[\s\S]*--concurrency NUMBER[\s\S]*EVENTMQ_CONCURRENT_JOBS/,
      )
    }
  })

  test('--version says which', async () => {
    const { code, stdout } = await eventmq(['--version'])
    assert.equal(code, 0)
    assert.match(stdout, /^eventmq \d+\.\d+\.\d+\n$/)
  })

  test('no command at all prints the help where errors go', async () => {
    const { code, stdout, stderr } = await eventmq([])
    assert.equal(code, 2)
    assert.equal(stdout, '')
    assert.match(stderr, /Usage/)
  })

  test('a reader that goes away is no failure', async () => {
    const process = new EventmqProcess(['help', 'worker'])
    process.closeStdout()
    const { code, stderr } = await process.finished
    assert.equal(code, 0, stderr)
  })

  const jobs = ['--jobs', './cli-jobs.ts']
  const refused: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>, RegExp])[] = [
    ['an unknown command', ['wroker'], {}, /no command "wroker"; there are router, worker, scheduler/],
    ['an unknown option', ['worker', '--job', 'x'], {}, /'--job'/],
    ['an option without its value', ['router', '--frontend'], {}, /--frontend/],
    ['an argument too many', ['scheduler', 'now'], {}, /'now'/],
    ['a worker without jobs', ['worker'], {}, /--jobs is missing/],
    [
      'a number that is none',
      ['worker', ...jobs, '-c', 'many'],
      {},
      /--concurrency is "many": expected a whole number/,
    ],
    ['a number out of range', ['worker', ...jobs, '-c', '0'], {}, /--concurrency is "0": expected .* from 1 to 10000/],
    [
      'a wrong environment variable, by its name',
      ['worker', ...jobs],
      { EVENTMQ_CONCURRENT_JOBS: '4.5' },
      /^eventmq: EVENTMQ_CONCURRENT_JOBS is "4\.5"/,
    ],
    ['queues in no known notation', ['worker', ...jobs, '-Q', '[["a"]]'], {}, /--queues is .*\[weight, "name"\]/],
    ['an address that is none', ['scheduler', '-b', 'localhost'], {}, /--broker is "localhost": expected tcp:/],
    ['a module that is not there', ['worker', '--jobs', './none.ts'], {}, /module \.\/none\.ts cannot be loaded/],
    ['a module without jobs', ['worker', '--jobs', './eventmq-process.ts'], {}, /has nothing to run/],
    ['a log level that is none', ['router', '--log-level', 'loud'], {}, /--log-level is "loud": expected debug, info/],
  ]
  for (const [what, args, environment, says] of refused) {
    test(`${what} ends as one line and exit code 2`, async () => {
      assertRefused(await eventmq(args, environment), 2, says)
    })
  }
})
