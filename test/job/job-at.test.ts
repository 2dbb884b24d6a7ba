import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJob, jobAt } from '@eventmq-ts/job'

test('a job known by path and callable alone carries whatever arguments it is given, absent ones empty', async () => {
  const greet = jobAt({ path: 'my_jobs:Greeter', callable: 'greet', queue: 'email', timeoutSeconds: 5 })
  assert.equal(greet.name, 'my_jobs:Greeter.greet')
  assert.equal(greet.queue, 'email')
  assert.deepEqual(greet.defaults, { timeoutSeconds: 5 })
  assert.deepEqual(await greet.prepareCall({ kwargs: { greeting: 'Hi' }, classArgs: ['Ada'] }), {
    path: 'my_jobs:Greeter',
    callable: 'greet',
    args: [],
    kwargs: { greeting: 'Hi' },
    classArgs: ['Ada'],
    classKwargs: {},
  })
  assert.equal(isJob(greet), false)
})

test('references and arguments that cannot work are refused', async () => {
  const bad = [
    { path: '', callable: 'f' },
    { path: 'm', callable: '' },
    { path: 'm', callable: 'a b' },
    { path: 'm', callable: 'f', queue: '' },
    { path: 'm', callable: 'f', retryCount: 1.5 },
  ]
  for (const options of bad) assert.throws(() => jobAt(options), { code: 'JOB_OPTIONS' }, JSON.stringify(options))
  const add = jobAt({ path: 'm', callable: 'add' })
  for (const input of [{ args: 5 }, { kwargs: [] }, { arguments: [1] }, null]) {
    await assert.rejects(add.prepareCall(input as object), { code: 'JOB_INPUT' }, JSON.stringify(input))
  }
})
