import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Client } from 'eventmq-ts'
import { double, forgetful, slow } from './cli-jobs.ts'
import { EventmqProcess, eventmq } from './eventmq-process.ts'

const freePorts = ['frontend', 'backend', 'administration'].flatMap((end) => [`--${end}`, 'tcp://127.0.0.1:*'])

/** A router with a worker, and a client of theirs. */
class Deployment implements AsyncDisposable {
  readonly router: EventmqProcess
  readonly worker: EventmqProcess
  readonly client: Client
  readonly frontend: string

  private constructor(router: EventmqProcess, worker: EventmqProcess, frontend: string) {
    this.router = router
    this.worker = worker
    this.frontend = frontend
    this.client = new Client({ broker: frontend })
  }

  static async start(): Promise<Deployment> {
    const router = EventmqProcess.service(['router', ...freePorts])
    const addresses = await router.ready()
    const backend = addresses.get('backend') ?? ''
    const worker = EventmqProcess.service(['worker', '--jobs', './cli-jobs.ts'], { EVENTMQ_WORKER_ADDR: backend })
    await worker.ready()
    return new Deployment(router, worker, addresses.get('frontend') ?? '')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.stop()
    await this.worker[Symbol.asyncDispose]()
    await this.router[Symbol.asyncDispose]()
  }
}

describe('the services', () => {
  test('run a job, and one on a schedule, and end in good order at SIGTERM', async () => {
    await using deployment = await Deployment.start()
    const { router, worker, client, frontend } = deployment
    const job = await client.defer(double, { number: 21 })
    assert.equal(await job.result({ timeoutMs: 10_000 }), 42)
    await using scheduler = EventmqProcess.service(['scheduler'], { EVENTMQ_SCHEDULER_ADDR: frontend })
    assert.equal((await scheduler.ready()).get('broker'), frontend)
    await client.schedule(slow, { milliseconds: 0 }, { everySeconds: 60 })
    await worker.logged(/slow has begun/)
    for (const service of [worker, scheduler, router]) {
      service.kill('SIGTERM')
      const { code, stderr } = await service.finished
      assert.equal(code, 0, stderr)
    }
  })

  test('a worker finishes what it runs when it is told to stop, and the client gets the result', async () => {
    await using deployment = await Deployment.start()
    const { worker, client } = deployment
    const job = await client.defer(slow, { milliseconds: 300 })
    await worker.logged(/slow has begun/)
    worker.kill('SIGINT')
    assert.equal(await job.result({ timeoutMs: 10_000 }), 'finished')
    assert.equal((await worker.finished).code, 0)
  })

  test('a second signal ends a worker at once', async () => {
    await using deployment = await Deployment.start()
    const { worker, client } = deployment
    await client.defer(slow, { milliseconds: 60_000 })
    await worker.logged(/slow has begun/)
    worker.kill('SIGTERM')
    await worker.logged(/once more ends at once/)
    worker.kill('SIGTERM')
    assert.equal((await worker.finished).code, 1)
  })

  test('a promise that a job forgot does not end the worker', async () => {
    await using deployment = await Deployment.start()
    const { worker, client } = deployment
    const first = await client.defer(forgetful)
    assert.equal(await first.result({ timeoutMs: 10_000 }), 'done')
    await worker.logged(/left a rejected promise behind[\s\S]*nobody waits for this/)
    const second = await client.defer(double, { number: 1 })
    assert.equal(await second.result({ timeoutMs: 10_000 }), 2)
  })

  test('a router whose port is taken says which setting to change, in one line, with exit code 3', async () => {
    await using router = EventmqProcess.service(['router', ...freePorts])
    const taken = (await router.ready()).get('backend') ?? ''
    const { code, stdout, stderr } = await eventmq(['router', ...freePorts.slice(0, 2), ...freePorts.slice(4)], {
      EVENTMQ_BACKEND_ADDR: taken,
    })
    assert.equal(code, 3)
    assert.equal(stdout, '')
    assert.match(stderr, /^eventmq: .*is taken.*--backend.*EVENTMQ_BACKEND_ADDR/)
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
  })

  test('a worker without a broker waits for one, and still ends in good order', async () => {
    // The port of a router that is gone.
    const router = EventmqProcess.service(['router', ...freePorts])
    const backend = (await router.ready()).get('backend') ?? ''
    await router[Symbol.asyncDispose]()
    await using worker = EventmqProcess.service([
      'worker',
      '--jobs',
      './cli-jobs.ts',
      '-b',
      backend,
      '--log-level=debug',
    ])
    await worker.logged(/dialing the broker at/)
    worker.kill('SIGTERM')
    const { code, stdout } = await worker.finished
    assert.equal(code, 0)
    assert.equal(stdout, '')
  })

  test('a service that was asked to ends with its standard input', async () => {
    await using router = EventmqProcess.service(['router', ...freePorts])
    await router.ready()
    router.endStdin()
    assert.equal((await router.finished).code, 0)
  })

  test('the log is JSON where it is not for people', async () => {
    await using router = new EventmqProcess(['router', ...freePorts, '--until-stdin-ends'])
    await router.ready()
    router.endStdin()
    const { stderr } = await router.finished
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.ok(lines.length > 0)
    for (const { level, role, msg } of lines) {
      assert.equal(typeof level, 'number')
      assert.equal(role, 'router')
      assert.equal(typeof msg, 'string')
    }
  })
})
