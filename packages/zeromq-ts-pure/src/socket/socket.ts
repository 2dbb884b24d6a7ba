// What all socket types share: options, the application's sends and receives, closing. What a type does with its
// messages is its pattern's business, what it is bound and connected to is in endpoints.ts, and what happens on the
// wire is the engine's.

import { KeepAlive } from '../engine/keep-alive.ts'
import type { PipeHost } from '../engine/link.ts'
import type { Message } from '../engine/message.ts'
import { Monitor } from '../engine/monitor.ts'
import type { Pipe } from '../engine/pipe.ts'
import { type ErrorCode, ZeroMQError } from '../error.ts'
import type { Pattern, SendOutcome } from '../pattern/pattern.ts'
import type { SocketTypeName } from '../zmtp/socket-type.ts'
import { type Context, context as defaultContext } from './context.ts'
import { Endpoints } from './endpoints.ts'
import { type MessageLike, toMessage } from './message.ts'
import { Observer } from './observer.ts'
import { defaultSettings, defineOptions, type OptionHolder } from './options.ts'
import type { OptionName, SocketSettings } from './settings.ts'
import { Turn } from './turn.ts'
import { Waiting } from './waiting.ts'

/** Options that every constructor takes besides those of the socket itself. */
export interface CommonOptions {
  context?: Context
  /**
   * Serves a send (or receive) that is called while an earlier one is pending after it, in order. Without it such a
   * call throws EBUSY, as in npm `zeromq`. Default: false.
   */
  queueOperations?: boolean
}

/** Sends or receives that may wait in line with `queueOperations`. */
const QUEUED_OPERATIONS_LIMIT = 100_000

/** Types for which a second connect to the same address means nothing, as in libzmq. */
const CONNECTED_ONCE: ReadonlySet<SocketTypeName> = new Set(['DEALER', 'SUB', 'PUB', 'REQ'])

/** The numbers of libzmq for `type`. */
const TYPE_NUMBERS: Readonly<Record<SocketTypeName, number>> = {
  PAIR: 0,
  PUB: 1,
  SUB: 2,
  REQ: 3,
  REP: 4,
  DEALER: 5,
  ROUTER: 6,
  PULL: 7,
  PUSH: 8,
  XPUB: 9,
  XSUB: 10,
}

/** How a pattern is made: it sees the options live. */
export type PatternFactory<P extends Pattern> = (settings: SocketSettings) => P

/** Reaches the options of a socket; for the accessors that `defineOptions` makes. */
export let optionsOf: (socket: Socket) => OptionHolder

export abstract class Socket<P extends Pattern = Pattern> {
  declare linger: number
  declare reconnectInterval: number
  declare reconnectMaxInterval: number
  declare backlog: number
  declare maxMessageSize: number
  declare immediate: boolean
  declare ipv6: boolean
  declare handshakeInterval: number
  declare connectTimeout: number
  declare heartbeatInterval: number
  declare heartbeatTimeToLive: number
  declare heartbeatTimeout: number
  declare tcpKeepalive: number
  declare tcpKeepaliveIdle: number

  readonly #type: SocketTypeName
  readonly #context: Context
  readonly #queueOperations: boolean
  readonly #settings: ReturnType<typeof defaultSettings>
  readonly #pattern: P
  readonly #monitor = new Monitor()
  readonly #keepAlive = new KeepAlive()
  readonly #turn = new Turn()
  readonly #sends: Waiting<void>
  readonly #receives: Waiting<Message>
  readonly #events: Observer
  readonly #pipes = new Set<Pipe>()
  readonly #endpoints: Endpoints
  /** Why the last send that was tried could not be done. */
  #sendFailure: ErrorCode = 'EAGAIN'
  /** Binds and unbinds under way; a close waits for them. */
  #binding = 0
  #closed = false

