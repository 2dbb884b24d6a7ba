// Addresses as ZeroMQ writes them (zmq_tcp(7)): text in, a checked structure out.

import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { ZeroMQError } from '../error.ts'

export interface TcpEndpoint {
  readonly transport: 'tcp'
  /** Host name or IP address, without brackets; for binding also `*`, already resolved to the wildcard address. */
  readonly host: string
  /** 0: any free port (binding only). */
  readonly port: number
}

export type Endpoint = TcpEndpoint

const PORT_LIMIT = 65_535

/** A name or address, an address in brackets, the wildcard, or nothing (which the caller judges). */
const HOST = /^([^\s\p{Cc};/[\]]*|\[[^\s\p{Cc};/[\]]+\])$/u

/** @throws ZeroMQError EINVAL (not an address), EPROTONOSUPPORT (unknown transport) */
export function parseConnectAddress(address: string): Endpoint {
  const { host, port } = splitTcp(address)
  const number = parsePort(port, address)
  if (host === '*' || host === '' || number === 0) throw new ZeroMQError('EINVAL', { address })
  return { transport: 'tcp', host, port: number }
}

/** @throws ZeroMQError EINVAL, EPROTONOSUPPORT, ENODEV (no such network interface) */
export function parseBindAddress(address: string, ipv6: boolean): Endpoint {
  const { host, port } = splitTcp(address)
  const number = port === '*' ? 0 : parsePort(port, address)
  if (host === '') throw new ZeroMQError('EINVAL', { address })
  if (host === '*') return { transport: 'tcp', host: ipv6 ? '::' : '0.0.0.0', port: number }
  return { transport: 'tcp', host: isIP(host) === 0 ? (interfaceAddress(host, ipv6) ?? host) : host, port: number }
}

export function formatEndpoint(host: string, port: number): string {
  return `tcp://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function splitTcp(address: string): { host: string; port: string } {
  const separator = address.indexOf('://')
  if (separator <= 0) throw new ZeroMQError('EINVAL', { address })
  if (address.slice(0, separator) !== 'tcp') throw new ZeroMQError('EPROTONOSUPPORT', { address })
  const rest = address.slice(separator + 3)
  const colon = rest.lastIndexOf(':')
  if (colon < 0) throw new ZeroMQError('EINVAL', { address })
  const host = rest.slice(0, colon)
  // Among others a source address (`tcp://source:0;host:5555`), which is not served: better refused than never reached.
  if (!HOST.test(host)) throw new ZeroMQError('EINVAL', { address })
  return { host: host.startsWith('[') ? host.slice(1, -1) : host, port: rest.slice(colon + 1) }
}

function parsePort(text: string, address: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < 0 || port > PORT_LIMIT) throw new ZeroMQError('EINVAL', { address })
  return port
}

function interfaceAddress(name: string, ipv6: boolean): string | undefined {
  const family = ipv6 ? 'IPv6' : 'IPv4'
  return networkInterfaces()[name]?.find((address) => address.family === family)?.address
}
