// Bytes as tests write them: hex with blanks, text, and the two openings that every test peer needs.

/** `bytes('04 05', '"PONG"')`: hex digits with blanks; in double quotes, text. */
export function bytes(...pieces: readonly string[]): Uint8Array {
  return new Uint8Array(Buffer.concat(pieces.map(piece)))
}

function piece(text: string): Buffer {
  if (text.startsWith('"') && text.endsWith('"')) return Buffer.from(text.slice(1, -1))
  const digits = text.replace(/\s/g, '')
  if (!/^([0-9a-f]{2})*$/.test(digits)) throw new Error(`not hex: ${text}`)
  return Buffer.from(digits, 'hex')
}

export function hexOf(value: Uint8Array): string {
  return Buffer.from(value).toString('hex')
}

export interface GreetingFields {
  /** 10 bytes in hex. */
  readonly signature?: string
  readonly version?: readonly [number, number]
  readonly mechanism?: string
  readonly asServer?: number
  readonly filler?: number
}

/** The 64 bytes with which a peer opens; what is not named is as a plain NULL peer of 3.1 has it. */
export function greeting(fields: GreetingFields = {}): Uint8Array {
  const { signature = 'ff00000000000000017f', version = [3, 1], mechanism = 'NULL', asServer = 0, filler = 0 } = fields
  const all = new Uint8Array(64)
  all.set(bytes(signature))
  all.set(version, 10)
  all.set(Buffer.from(mechanism), 12)
  all[32] = asServer
  all.fill(filler, 33)
  return all
}

/** A READY command frame with these properties, in order. */
export function ready(socketType: string, identity?: string): Uint8Array {
  const type = bytes('0b', '"Socket-Type"', length32(socketType), `"${socketType}"`)
  const id = identity === undefined ? bytes() : bytes('08', '"Identity"', length32(identity), `"${identity}"`)
  return bytes('04', length8(6 + type.length + id.length), '05', '"READY"', hexOf(type), hexOf(id))
}

/** Greeting and READY of a peer: everything up to its traffic. */
export function opening(socketType: string, fields: GreetingFields = {}): Uint8Array {
  return bytes(hexOf(greeting(fields)), hexOf(ready(socketType)))
}

function length8(length: number): string {
  return length.toString(16).padStart(2, '0')
}

function length32(text: string): string {
  return Buffer.byteLength(text).toString(16).padStart(8, '0')
}
