// The log that every role takes: the part of pino's interface that we use. Packages write to it and never choose where
// it goes; the command line hands in pino, a test hands in a recorder.

type LogMethod = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** A structured log: fields first, then one readable line (pino's argument order). */
export interface Log {
  readonly debug: LogMethod
  readonly info: LogMethod
  readonly warn: LogMethod
  readonly error: LogMethod
}

const nothing: LogMethod = () => undefined

/** A log that keeps nothing; the default of every role that is embedded in another program. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
