// Who may import whom, as data. docs/architecture.md tells why; this table is what is enforced. Paths are from the
// repository's root; a path stands for the file `path.ts` and for everything under the folder `path/`.

/** What one package may import besides its own files and Node's modules. */
export interface PackageRule {
  /** Folders of packages/. */
  readonly packages: readonly string[]
  /** Libraries from the registry, each with its reason. */
  readonly libraries: Readonly<Record<string, string>>
}

/** A part of a package with walls: it imports itself and `may`, nothing else of its package. */
export interface LayerRule {
  readonly inside: string
  readonly may: readonly string[]
}

export interface Rules {
  readonly packages: Readonly<Record<string, PackageRule>>
  readonly layers: readonly LayerRule[]
  /** Code that does no I/O: no `node:` module, neither directly nor through what it imports at run time. */
  readonly cores: readonly string[]
  /** Live peers for tests: the only places that may import them. */
  readonly peers: Readonly<Record<string, readonly string[]>>
  /** Code that shows how a user imports us: by package names alone. */
  readonly outsiders: readonly string[]
}

const zod = { zod: 'schemas for everything that comes from outside' }
const zeromq = 'packages/zeromq-ts-pure/src'
const error = `${zeromq}/error`

export const rules: Rules = {
  packages: {
    'zeromq-ts-pure': { packages: [], libraries: {} },
    emqp: { packages: [], libraries: zod },
    device: { packages: ['zeromq-ts-pure', 'emqp'], libraries: zod },
    job: { packages: ['emqp'], libraries: zod },
    store: { packages: ['emqp'], libraries: zod },
    broker: { packages: ['zeromq-ts-pure', 'emqp', 'store'], libraries: zod },
    worker: { packages: ['device', 'emqp', 'job'], libraries: zod },
    scheduler: { packages: ['device', 'emqp', 'store'], libraries: zod },
    client: { packages: ['device', 'emqp', 'job'], libraries: zod },
    cli: {
      packages: ['broker', 'client', 'device', 'emqp', 'job', 'scheduler', 'store', 'worker', 'zeromq-ts-pure'],
      libraries: { ...zod, pino: 'the log of the eventmq command' },
    },
  },
  layers: [
    { inside: `${zeromq}/zmtp`, may: [] },
    { inside: `${zeromq}/mechanism`, may: [`${zeromq}/zmtp`] },
    { inside: `${zeromq}/transport`, may: [error] },
    { inside: `${zeromq}/engine/message`, may: [error] },
    { inside: `${zeromq}/engine/message-ring`, may: [`${zeromq}/engine/message`, error] },
    { inside: `${zeromq}/engine/pipe`, may: [`${zeromq}/engine/message`, `${zeromq}/engine/message-ring`, error] },
    {
      inside: `${zeromq}/engine`,
      may: [`${zeromq}/mechanism`, `${zeromq}/transport`, `${zeromq}/zmtp`, error],
    },
    { inside: `${zeromq}/pattern`, may: [`${zeromq}/engine/pipe`, `${zeromq}/engine/message`, error] },
    // Of the stages below the engine a socket knows only words: how an address reads and what socket types are called.
    {
      inside: `${zeromq}/socket`,
      may: [
        `${zeromq}/pattern`,
        `${zeromq}/engine`,
        `${zeromq}/transport/endpoint`,
        `${zeromq}/zmtp/socket-type`,
        error,
      ],
    },
  ],
  cores: [
    `${zeromq}/zmtp`,
    `${zeromq}/mechanism`,
    `${zeromq}/pattern`,
    'packages/emqp/src',
    'packages/job/src',
    'packages/broker/src/core',
    'packages/client/src/core',
    'packages/device/src/core',
    'packages/scheduler/src/core',
    'packages/worker/src/core',
  ],
  peers: { zeromq: ['test/interop', 'scripts/bench'] },
  outsiders: ['examples'],
}
