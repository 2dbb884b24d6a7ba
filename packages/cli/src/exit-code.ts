// The command's exit codes, as `eventmq help` documents them.

export const EXIT = {
  /** Ended in good order, also after SIGTERM or SIGINT. */
  ok: 0,
  /** Failed while it was running, or did not end in good order. */
  failed: 1,
  /** A wrong command line, setting or jobs module: nothing was started. */
  usage: 2,
  /** An address is taken or cannot be listened on. */
  address: 3,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
