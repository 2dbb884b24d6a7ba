// The two libraries that are compared, behind the few calls that the bench makes: ours, and npm `zeromq`.

import * as ours from 'zeromq-ts-pure'

export type LibraryName = 'zeromq-ts-pure' | 'zeromq'

interface Closable {
  close(): void
}

interface PushSocket extends Closable {
  connect(address: string): void
  send(part: Buffer): Promise<void>
}

interface PullSocket extends Closable {
  readonly lastEndpoint: string | null
  bind(address: string): Promise<void>
  receive(): Promise<Buffer[]>
}

interface Library {
  readonly Push: new () => PushSocket
  readonly Pull: new () => PullSocket
}

export async function loadLibrary(name: LibraryName): Promise<Library> {
  return name === 'zeromq' ? await import('zeromq') : ours
}
