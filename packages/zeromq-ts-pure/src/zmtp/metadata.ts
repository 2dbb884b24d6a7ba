// The properties that a peer states of itself in READY (ZMTP 3.1, "The READY command"): names with values, in order.

import { printable, Violation, type ViolationCode } from './violation.ts'

export interface Property {
  readonly name: string
  readonly value: Uint8Array
}

export const SOCKET_TYPE = 'Socket-Type'
export const IDENTITY = 'Identity'

const VALUE_LENGTH_BYTES = 4

export function encodeMetadata(properties: readonly Property[]): Uint8Array {
  let length = 0
  for (const { name, value } of properties) length += 1 + name.length + VALUE_LENGTH_BYTES + value.length
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  let offset = 0
  for (const { name, value } of properties) {
    bytes[offset++] = name.length
    for (let i = 0; i < name.length; i++) bytes[offset++] = name.charCodeAt(i)
    view.setUint32(offset, value.length)
    offset += VALUE_LENGTH_BYTES
    bytes.set(value, offset)
    offset += value.length
  }
  return bytes
}

/** Every length is checked against the bytes that are there; `code` is what a breach of them is called. */
export function decodeMetadata(bytes: Uint8Array, code: ViolationCode): readonly Property[] | Violation {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const properties: Property[] = []
  let offset = 0
  while (offset < bytes.length) {
    const nameLength = bytes[offset] as number
    const nameEnd = offset + 1 + nameLength
    if (nameLength === 0) return new Violation(code, 'a property without a name')
    if (nameEnd + VALUE_LENGTH_BYTES > bytes.length) {
      return new Violation(code, `a property name of ${nameLength} bytes where ${bytes.length - offset - 1} are left`)
    }
    let name = ''
    for (let i = offset + 1; i < nameEnd; i++) name += String.fromCharCode(bytes[i] as number)
    const valueLength = view.getUint32(nameEnd)
    const valueStart = nameEnd + VALUE_LENGTH_BYTES
    if (valueStart + valueLength > bytes.length) {
      const left = bytes.length - valueStart
      return new Violation(code, `property ${printable(name)} announces ${valueLength} bytes where ${left} are left`)
    }
    properties.push({ name, value: bytes.subarray(valueStart, valueStart + valueLength) })
    offset = valueStart + valueLength
  }
  return properties
}

/** The value of a property; names are case-insensitive. */
export function propertyValue(properties: readonly Property[], name: string): Uint8Array | undefined {
  const wanted = name.toLowerCase()
  return properties.find((property) => property.name.toLowerCase() === wanted)?.value
}
