// A log that a test reads.

import type { Log } from '@eventmq-ts/emqp'

export interface LogLine {
  readonly level: keyof Log
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

export class RecordedLog implements Log {
  readonly lines: LogLine[] = []
  readonly debug = this.#at('debug')
  readonly info = this.#at('info')
  readonly warn = this.#at('warn')
  readonly error = this.#at('error')

  at(level: keyof Log): LogLine[] {
    return this.lines.filter((line) => line.level === level)
  }

  #at(level: keyof Log): Log['debug'] {
    return (fields, message) => {
      this.lines.push({ level, fields, message })
    }
  }
}
