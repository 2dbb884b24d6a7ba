// A peer's routing id: any bytes, also the five-byte ones that a ROUTER makes up. Inside broker and store it is a string
// with one character a byte (latin1), so that it can key a map; at the socket and on disk it is bytes.

declare const routingIdBrand: unique symbol

/** A peer's routing id, one character (U+0000 to U+00FF) a byte. Never shown to people as it is. */
export type RoutingId = string & { readonly [routingIdBrand]: true }

/** The routing id that a ROUTER put in front of a message. */
export function routingIdOf(bytes: Uint8Array): RoutingId {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text as RoutingId
}

/** The bytes to put in front of a message to this peer. */
export function routingIdBytes(id: RoutingId): Uint8Array {
  const bytes = new Uint8Array(id.length)
  for (let i = 0; i < id.length; i++) bytes[i] = id.charCodeAt(i)
  return bytes
}