  protected constructor(
    type: SocketTypeName,
    options: CommonOptions,
    createPattern: PatternFactory<P>,
    defaults: Partial<SocketSettings> = {},
  ) {
    if (typeof options !== 'object' || options === null) throw new TypeError('Options must be an object')
    const { context = defaultContext, queueOperations = false, ...own } = options
    this.#type = type
    this.#context = context
    this.#queueOperations = queueOperations
    this.#settings = defaultSettings({ ipv6: context.ipv6, ...defaults })
    this.#pattern = createPattern(this.#settings)
    this.#sends = new Waiting(this.#keepAlive, () => this.#sendFailure)
    this.#receives = new Waiting(this.#keepAlive, () => (this.#pattern.receiveForbidden ? 'EFSM' : 'EAGAIN'))
    this.#events = new Observer(this.#monitor, this.#keepAlive)
    this.#endpoints = new Endpoints({
      socketType: type,
      settings: this.#settings,
      monitor: this.#monitor,
      host: this.#pipeHost(),
      hold: this.#keepAlive,
    })
    Object.seal(this)
    Object.assign(this, own)
    context.socketOpened()
  }

  /** What happens to this socket's connections. */
  get events(): Observer {
    return this.#events
  }

  get context(): Context {
    return this.#context
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Whether a `receive` would succeed at once. */
  get readable(): boolean {
    return !this.#closed && this.#pattern.canReceive
  }

  /** Whether a `send` would succeed at once. */
  get writable(): boolean {
    return !this.#closed && this.#pattern.canSend
  }

  /** The type's number in libzmq. */
  get type(): number {
    return TYPE_NUMBERS[this.#type]
  }

  /** The address of the last bind or connect; after binding to port `*` it names the port that was taken. */
  get lastEndpoint(): string | null {
    return this.#endpoints.last
  }

  /** The mechanism that secures connections; null: none. */
  get securityMechanism(): null {
    return null
  }

  get threadSafe(): boolean {
    return false
  }

  /**
   * Binds to an address and accepts connections there.
   *
   * @param address `tcp://<interface or IP or *>:<port or *>`
   * @throws ZeroMQError (as rejection) EINVAL, EPROTONOSUPPORT, EADDRINUSE, EADDRNOTAVAIL, EACCES, ENODEV
   */
  bind(address: string): Promise<void> {
    this.#mustBeUsable()
    mustBeAddress(address)
    return this.#exclusively(() => this.#endpoints.bind(address))
  }

  /**
   * Stops accepting at an address and ends the connections that were accepted there. Resolves when the address is free;
   * unsent messages are delivered in the background, as `linger` says.
   *
   * @param address as given to `bind`, or as `lastEndpoint` gave it
   * @throws ZeroMQError (as rejection) ENOENT when nothing is bound there
   */
  unbind(address: string): Promise<void> {
    this.#mustBeUsable()
    mustBeAddress(address)
    return this.#exclusively(() => this.#endpoints.unbind(address))
  }

  /**
   * Connects to an address, and again whenever the connection is lost. Returns at once; messages can be sent at once.
   *
   * @param address `tcp://<host>:<port>`
   * @throws ZeroMQError EINVAL, EPROTONOSUPPORT
   */
  connect(address: string): void {
    this.#mustBeUsable()
    mustBeAddress(address)
    this.#endpoints.connect(address, CONNECTED_ONCE.has(this.#type))
  }

  /**
   * Ends what every `connect` to this address began. Unsent messages are sent first, as `linger` says; nothing new is sent
   * there.
   *
   * @throws ZeroMQError EINVAL, EPROTONOSUPPORT, ENOENT (nothing is connected there)
   */
  disconnect(address: string): void {
    this.#mustBeUsable()
    mustBeAddress(address)
    this.#endpoints.disconnect(address)
  }

  /** Closes the socket; what was sent is delivered in the background as `linger` says. Does nothing the second time. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#context.socketClosed()
    this.#sends.failAll()
    this.#receives.failAll()
    if (this.#binding === 0) this.#shutDown()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** `send` of the types that have one. */
  protected transmit(message: MessageLike | readonly MessageLike[]): Promise<void> {
    const parts = toMessage(message)
    this.#mustBeUsable()
    const timeoutMs = this.#settings.sendTimeout
    if (this.#sends.length > 0) {
      this.#mustQueue('writing', 'send', this.#sends.length)
    } else {
      const outcome = this.#trySend(parts)
      if (outcome === 'sent') return this.#sent()
      if (timeoutMs === 0 || this.#isHopeless(outcome)) return Promise.reject(new ZeroMQError(SEND_FAILURES[outcome]))
    }
    return this.#sends.add(() => {
      const outcome = this.#trySend(parts)
      if (outcome === 'sent') return SENT
      if (this.#isHopeless(outcome)) throw new ZeroMQError(SEND_FAILURES[outcome])
      return undefined
    }, timeoutMs)
  }

  /** `receive` of the types that have one. */
  protected take(): Promise<Message> {
    this.#mustBeUsable()
    if (this.#receives.length > 0) {
      this.#mustQueue('reading', 'receive', this.#receives.length)
    } else {
      const message = this.#pattern.receive()
      if (message !== undefined) return this.#received(message)
    }
    const timeoutMs = this.#settings.receiveTimeout
    if (timeoutMs === 0) {
      return Promise.reject(new ZeroMQError(this.#pattern.receiveForbidden ? 'EFSM' : 'EAGAIN'))
    }
    return this.#receives.add(() => {
      const message = this.#pattern.receive()
      return message === undefined ? undefined : { result: message }
    }, timeoutMs)
  }

  /** The async iterator of the types that receive: ends when the socket is closed. */
  protected iterate(): AsyncIterator<Message, undefined> {
    return {
      next: () => {
        if (this.#closed) return Promise.resolve(END)
        return this.take().then(
          (value) => ({ value, done: false as const }),
          (error: unknown) => {
            if (this.#closed && error instanceof ZeroMQError && error.code === 'EAGAIN') return END
            throw error
          },
        )
      },
    }
  }

  protected get pattern(): P {
    return this.#pattern
  }

  static {
    optionsOf = (socket) => ({
      openSettings: () => {
        if (socket.#closed) throw new ZeroMQError('ENOTSOCK')
        return socket.#settings
      },
      inUse: socket.#endpoints.inUse,
    })
  }

  /** A message without parts is none; it is taken for sent, as by npm `zeromq`. */
  #trySend(parts: Message): SendOutcome {
    if (parts.length === 0) return 'sent'
    const outcome = this.#pattern.send(parts)
    if (outcome !== 'sent') this.#sendFailure = SEND_FAILURES[outcome]
    return outcome
  }

  /** A message for a peer that is not there waits only as long as nobody is there. */
  #isHopeless(outcome: SendOutcome): boolean {
    return outcome === 'unreachable' && this.#pattern.canSend
  }

  /** A send can make a receive possible (REP)... */
  #sent(): Promise<void> {
    if (this.#receives.length > 0) this.#receives.retry()
    return this.#turn.done()
  }

  /** ...and the other way round. */
  #received(message: Message): Promise<Message> {
    if (this.#sends.length > 0) this.#sends.retry()
    return this.#turn.given(message)
  }

  #pipeHost(): PipeHost {
    const pattern = this.#pattern
    return {
      attached: (pipe) => {
        this.#pipes.add(pipe)
        pattern.attached?.(pipe)
        this.#sends.retry()
      },
      connected: (pipe) => {
        pattern.connected?.(pipe)
        this.#sends.retry()
      },
      disconnected: (pipe) => pattern.disconnected?.(pipe),
      ended: (pipe) => {
        this.#pipes.delete(pipe)
        pattern.detached(pipe)
        // A ROUTER may read now the peer that waited for this one's routing id, and a send that waited for this one
        // to have room waits for nobody.
        this.#receives.retry()
        this.#sends.retry()
      },
      readable: (pipe) => {
        pattern.readable(pipe)
        this.#receives.retry()
        if (this.#sends.length > 0) this.#sends.retry()
      },
      writable: (pipe) => {
        pattern.writable?.(pipe)
        this.#sends.retry()
      },
    }
  }

  async #exclusively(work: () => Promise<void>): Promise<void> {
    this.#binding++
    this.#keepAlive.acquire()
    try {
      await work()
    } finally {
      this.#binding--
      this.#keepAlive.release()
      if (this.#closed && this.#binding === 0) this.#shutDown()
    }
  }

  #mustBeUsable(): void {
    if (this.#closed) throw new ZeroMQError('EBADF')
    if (this.#binding > 0)
      throw new ZeroMQError('EBUSY', { message: 'Socket is blocked by a bind or unbind operation' })
  }

  #mustQueue(doing: string, operation: string, waiting: number): void {
    if (this.#queueOperations && waiting < QUEUED_OPERATIONS_LIMIT) return
    const message = this.#queueOperations
      ? `${waiting} ${operation} operations are waiting already; await some of them before the next`
      : `Socket is busy ${doing}; only one ${operation} operation may be in progress at any time`
    throw new ZeroMQError('EBUSY', { message })
  }

  async #shutDown(): Promise<void> {
    for (const pipe of this.#pipes) pipe.close()
    await this.#endpoints.stopAll()
    this.#monitor.emit({ type: 'end' })
    this.#events.close()
    this.#keepAlive.stop()
  }
}

const SENT = { result: undefined }

/** What a send fails with that can wait no longer, by why it had to wait. */
const SEND_FAILURES: Readonly<Record<Exclude<SendOutcome, 'sent'>, ErrorCode>> = {
  full: 'EAGAIN',
  'wrong-state': 'EFSM',
  unreachable: 'EHOSTUNREACH',
}
const END: IteratorReturnResult<undefined> = { value: undefined, done: true }

const COMMON_OPTIONS = [
  'linger',
  'reconnectInterval',
  'reconnectMaxInterval',
  'backlog',
  'maxMessageSize',
  'immediate',
  'ipv6',
  'handshakeInterval',
  'connectTimeout',
  'heartbeatInterval',
  'heartbeatTimeToLive',
  'heartbeatTimeout',
  'tcpKeepalive',
  'tcpKeepaliveIdle',
] as const satisfies readonly OptionName[]

defineOptions<Socket>(Socket.prototype, COMMON_OPTIONS, optionsOf)

function mustBeAddress(address: unknown): asserts address is string {
  if (typeof address !== 'string') throw new TypeError('Address must be a string')
}
