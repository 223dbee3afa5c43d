import type { MultiaddrConnection } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'
import { type Place, placeToFree } from '../base/place-to-free.js'
import { sourceOf } from '../addresses/reach.js'
import type { PeerDirectory } from '../addresses/peer-directory.js'
import { hostOf } from '../addresses/peer-list.js'
import { type SystemTimer, unref } from '../base/clock.js'

/** The most pending connections from all known addresses together, and from all other addresses together. */
const maxPending = 256

/** The most bytes that are read of a connection until it is open. A handshake has less than 1 KiB. */
const maxReceived = 16 << 10

/** The method exists on connections, though not in libp2p's types. */
interface ReadConnection extends MultiaddrConnection {
  onData?(data: { readonly byteLength: number }): void
}

/** A connection without a proven peer id yet. */
interface Pending extends Place {
  readonly connection: MultiaddrConnection
  readonly isKnown: boolean
  readonly timer: SystemTimer
}

/**
 * Connections that are not open yet. Each has a timeout to prove its peer id. When there are too many, the oldest of
 * the source with most is closed: a handshake takes a few milliseconds, so the oldest is idle. Known addresses have a
 * separate bound.
 */
export class PendingConnections {
  readonly #directory: Pick<PeerDirectory, 'isKnownHost'>
  readonly #unknownPeerTimeout: Milliseconds
  readonly #knownTimeout: Milliseconds
  /** In order of arrival. */
  readonly #pending = new Map<MultiaddrConnection, Pending>()

  constructor(
    directory: Pick<PeerDirectory, 'isKnownHost'>,
    unknownPeerTimeout: Milliseconds,
    knownTimeout: Milliseconds
  ) {
    this.#directory = directory
    this.#unknownPeerTimeout = unknownPeerTimeout
    this.#knownTimeout = knownTimeout
  }

  /** The number of pending connections. */
  get size(): number {
    return this.#pending.size
  }

  /** Adds a connection, and closes one when there are too many. */
  add(connection: MultiaddrConnection): void {
    const holder = sourceOf(connection.remoteAddr)
    const isKnown = this.#directory.isKnownHost(hostOf(connection.remoteAddr) ?? '')
    const limit = isKnown ? this.#knownTimeout : this.#unknownPeerTimeout
    const timer = setTimeout(() => this.#end(connection, 'it did not authenticate in time'), limit)
    unref(timer)
    this.#pending.set(connection, { connection, holder, isIdle: true, isKnown, timer })
    connection.addEventListener('close', () => this.remove(connection))
    this.#boundBytes(connection)
    const group = [...this.#pending.values()].filter((pending) => pending.isKnown === isKnown)
    const excess = group.length > maxPending ? placeToFree(group) : undefined
    if (excess !== undefined) this.#end(excess.connection, 'too many connections are being opened')
  }

  /**
   * To be called when a connection has proven its peer id. It still counts, as it can stay without a multiplexer up to
   * libp2p's timeout.
   */
  authenticated(connection: MultiaddrConnection): void {
    clearTimeout(this.#pending.get(connection)?.timer)
  }

  /** Removes a connection that is open or closed. */
  remove(connection: MultiaddrConnection): void {
    this.authenticated(connection)
    if (this.#pending.delete(connection)) delete (connection as ReadConnection).onData
  }

  /** Ends a connection that receives too much: libp2p would read names of protocols without end. */
  #boundBytes(connection: ReadConnection): void {
    const { onData } = connection
    let received = connection.readBufferLength
    connection.onData = (data) => {
      received += data.byteLength
      if (received > maxReceived) this.#end(connection, 'it sends too much before it has proven its id')
      else onData?.call(connection, data)
    }
  }

  #end(connection: MultiaddrConnection, reason: string): void {
    this.remove(connection)
    connection.abort(new Error(reason))
  }
}
