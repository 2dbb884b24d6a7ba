#!/usr/bin/env node
// The executable `eventmq`.

import { EXIT } from './exit-code.ts'
import { main } from './main.ts'

// A reader that went away (`eventmq help | head -1`) is not this program's failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    // Nothing that an operator did: whoever mends it needs the whole of it.
    console.error(error)
    process.exitCode = EXIT.failed
  },
)
