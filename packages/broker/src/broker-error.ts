// What can go wrong with a broker that its operator or its program can do something about.

/**
 * | code | meaning | what to do |
 * |---|---|---|
 * | `BROKER_OPTION` | an option is out of its range | correct it as the message says |
 * | `BROKER_PORT_TAKEN` | another process listens on an address | stop it, or choose another address by the named setting |
 * | `BROKER_BIND` | an address cannot be listened on | correct the named setting; `cause` says why |
 * | `BROKER_STORE` | the store does not open, or nothing can be written to it any more | `cause` says why |
 * | `BROKER_STATE` | started after it was stopped | make a new one |
 */
export type BrokerErrorCode = 'BROKER_OPTION' | 'BROKER_PORT_TAKEN' | 'BROKER_BIND' | 'BROKER_STORE' | 'BROKER_STATE'

/** Every error of a broker. */
export class BrokerError extends Error {
  override readonly name = 'BrokerError'
  readonly code: BrokerErrorCode

  constructor(code: BrokerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
