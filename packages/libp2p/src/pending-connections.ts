import type { MultiaddrConnection } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'
import type { PeerDirectory } from './peer-directory.js'
import { hostOf } from './peer-list.js'

/** The most pending connections from one address, from all known addresses together, and from all other addresses together. */
const maxPerHost = 64
const maxKnown = 256
const maxUnknown = 64

/** A connection without a proven peer id yet. */
interface Pending {
  readonly host: string
  readonly isKnown: boolean
  readonly timer: NodeJS.Timeout
}

/**
 * Connections without a proven peer id yet. Each has a timeout. When there are too many, the oldest is closed: a handshake takes a few
 * milliseconds, so the oldest is idle. Known addresses have a separate bound.
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

  /** Adds a connection, and closes the oldest one when there are too many. */
  add(connection: MultiaddrConnection): void {
    const host = hostOf(connection.remoteAddr) ?? ''
    const isKnown = this.#directory.isKnownHost(host)
    this.#makeRoom((pending) => pending.host === host, maxPerHost)
    this.#makeRoom((pending) => pending.isKnown === isKnown, isKnown ? maxKnown : maxUnknown)
    const limit = isKnown ? this.#knownTimeout : this.#unknownPeerTimeout
    const timer = setTimeout(() => this.#timeOut(connection), limit)
    timer.unref()
    this.#pending.set(connection, { host, isKnown, timer })
    connection.addEventListener('close', () => this.remove(connection))
  }

  /** Removes a connection that is authenticated or closed. */
  remove(connection: MultiaddrConnection): void {
    clearTimeout(this.#pending.get(connection)?.timer)
    this.#pending.delete(connection)
  }

  /** Closes the oldest of a group that has `max`. */
  #makeRoom(isOfGroup: (pending: Pending) => boolean, max: number): void {
    const group = [...this.#pending].filter(([, pending]) => isOfGroup(pending))
    if (group.length >= max) this.#timeOut(group[0][0])
  }

  #timeOut(connection: MultiaddrConnection): void {
    this.remove(connection)
    connection.abort(new Error('it did not authenticate in time'))
  }
}
