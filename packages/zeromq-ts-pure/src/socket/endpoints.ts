// What one socket is bound and connected to, by address, and what it has given up that still delivers what was sent.

import { Dialer } from '../engine/dialer.ts'
import type { Link, LinkContext, Stopping } from '../engine/link.ts'
import { Listener } from '../engine/listener.ts'
import { ZeroMQError } from '../error.ts'
import { formatEndpoint, parseBindAddress, parseConnectAddress } from '../transport/endpoint.ts'

type EndpointContext = Omit<LinkContext, 'address'>

export class Endpoints {
  readonly #context: EndpointContext
  readonly #dialers = new Map<string, Dialer[]>()
  readonly #listeners = new Map<string, Listener>()
  /** Given up, and not over yet. */
  readonly #lingering = new Map<Link, Promise<void>>()
  #last: string | null = null

  constructor(context: EndpointContext) {
    this.#context = context
  }

  /** The address of the last bind, with its port, or connect. */
  get last(): string | null {
    return this.#last
  }

  get inUse(): boolean {
    return this.#dialers.size > 0 || this.#listeners.size > 0
  }

  /** @throws ZeroMQError EINVAL, EPROTONOSUPPORT, EADDRINUSE, EADDRNOTAVAIL, EACCES, ENODEV */
  async bind(address: string): Promise<void> {
    const endpoint = parseBindAddress(address, this.#context.settings.ipv6)
    const listener = await Listener.bind(endpoint, { ...this.#context, address })
    this.#listeners.set(listener.address, listener)
    this.#last = listener.address
  }

  /**
   * Resolves when the address is free.
   *
   * @throws ZeroMQError EINVAL, EPROTONOSUPPORT, ENOENT
   */
  async unbind(address: string): Promise<void> {
    const listener = this.#listeners.get(address) ?? this.#listeners.get(this.#canonical(address))
    if (listener === undefined) throw new ZeroMQError('ENOENT', { address })
    this.#listeners.delete(listener.address)
    await this.#stop(listener).released
  }

  /**
   * @param once whether a second connect to the same address means nothing
   * @throws ZeroMQError EINVAL, EPROTONOSUPPORT
   */
  connect(address: string, once: boolean): void {
    const endpoint = parseConnectAddress(address)
    const dialers = this.#dialers.get(address) ?? []
    if (dialers.length > 0 && once) return
    const dialer = new Dialer(endpoint, { ...this.#context, address }, () => this.#forget(address, dialer))
    this.#dialers.set(address, [...dialers, dialer])
    this.#last = address
    dialer.start()
  }

  /**
   * Ends every connect to the address.
   *
   * @throws ZeroMQError EINVAL, EPROTONOSUPPORT, ENOENT
   */
  disconnect(address: string): void {
    parseConnectAddress(address)
    const dialers = this.#dialers.get(address)
    if (dialers === undefined) throw new ZeroMQError('ENOENT', { address })
    this.#dialers.delete(address)
    for (const dialer of dialers) this.#stop(dialer)
  }

  /** Gives up everything, as `linger` says; resolves when nothing is left. */
  async stopAll(): Promise<void> {
    const links = [...this.#listeners.values(), ...[...this.#dialers.values()].flat()]
    this.#listeners.clear()
    this.#dialers.clear()
    for (const link of links) this.#stop(link)
    if (this.#context.settings.linger === 0) for (const link of this.#lingering.keys()) link.abandon()
    await Promise.all(this.#lingering.values())
  }

  #forget(address: string, dialer: Dialer): void {
    const others = (this.#dialers.get(address) ?? []).filter((other) => other !== dialer)
    if (others.length > 0) this.#dialers.set(address, others)
    else this.#dialers.delete(address)
  }

  #stop(link: Link): Stopping {
    const { hold } = this.#context
    const stopping = link.stop()
    hold.acquire()
    const over = stopping.over.then(() => {
      this.#lingering.delete(link)
      hold.release()
    })
    this.#lingering.set(link, over)
    return stopping
  }

  /** An address as `last` would give it. */
  #canonical(address: string): string {
    const { host, port } = parseBindAddress(address, this.#context.settings.ipv6)
    return formatEndpoint(host, port)
  }
}
