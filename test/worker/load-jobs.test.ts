import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type JobCall, messageId, NO_HEADERS, silentLog } from '@eventmq-ts/emqp'
import { defineJob, type JobContext } from '@eventmq-ts/job'
import { jobsOf, loadJobs, type RegisteredJob } from '@eventmq-ts/worker'
import { JobRegistry } from '../../packages/worker/src/registry/job-registry.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

const context: JobContext = {
  id: messageId('1'),
  attempt: 1,
  headers: NO_HEADERS,
  signal: new AbortController().signal,
  log: silentLog,
  progress: () => undefined,
}

async function run(jobs: readonly RegisteredJob[], call: Partial<JobCall> & Pick<JobCall, 'path' | 'callable'>) {
  const found = new JobRegistry(jobs).find(call.path, call.callable)
  if (found instanceof Error) throw found
  return found.perform({ args: [], kwargs: {}, classArgs: [], classKwargs: {}, ...call }, context)
}

describe('a module of defined jobs', () => {
  test('gives its jobs under the names they define, each once, and none of its functions', async () => {
    const jobs = await loadJobs([{ kind: 'jobs', module: './example-jobs.ts' }], folder)
    assert.deepEqual(new JobRegistry(jobs).names, ['texts.shout'])
    assert.equal(await run(jobs, { path: 'texts', callable: 'shout', args: [{ text: 'ho' }] }), 'HO!')
  })

  test('is the one where the input is checked once more', async () => {
    const jobs = await loadJobs([{ kind: 'jobs', module: './example-jobs.ts' }], folder)
    await assert.rejects(run(jobs, { path: 'texts', callable: 'shout', args: [{ text: 7 }] }), {
      code: 'JOB_INPUT',
      message: /text/,
    })
  })

  test('is refused where it defines no job', async () => {
    await assert.rejects(loadJobs([{ kind: 'jobs', module: './my-jobs.ts' }], folder), {
      code: 'WORKER_MODULE',
      message: /my-jobs\.ts has nothing to run.*defineJob/,
    })
  })

  test('is refused with its name and the reason where it cannot be loaded', async () => {
    await assert.rejects(loadJobs([{ kind: 'jobs', module: './no-such-module.ts' }], folder), {
      code: 'WORKER_MODULE',
      message: /no-such-module\.ts cannot be loaded/,
    })
    await assert.rejects(loadJobs([{ kind: 'jobs', module: 'no-such-package' }], folder), { code: 'WORKER_MODULE' })
  })
})

describe('a module of plain functions and classes', () => {
  const load = () => loadJobs([{ kind: 'callables', module: './my-jobs.ts', path: 'my_jobs' }], folder)

  test('gives what can be called, and nothing else', async () => {
    assert.deepEqual(new JobRegistry(await load()).names, [
      'my_jobs.add',
      'my_jobs.echo',
      'my_jobs.fail',
      'my_jobs.noop',
      'my_jobs.unserializable',
      'my_jobs:Greeter.greet',
      'my_jobs:Greeter.name',
    ])
  })

  test('goes by its file name where no path is given', async () => {
    const jobs = await loadJobs([{ kind: 'callables', module: './my-jobs.ts' }], folder)
    assert.equal(await run(jobs, { path: 'my-jobs', callable: 'add', args: [2, 3] }), 5)
  })

  test('gets positional arguments in order and keyword arguments as the last object', async () => {
    const jobs = await load()
    assert.equal(await run(jobs, { path: 'my_jobs', callable: 'add', args: [40, 2] }), 42)
    const call = { path: 'my_jobs', callable: 'echo', args: [1, 'é'], kwargs: { k: null } }
    assert.deepEqual(await run(jobs, call), { args: [1, 'é'], kwargs: { k: null } })
  })

  test('makes an instance of module:Class with the class arguments for each call', async () => {
    const call = {
      path: 'my_jobs:Greeter',
      callable: 'greet',
      args: ['Hi'],
      classArgs: ['Ada'],
      classKwargs: { punctuation: '?' },
    }
    assert.equal(await run(await load(), call), 'Hi, Ada?')
  })

  test('refuses class arguments for a function', async () => {
    await assert.rejects(run(await load(), { path: 'my_jobs', callable: 'add', classArgs: [1] }), {
      code: 'WORKER_ARGUMENTS',
    })
  })

  for (const [path, callable] of [
    ['my_jobs', 'toString'],
    ['my_jobs', 'notCallable'],
    ['my_jobs', 'Greeter'],
    ['my_jobs:Greeter', 'constructor'],
    ['my_jobs:Greeter', 'hasOwnProperty'],
    ['my_jobs:Greeter', 'trap'],
    ['my_jobs:Greeter', '__proto__'],
    ['__proto__', 'add'],
    ['node:child_process', 'execSync'],
    ['./my-jobs.ts', 'add'],
  ] as const) {
    test(`does not run ${path} ${callable}`, async () => {
      await assert.rejects(run(await load(), { path, callable }), {
        code: 'WORKER_UNKNOWN_JOB',
        message: /it runs my_jobs\.add, my_jobs\.echo, /,
      })
    })
  }
})

describe('the registry', () => {
  test('refuses two jobs of one name and says where they are', () => {
    const job = defineJob({ name: 'a.b' }, () => 1)
    const other = defineJob({ name: 'a.b' }, () => 2)
    assert.throws(() => new JobRegistry([...jobsOf([job], 'one.ts'), ...jobsOf([other], 'two.ts')]), {
      code: 'WORKER_DUPLICATE_JOB',
      message: /a\.b stands in one\.ts and in two\.ts/,
    })
  })

  test('names no more than twenty jobs to someone who asked for another', () => {
    const jobs = Array.from({ length: 25 }, (_, i) => defineJob({ name: `many.job${i}` }, () => i))
    const error = new JobRegistry(jobsOf(jobs)).find('many', 'none')
    assert.ok(error instanceof Error)
    assert.match(error.message, /and 5 more$/)
  })
})
