// The values of one socket's options, as engine and pattern read them: one plain object of one shape a socket.

import type { EngineSettings } from '../engine/settings.ts'
import type { PatternSettings } from '../pattern/pattern.ts'

/** Timeouts of the application's own calls; milliseconds, -1: none. */
interface OperationSettings {
  readonly sendTimeout: number
  readonly receiveTimeout: number
}

export type SocketSettings = EngineSettings & PatternSettings & OperationSettings

export type OptionName = keyof SocketSettings
