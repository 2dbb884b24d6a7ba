// Socket types by their names on the wire, and which of them may talk (ZMTP 3.1, "The Socket Type Property").

const PEERS = {
  PAIR: ['PAIR'],
  PUB: ['SUB', 'XSUB'],
  SUB: ['PUB', 'XPUB'],
  REQ: ['REP', 'ROUTER'],
  REP: ['REQ', 'DEALER'],
  DEALER: ['REP', 'DEALER', 'ROUTER'],
  ROUTER: ['REQ', 'DEALER', 'ROUTER'],
  PULL: ['PUSH'],
  PUSH: ['PULL'],
  XPUB: ['SUB', 'XSUB'],
  XSUB: ['PUB', 'XPUB'],
} as const satisfies Record<string, readonly string[]>

export type SocketTypeName = keyof typeof PEERS

/** Whether a socket of type `own` may talk to a peer that calls itself `peer`. */
export function mayTalk(own: SocketTypeName, peer: string): boolean {
  return (PEERS[own] as readonly string[]).includes(peer)
}

/** The types whose READY carries an Identity property. */
export function statesIdentity(type: SocketTypeName): boolean {
  return type === 'REQ' || type === 'DEALER' || type === 'ROUTER'
}
