import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EventmqProcess, eventmq } from './eventmq-process.ts'

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

  const refused: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>, RegExp])[] = [
    ['an unknown command', ['wroker'], {}, /no command "wroker"; there are router, worker, scheduler/],
    ['a worker without jobs', ['worker'], {}, /--jobs is missing/],
    ['a wrong setting', ['scheduler'], { EVENTMQ_SCHEDULER_ADDR: 'localhost' }, /^eventmq: EVENTMQ_SCHEDULER_ADDR/],
    ['a module that is not there', ['worker', '--jobs', './none.ts'], {}, /module \.\/none\.ts cannot be loaded/],
    ['a module without jobs', ['worker', '--jobs', './eventmq-process.ts'], {}, /has nothing to run/],
  ]
  for (const [what, args, environment, says] of refused) {
    test(`${what} ends as one line and exit code 2`, async () => {
      const { code, stdout, stderr } = await eventmq(args, environment)
      assert.equal(code, 2, stderr)
      assert.equal(stdout, '')
      assert.match(stderr, says)
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
    })
  }
})
