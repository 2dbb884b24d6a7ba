// Every package loads from source under the condition `source` on Node, Bun and Deno, by the name that users import.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'

const names = [
  'zeromq-ts-pure',
  '@eventmq-ts/emqp',
  '@eventmq-ts/device',
  '@eventmq-ts/job',
  '@eventmq-ts/store',
  '@eventmq-ts/broker',
  '@eventmq-ts/worker',
  '@eventmq-ts/scheduler',
  '@eventmq-ts/client',
  'eventmq-ts',
]

const packagesFolder = new URL('../../packages/', import.meta.url).href

describe('the packages', () => {
  for (const name of names) {
    test(`${name} is imported from its sources`, async () => {
      const resolved = new URL(import.meta.resolve(name), pathToFileURL(process.cwd())).href
      assert.ok(resolved.startsWith(packagesFolder), `${resolved} should lie under ${packagesFolder}`)
      assert.match(resolved, /\/src\/index\.ts$/)
      await import(name)
    })
  }
})
