import type { MultiaddrConnection } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'
import type { PeerDirectory } from './peer-directory.js'
import { hostOf } from './peer-list.js'

/** How many may wait: from one address, from all addresses of the peer list together, and from all others together. */
const maxPerHost = 64
const maxKnown = 256
const maxUnknown = 64

/** Somebody who has connected and not proved who it is. */
interface Caller {
  readonly host: string
  readonly isKnown: boolean
  readonly timer: NodeJS.Timeout
}

/**
 * Those who have connected and not proved who they are. Each may take a short while only, and when there are too many the one that has
 * waited longest is sent away: a handshake takes a few milliseconds, so it is idle. Addresses of the peer list have room of their own.
 */
export class Doorstep {
  readonly #directory: Pick<PeerDirectory, 'isKnownHost'>
  readonly #strangerTimeout: Milliseconds
  readonly #knownTimeout: Milliseconds
  /** In the order in which they came. */
  readonly #callers = new Map<MultiaddrConnection, Caller>()

  constructor(
    directory: Pick<PeerDirectory, 'isKnownHost'>,
    strangerTimeout: Milliseconds,
    knownTimeout: Milliseconds
  ) {
    this.#directory = directory
    this.#strangerTimeout = strangerTimeout
    this.#knownTimeout = knownTimeout
  }

  /** How many wait. */
  get size(): number {
    return this.#callers.size
  }

  /** Takes in a connection, and sends away whoever has to make room for it. */
  arrive(connection: MultiaddrConnection): void {
    const host = hostOf(connection.remoteAddr) ?? ''
    const isKnown = this.#directory.isKnownHost(host)
    this.#makeRoom((caller) => caller.host === host, maxPerHost)
    this.#makeRoom((caller) => caller.isKnown === isKnown, isKnown ? maxKnown : maxUnknown)
    const limit = isKnown ? this.#knownTimeout : this.#strangerTimeout
    const timer = setTimeout(() => this.#sendAway(connection), limit)
    timer.unref()
    this.#callers.set(connection, { host, isKnown, timer })
    connection.addEventListener('close', () => this.leave(connection))
  }

  /** Notes that it has proved who it is, or has gone. */
  leave(connection: MultiaddrConnection): void {
    clearTimeout(this.#callers.get(connection)?.timer)
    this.#callers.delete(connection)
  }

  /** Sends the oldest of a group away when it has `max`. */
  #makeRoom(isOfGroup: (caller: Caller) => boolean, max: number): void {
    const group = [...this.#callers].filter(([, caller]) => isOfGroup(caller))
    if (group.length >= max) this.#sendAway(group[0][0])
  }

  #sendAway(connection: MultiaddrConnection): void {
    this.leave(connection)
    connection.abort(new Error('it did not prove who it is in time'))
  }
}
