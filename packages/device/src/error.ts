// What a device tells the program that embeds it.

/**
 * | code | meaning |
 * |---|---|
 * | `DEVICE_OPTIONS` | an option is missing or out of range |
 * | `DEVICE_ADDRESS` | the address cannot be dialed: bad syntax or a transport that is not there |
 * | `DEVICE_NOT_STARTED` | `send` before `start` |
 * | `DEVICE_STOPPED` | the device has stopped, or stopped while the message waited; it was not sent |
 * | `DEVICE_FULL` | too many messages wait to be sent; await `send` before the next one |
 */
export type DeviceErrorCode =
  | 'DEVICE_OPTIONS'
  | 'DEVICE_ADDRESS'
  | 'DEVICE_NOT_STARTED'
  | 'DEVICE_STOPPED'
  | 'DEVICE_FULL'

/** Everything that this package throws, but for an `EmqpError` where a command does not fit eMQP. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError'
  readonly code: DeviceErrorCode

  constructor(code: DeviceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
