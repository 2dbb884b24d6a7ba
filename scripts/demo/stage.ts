// The services of the demo together: started one by one, watched all the time, stopped in the end whatever happened.

import { ServiceProcess } from './service-process.ts'

export class Stage {
  /** Rejects as soon as any service has ended. */
  readonly failed: Promise<never>
  readonly #fail: (error: unknown) => void
  readonly #services: ServiceProcess[] = []

  constructor() {
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => undefined)
    this.failed = promise
    this.#fail = reject
  }

  /** Starts a service, waits until it is ready, and gives the facts of its ready line. */
  async start(name: string, args: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const service = new ServiceProcess(name, args)
    this.#services.push(service)
    service.failed.catch(this.#fail)
    const facts = await Promise.race([service.ready, service.failed])
    console.log(
      `${name} is ready: process ${service.pid}${[...facts].map(([fact, value]) => `, ${fact} ${value}`).join('')}`,
    )
    return facts
  }

  /** Stops all; gives a line for each that did not end in good order. */
  async stop(): Promise<readonly string[]> {
    const broken: string[] = []
    // Those who dial before the one that is dialed, so that each can still say farewell.
    for (const service of this.#services.toReversed()) {
      const how = await service.stop()
      if (how !== undefined) broken.push(how)
    }
    return broken
  }
}
