// The example of the README is what examples/getting-started holds, and it does what the README says.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { EventmqProcess } from '../cli/eventmq-process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const example = join(root, 'examples/getting-started')
const files = ['jobs.ts', 'main.ts']

test('the README shows the example as it is, in twelve lines', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const shown = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code)
  const real = await Promise.all(files.map((file) => readFile(join(example, file), 'utf8')))
  assert.deepEqual(shown, real)
  assert.equal(real.join('').match(/^.+$/gm)?.length, 12)
})

test('the example prints 6', async () => {
  const loopback = 'tcp://127.0.0.1:*'
  const addresses = ['--frontend', loopback, '--backend', loopback, '--administration', loopback]
  await using router = EventmqProcess.service(['router', ...addresses])
  const facts = await router.ready()
  const jobs = ['--jobs', join(example, 'jobs.ts'), '--queues', 'reports', '--broker', String(facts.get('backend'))]
  await using worker = EventmqProcess.service(['worker', ...jobs])
  await worker.ready()
  // Only the port differs from what the README shows, so that the test needs no fixed one.
  const folder = await mkdtemp(join(root, 'test/examples/run-'))
  try {
    const main = await readFile(join(example, 'main.ts'), 'utf8')
    await writeFile(join(folder, 'main.ts'), main.replace('tcp://127.0.0.1:47291', String(facts.get('frontend'))))
    await copyFile(join(example, 'jobs.ts'), join(folder, 'jobs.ts'))
    const command = ['--conditions=source', join(folder, 'main.ts')]
    const { stdout } = await promisify(execFile)(process.execPath, command, { timeout: 20_000 })
    assert.equal(stdout, '6\n')
  } finally {
    await rm(folder, { recursive: true })
  }
})
