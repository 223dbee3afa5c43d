import type { Connection } from '@libp2p/interface'
import { type Place, placeToFree } from '../base/place-to-free.js'
import { sourceOf } from '../addresses/reach.js'

/** The most open connections that others have dialled. */
const maxOpen = 300

/** The most of them from one peer id. A peer needs one or two; those that are lost and not yet noticed count too. */
const maxPerPeer = 8

/** An open connection. */
interface OpenConnection extends Place {
  readonly connection: Connection
}

/**
 * The open connections that others have dialled. When there are too many, one of the source with most is closed, see
 * {@link placeToFree}: libp2p would refuse the newest, so that one address could keep all others out. Of a peer with
 * too many the oldest is closed, which a peer that reconnects no longer uses.
 */
export class OpenConnections {
  readonly #isInUse: (connection: Connection) => boolean
  /** With the sources, in order of arrival. */
  readonly #open = new Map<Connection, string>()

  /** @param isInUse - whether a connection without streams is in use */
  constructor(isInUse: (connection: Connection) => boolean) {
    this.#isInUse = isInUse
  }

  /** To be called for each open connection. */
  add(connection: Connection): void {
    if (connection.direction !== 'inbound') return
    this.#open.set(connection, sourceOf(connection.remoteAddr))
    connection.addEventListener('close', () => this.#open.delete(connection))
    const ofPeer = [...this.#open.keys()].filter(({ remotePeer }) => remotePeer.equals(connection.remotePeer))
    if (ofPeer.length > maxPerPeer) end(ofPeer[0], 'its peer has too many connections')
    if (this.#open.size <= maxOpen) return
    const excess = placeToFree(this.#places())
    if (excess !== undefined) end(excess.connection, 'there are too many connections')
  }

  #places(): readonly OpenConnection[] {
    return [...this.#open].map(([connection, holder]) => ({
      connection,
      holder,
      isIdle: !this.#isInUse(connection) && connection.streams.every(({ protocol }) => protocol === '')
    }))
  }
}

function end(connection: Connection, reason: string): void {
  connection.abort(new Error(reason))
}
