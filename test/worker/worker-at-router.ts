// A worker of ours registered at a scripted router, for the tests of the worker's shell.

import { fileURLToPath } from 'node:url'
import { type MessageId, makeHeaders, messageId, parseJobResult, queueName } from '@eventmq-ts/emqp'
import { jobsOf, loadJobs, type RegisteredJob, Worker, type WorkerOptions } from '@eventmq-ts/worker'
import { RecordedLog } from '../device/recorded-log.ts'
import { type Heard, ScriptedRouter } from '../device/scripted-router.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** The next command that a router gets, HEARTBEATs apart. */
export async function hearWord(router: ScriptedRouter): Promise<Heard> {
  for (;;) {
    const heard = await router.hear()
    if (heard.command.type !== 'HEARTBEAT') return heard
  }
}

export class WorkerAtRouter implements AsyncDisposable {
  readonly router: ScriptedRouter
  readonly worker: Worker
  readonly log: RecordedLog
  /** The worker's routing id. */
  readonly peer: string

  private constructor(router: ScriptedRouter, worker: Worker, log: RecordedLog, peer: string) {
    this.router = router
    this.worker = worker
    this.log = log
    this.peer = peer
  }

  /** Registered, with its READYs not yet heard. `jobs`: values made by defineJob, beside the functions of my_jobs. */
  static async start(options: Partial<WorkerOptions> = {}, jobs: readonly unknown[] = []): Promise<WorkerAtRouter> {
    const router = await ScriptedRouter.bind()
    const log = new RecordedLog()
    const functions: readonly RegisteredJob[] = await loadJobs(
      [{ kind: 'callables', module: './my-jobs.ts', path: 'my_jobs' }],
      folder,
    )
    const worker = new Worker({
      broker: router.address,
      concurrency: 1,
      killGraceMs: 5_000,
      queues: [{ weight: 10, name: 'default' }],
      jobs: [...functions, ...jobsOf(jobs)],
      log,
      ...options,
    })
    await worker.start()
    const { from } = await router.admit()
    return new WorkerAtRouter(router, worker, log, from)
  }

  /** What the worker says next, HEARTBEATs apart. */
  async hear(): Promise<Heard['command']> {
    return (await hearWord(this.router)).command
  }

  /** Sends a REQUEST for a callable of a path. */
  async request(
    id: string,
    call: { readonly path?: string; readonly callable: string; readonly args?: readonly unknown[] },
    headers: Parameters<typeof makeHeaders>[0] = { replyRequested: true },
  ): Promise<MessageId> {
    const { path = 'my_jobs', callable, args = [] } = call
    await this.router.say(this.peer, {
      type: 'REQUEST',
      id: messageId(id),
      queue: queueName('default'),
      headers: makeHeaders(headers),
      payload: new TextEncoder().encode(JSON.stringify(['run', { path, callable, args }])),
    })
    return messageId(id)
  }

  /** The next REPLY's result, as a client reads it. */
  async result(): Promise<{ readonly request: string; readonly result: ReturnType<typeof parseJobResult> }> {
    const command = await this.hear()
    if (command.type !== 'REPLY' || command.kind !== 'result') throw new Error(`expected a REPLY, got ${command.type}`)
    return { request: command.request, result: parseJobResult(command.payload) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.worker.stop()
    this.router.close()
  }
}
