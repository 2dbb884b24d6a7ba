// The 64 bytes with which each ZMTP 3.x peer opens (ZMTP 3.1, "The Greeting"). Fields in, bytes out; bytes in,
// fields or a violation out.

import { Violation } from './violation.ts'

/** Length of the greeting in bytes. */
export const GREETING_LENGTH = 64

/** Signature and major version: what is sent before anything is known of the peer. */
export const GREETING_HEAD_LENGTH = 11

const SIGNATURE_LAST = 9
const MAJOR = 10
const MINOR = 11
const MECHANISM = 12
const MECHANISM_LENGTH = 20
const AS_SERVER = 32

export interface Greeting {
  readonly major: number
  readonly minor: number
  /** Mechanism name, 1 to 20 characters of `A-Z 0-9 - _ . +`. */
  readonly mechanism: string
  readonly asServer: boolean
}

/** Prints a greeting. The padding of the signature is 00..00 01, as libzmq peers without a routing id send it. */
export function encodeGreeting(greeting: Greeting): Uint8Array {
  const bytes = new Uint8Array(GREETING_LENGTH)
  bytes[0] = 0xff
  bytes[8] = 0x01
  bytes[SIGNATURE_LAST] = 0x7f
  bytes[MAJOR] = greeting.major
  bytes[MINOR] = greeting.minor
  for (let i = 0; i < greeting.mechanism.length; i++) bytes[MECHANISM + i] = greeting.mechanism.charCodeAt(i)
  bytes[AS_SERVER] = greeting.asServer ? 1 : 0
  return bytes
}

/**
 * Looks at the first bytes of a stream, however few, and says whether they can still become a greeting that we serve.
 * Bytes that cannot are refused at once, so that text or an older protocol never waits for 64 bytes.
 */
export function checkGreetingPrefix(byteAt: (index: number) => number, length: number): Violation | undefined {
  if (length > 0 && byteAt(0) !== 0xff) {
    return new Violation('ERR_ZMTP_UNSPECIFIED', `the first byte is ${hex(byteAt(0))}, not ff: not a ZMTP peer`)
  }
  if (length > SIGNATURE_LAST && byteAt(SIGNATURE_LAST) !== 0x7f) {
    return new Violation('ERR_ZMTP_UNSPECIFIED', `byte 9 of the signature is ${hex(byteAt(SIGNATURE_LAST))}, not 7f`)
  }
  if (length > MAJOR && byteAt(MAJOR) < 3) {
    return new Violation(
      'ERR_ZMTP_UNSPECIFIED',
      `the peer speaks ZMTP revision ${byteAt(MAJOR)}; 3.0 is the oldest served`,
    )
  }
  return undefined
}

/** Reads a whole greeting whose prefix was checked. The filler carries no meaning and is not looked at. */
export function decodeGreeting(bytes: Uint8Array): Greeting | Violation {
  let mechanism = ''
  for (let i = MECHANISM; i < MECHANISM + MECHANISM_LENGTH; i++) {
    const byte = bytes[i] as number
    if (byte === 0) break
    mechanism += String.fromCharCode(byte)
  }
  for (let i = MECHANISM + mechanism.length; i < MECHANISM + MECHANISM_LENGTH; i++) {
    if (bytes[i] !== 0) {
      return new Violation('ERR_ZMTP_MECHANISM_MISMATCH', 'the mechanism name is not padded with zero bytes')
    }
  }
  return {
    major: bytes[MAJOR] as number,
    minor: bytes[MINOR] as number,
    mechanism,
    asServer: bytes[AS_SERVER] === 1,
  }
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}
