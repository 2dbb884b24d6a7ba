// A log that keeps what it is told, for tests that look at it.

import type { Log } from '@eventmq-ts/emqp'

export interface LoggedEvent {
  readonly level: keyof Log
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

export class RecordedLog implements Log {
  readonly events: LoggedEvent[] = []

  debug(fields: LoggedEvent['fields'], message: string): void {
    this.events.push({ level: 'debug', fields, message })
  }

  info(fields: LoggedEvent['fields'], message: string): void {
    this.events.push({ level: 'info', fields, message })
  }

  warn(fields: LoggedEvent['fields'], message: string): void {
    this.events.push({ level: 'warn', fields, message })
  }

  error(fields: LoggedEvent['fields'], message: string): void {
    this.events.push({ level: 'error', fields, message })
  }

  /** The warnings and errors. */
  get complaints(): readonly LoggedEvent[] {
    return this.events.filter(({ level }) => level === 'warn' || level === 'error')
  }
}
