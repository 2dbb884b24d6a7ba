// What a test opens is closed when it ends, however it ends.

export interface Closable {
  close(): void
}

/** Takes something into the test's care and gives it back. */
export type Own = <T extends Closable>(thing: T) => T

/** The time after which a test has failed; nothing in these tests waits for so long when all is well. */
export const BOUNDED = { timeout: 20_000 }

export async function scoped(use: (own: Own) => Promise<void>): Promise<void> {
  const owned: Closable[] = []
  try {
    await use((thing) => {
      owned.push(thing)
      return thing
    })
  } finally {
    for (const thing of owned.reverse()) thing.close()
  }
}
