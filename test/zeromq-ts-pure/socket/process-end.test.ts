// A process with sockets ends by itself when nothing is under way, and not before what it sent has left.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { Pull } from 'zeromq-ts-pure'
import { deadAddress } from './raw-peer.ts'
import { BOUNDED, scoped } from './scope.ts'

/** Runs a script in a process of its own; it has all classes as `zmq` and the address as `address`. */
async function run(script: string, address: string): Promise<number | null> {
  const program = `import * as zmq from 'zeromq-ts-pure'\nconst address = ${JSON.stringify(address)}\n${script}`
  const options = ['--conditions=source', '--no-warnings', '--input-type=module', '--eval', program]
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'ignore', 'inherit'], timeout: 15_000 })
  const [code] = await once(child, 'exit')
  return code
}

const SEND_ALL = `
  const push = new zmq.Push()
  push.connect(address)
  for (let n = 0; n < 1000; n++) await push.send([String(n), Buffer.alloc(10240)])
`

describe('a process that has sent 1,000 messages delivers them', () => {
  const endings = {
    'and closes its socket': 'push.close()',
    'and leaves its socket open': '',
    'and disconnects, then closes': 'push.disconnect(address); push.close()',
    'and disconnects, and leaves its socket open': 'push.disconnect(address)',
  }
  for (const [how, ending] of Object.entries(endings)) {
    test(how, BOUNDED, () =>
      scoped(async (own) => {
        const pull = own(new Pull({ receiveTimeout: 10_000 }))
        await pull.bind('tcp://127.0.0.1:*')
        const exit = run(SEND_ALL + ending, pull.lastEndpoint ?? '')
        for (let n = 0; n < 1_000; n++) assert.equal(String((await pull.receive())[0]), `${n}`)
        assert.equal(await exit, 0)
      }),
    )
  }
})

describe('a process ends by itself', () => {
  const scripts = {
    'with sockets that are idle': `
      const pull = new zmq.Pull()
      await pull.bind('tcp://127.0.0.1:*')
      const push = new zmq.Push()
      push.connect(pull.lastEndpoint)
      await push.send('a')
      await pull.receive()`,
    'with a socket that waits to reconnect and has nothing to send': `
      const push = new zmq.Push()
      push.connect(address)`,
    'with unsent messages that need not be delivered': `
      const push = new zmq.Push({ linger: 0 })
      push.connect(address)
      await push.send('a')
      push.close()`,
    'once the linger time is over': `
      const push = new zmq.Push({ linger: 100 })
      push.connect(address)
      await push.send('a')
      push.close()`,
    'with a message that a disconnected endpoint kept, once linger was set to 0': `
      const push = new zmq.Push()
      push.connect(address)
      await push.send('a')
      push.disconnect(address)
      push.linger = 0
      push.close()`,
  }
  for (const [what, script] of Object.entries(scripts)) {
    test(what, BOUNDED, async () => {
      assert.equal(await run(script, await deadAddress()), 0)
    })
  }
})
