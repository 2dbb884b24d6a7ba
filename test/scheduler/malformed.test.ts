// What ended EventMQ's scheduler must leave ours alive, serving, and with one line in its log.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readAllExchanges } from '../conformance/emqp/recorded-exchange.ts'
import { SchedulerAtRouter } from './scheduler-at-router.ts'

/** For each recording: what the log must say was wrong; or that nothing is, and what comes of it. */
const right: Readonly<Record<string, RegExp | 'fires' | 'nothing'>> = {
  'malformed-scheduler-nonutf8': /payload.*not UTF-8/,
  // The layout of the 2016 document, which has its timing in headers: here there is none.
  'malformed-scheduler-schedule-7-frames': /SCHEDULE.*(interval|timing)/,
  // The layout of the 2016 document, without a cron frame: a schedule like any other.
  'malformed-scheduler-schedule-8-frames': 'fires',
  'malformed-scheduler-schedule-bad-cron': /"not a cron".*not served/,
  'malformed-scheduler-schedule-bad-interval': /SCHEDULE.*"soon"/,
  'malformed-scheduler-schedule-bad-json': /payload is "not json"; expected JSON/,
  'malformed-scheduler-schedule-float-interval': /SCHEDULE.*"1\.5"/,
  // Parts that are left out are empty, as for EventMQ's own job manager.
  'malformed-scheduler-schedule-missing-kwargs': 'fires',
  'malformed-scheduler-schedule-negative-no-cron': /SCHEDULE.*interval/,
  'malformed-scheduler-schedule-zero-interval': /SCHEDULE.*"0"/,
  'malformed-scheduler-unknown-command': /FROBNICATE/,
  'malformed-scheduler-unschedule-short': /UNSCHEDULE.*frames/,
  'malformed-scheduler-unschedule-unknown': 'nothing',
}

const exchanges = readAllExchanges().filter(({ name }) => name.startsWith('malformed-scheduler-'))

describe('a scheduler that is sent', () => {
  test('every recorded oddity is in the table below', () => {
    assert.deepEqual(exchanges.map(({ name }) => name).sort(), Object.keys(right).sort())
  })

  for (const { name, description, exchange } of exchanges) {
    test(`${description.replace('To a real scheduler: ', '')} is alive, serves on, and says once what was wrong`, async () => {
      await using at = await SchedulerAtRouter.start()
      const odd = exchange.find(({ note }) => note.startsWith('MALFORMED')) ?? assert.fail()
      await at.router.sayFrames(at.peer, odd.frames)
      const expected = right[name] ?? assert.fail()
      if (expected === 'fires') assert.equal((await at.request()).queue, 'default')
      await at.schedule({ id: 'still', args: ['still working?'] })
      assert.match(Buffer.from((await at.request()).payload).toString(), /still working\?/)
      assert.equal(at.scheduler.schedules, expected === 'fires' ? 2 : 1)
      const lines = [...at.log.at('warn'), ...at.log.at('error')]
      assert.equal(lines.length, expected instanceof RegExp ? 1 : 0, JSON.stringify(lines))
      if (expected instanceof RegExp) assert.match(lines[0]?.message ?? '', expected)
    })
  }
})
