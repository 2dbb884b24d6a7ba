import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  formatEndpoint,
  parseBindAddress,
  parseConnectAddress,
} from '../../../packages/zeromq-ts-pure/src/transport/endpoint.ts'

describe('an address to connect to', () => {
  const good: readonly [string, string, number][] = [
    ['tcp://127.0.0.1:5555', '127.0.0.1', 5555],
    ['tcp://localhost:1', 'localhost', 1],
    ['tcp://a-host.example_1.org:65535', 'a-host.example_1.org', 65535],
    ['tcp://[::1]:5555', '::1', 5555],
    ['tcp://::1:5555', '::1', 5555],
  ]
  for (const [address, host, port] of good) {
    test(`${address} is ${host} and ${port}`, () => {
      assert.deepEqual(parseConnectAddress(address), { transport: 'tcp', host, port })
    })
  }

  const bad: readonly [string, string][] = [
    ['', 'EINVAL'],
    ['127.0.0.1:5555', 'EINVAL'],
    ['://127.0.0.1:5555', 'EINVAL'],
    ['tcp://127.0.0.1', 'EINVAL'],
    ['tcp://:5555', 'EINVAL'],
    ['tcp://*:5555', 'EINVAL'],
    ['tcp://127.0.0.1:0', 'EINVAL'],
    ['tcp://127.0.0.1:*', 'EINVAL'],
    ['tcp://127.0.0.1:65536', 'EINVAL'],
    ['tcp://127.0.0.1:-1', 'EINVAL'],
    ['tcp://127.0.0.1:1e3', 'EINVAL'],
    ['tcp://a host:5555', 'EINVAL'],
    ['tcp://[::1:5555', 'EINVAL'],
    ['tcp://127.0.0.1:0;127.0.0.1:5555', 'EINVAL'],
    ['tcp://a\0b:5555', 'EINVAL'],
    ['tcp://host/path:5555', 'EINVAL'],
    ['http://127.0.0.1:5555', 'EPROTONOSUPPORT'],
  ]
  for (const [address, code] of bad) {
    test(`${JSON.stringify(address)} is refused with ${code}`, () => {
      assert.throws(() => parseConnectAddress(address), { code, address })
    })
  }
})

describe('an address to bind to', () => {
  const good: readonly [string, boolean, string, number][] = [
    ['tcp://*:5555', false, '0.0.0.0', 5555],
    ['tcp://*:5555', true, '::', 5555],
    ['tcp://127.0.0.1:*', false, '127.0.0.1', 0],
    ['tcp://127.0.0.1:0', false, '127.0.0.1', 0],
    ['tcp://[::1]:5555', true, '::1', 5555],
    ['tcp://lo:5555', false, '127.0.0.1', 5555],
    ['tcp://localhost:5555', false, 'localhost', 5555],
  ]
  for (const [address, ipv6, host, port] of good) {
    test(`${address} ${ipv6 ? 'with' : 'without'} IPv6 is ${host} and ${port}`, () => {
      assert.deepEqual(parseBindAddress(address, ipv6), { transport: 'tcp', host, port })
    })
  }

  for (const address of ['tcp://:5555', 'tcp://127.0.0.1:', 'tcp://127.0.0.1:x', 'tcp://a;b:5555']) {
    test(`${address} is refused`, () => {
      assert.throws(() => parseBindAddress(address, false), { code: 'EINVAL', address })
    })
  }
})

test('an endpoint is printed as it is written, IPv6 addresses in brackets', () => {
  assert.equal(formatEndpoint('127.0.0.1', 5555), 'tcp://127.0.0.1:5555')
  assert.equal(formatEndpoint('::1', 5555), 'tcp://[::1]:5555')
})
