// The types of constructor options and of what sends and receives: those of npm `zeromq`, for TypeScript users.

import type { Message } from '../engine/message.ts'
import type { MessageLike } from './message.ts'
import type { CommonOptions, Socket } from './socket.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** The names of the properties of T that are neither methods nor read-only. */
type WritableKeys<T> = {
  [K in keyof T]-?: T[K] extends (...parameters: never[]) => unknown
    ? never
    : Same<{ [Q in K]: T[Q] }, { -readonly [Q in K]: T[Q] }> extends true
      ? K
      : never
}[keyof T]

/** What the constructor of socket class S takes: all its options, a context, and how concurrent calls are served. */
export type SocketOptions<S extends Socket> = Partial<Pick<S, WritableKeys<S>>> & CommonOptions

/** A socket that sends. */
export interface Writable<M = MessageLike | readonly MessageLike[]> {
  /** Messages kept for one peer before sends wait or are dropped; 0: no limit. Default 1,000. */
  sendHighWaterMark: number
  /** Milliseconds a send may wait; -1: for ever (default), 0: not at all. */
  sendTimeout: number
  /**
   * Sends one message; resolves when it was taken, which says nothing of its arrival.
   *
   * @throws ZeroMQError EBADF (closed), EBUSY (an earlier send is pending); as rejection EAGAIN (timeout, or closed
   *   meanwhile), EFSM (not allowed in this state), EHOSTUNREACH (no such peer, with `mandatory`)
   */
  send(message: M): Promise<void>
}

/** A socket that receives. */
export interface Readable<M = Message> {
  /** Messages kept of one peer before it is made to wait; 0: no limit. Default 1,000. */
  receiveHighWaterMark: number
  /** Milliseconds a receive may wait; -1: for ever (default), 0: not at all. */
  receiveTimeout: number
  /**
   * The next message.
   *
   * @throws ZeroMQError EBADF (closed), EBUSY (an earlier receive is pending); as rejection EAGAIN (timeout, or closed
   *   meanwhile), EFSM (not allowed in this state)
   */
  receive(): Promise<M>
  /** Messages until the socket is closed. */
  [Symbol.asyncIterator](): AsyncIterator<M, undefined>
}
