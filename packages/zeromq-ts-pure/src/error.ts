// The errors of this package: one class, with the codes, numbers and messages of npm `zeromq`, so that code which
// looks at them keeps working.

interface Definition {
  readonly errno: number
  readonly message: string
}

const DEFINITIONS = {
  EAGAIN: { errno: 11, message: 'Operation was not possible or timed out' },
  EBUSY: { errno: 16, message: 'Socket is busy' },
  ENODEV: { errno: 19, message: 'No such device' },
  EINVAL: { errno: 22, message: 'Invalid argument' },
  EMFILE: { errno: 24, message: 'Too many open file descriptors' },
  ENOENT: { errno: 2, message: 'No such endpoint' },
  EBADF: { errno: 9, message: 'Socket is closed' },
  EACCES: { errno: 13, message: 'Permission denied' },
  EPROTO: { errno: 71, message: 'Protocol error' },
  EPROTONOSUPPORT: { errno: 93, message: 'Protocol not supported' },
  EADDRINUSE: { errno: 98, message: 'Address already in use' },
  EADDRNOTAVAIL: { errno: 99, message: 'Cannot assign requested address' },
  ECONNRESET: { errno: 104, message: 'Connection reset by peer' },
  ECONNREFUSED: { errno: 111, message: 'Connection refused' },
  EHOSTUNREACH: { errno: 113, message: 'Host unreachable' },
  ETIMEDOUT: { errno: 110, message: 'Connection timed out' },
  ENOTSOCK: { errno: 88, message: 'Socket operation on non-socket' },
  EFSM: { errno: 156384763, message: 'Operation cannot be accomplished in current state' },
} as const satisfies Record<string, Definition>

export type ErrorCode = keyof typeof DEFINITIONS

/**
 * Every error that a socket throws or rejects with, but for bad arguments, which are TypeErrors.
 *
 * @example
 * try { await socket.bind('tcp://127.0.0.1:80') } catch (error) {
 *   if (error instanceof ZeroMQError && error.code === 'EADDRINUSE') console.error(`${error.address} is taken`)
 * }
 */
export class ZeroMQError extends Error {
  readonly code: string
  readonly errno: number
  /** The endpoint that was asked for; errors without one do not have the property. */
  declare readonly address?: string

  constructor(code: ErrorCode, details: { address?: string; message?: string; cause?: unknown } = {}) {
    super(details.message ?? DEFINITIONS[code].message, details.cause === undefined ? {} : { cause: details.cause })
    this.code = code
    this.errno = DEFINITIONS[code].errno
    if (details.address !== undefined) this.address = details.address
  }
}

/** Turns an error of the platform's network layer into ours; codes that we do not know become EPROTO with a cause. */
export function networkError(cause: unknown, address: string): ZeroMQError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EAI_NODATA' || code === 'EAI_FAIL') {
    return new ZeroMQError('ENODEV', { address, cause })
  }
  if (Object.hasOwn(DEFINITIONS, code)) return new ZeroMQError(code as ErrorCode, { address, cause })
  return new ZeroMQError('EPROTO', { address, cause, message: cause instanceof Error ? cause.message : String(cause) })
}
