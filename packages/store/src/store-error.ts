// What can be wrong with a store, with a stable code each.

/**
 * | code | meaning | what to do |
 * |---|---|---|
 * | `STORE_CLOSED` | used before open() or after close() | open it first; a programming error |
 * | `STORE_OPTION` | an option or an argument out of its range | correct it as the message says |
 * | `STORE_WRITE` | the batch could not be made durable; nothing of it was written | free space, check the disk; the broker tries again |
 */
export type StoreErrorCode = 'STORE_CLOSED' | 'STORE_OPTION' | 'STORE_WRITE'

/** Every error of a store. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
