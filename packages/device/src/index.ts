export type { DeviceState, LostReason, Registration } from './core/device-state.ts'
export { Device } from './device.ts'
export type { DeviceOptions } from './device-options.ts'
export { DeviceError, type DeviceErrorCode } from './error.ts'
