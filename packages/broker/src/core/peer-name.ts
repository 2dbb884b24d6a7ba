// A routing id as people read it: its text where it is readable text, else its bytes in hex.

import { type RoutingId, routingIdBytes } from '@eventmq-ts/store'

const strict = new TextDecoder('utf-8', { fatal: true })

export function peerName(id: RoutingId): string {
  if (/^[\x20-\x7e]+$/.test(id)) return id
  const bytes = routingIdBytes(id)
  try {
    const text = strict.decode(bytes)
    if (text !== '' && !/[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Zl}\p{Zp}]/u.test(text)) return text
  } catch {
    // Not UTF-8: shown in hex below, as any id that is no readable text.
  }
  let hex = '0x'
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return hex
}
