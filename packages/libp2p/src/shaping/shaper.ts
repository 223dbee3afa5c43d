import type { MultiaddrConnection, Transport } from '@libp2p/interface'
import { InputError, type Links, type Milliseconds, type PeerName, type Random, type Topology } from '@murmuration/core'
import { setMaxListeners } from '#platform/libraries/base.js'
import { machineClock } from '../base/clock.js'
import type { PeerDirectory } from '../addresses/peer-directory.js'
import { AccessLines } from './access-lines.js'
import { slownessOf } from './slowness.js'
import { routeOf } from './route.js'
import { ShapedConnection } from './shaped-connection.js'
import { WrappingTransport } from './wrapping-transport.js'

/** Options of shaping. */
export interface ShaperOptions {
  readonly links: Links
  readonly self: PeerName
  readonly topology: Topology
  /** The size of a frame. */
  readonly frameBytes: number
  /** Gives the name of a peer by its libp2p peer id. */
  readonly directory: Pick<PeerDirectory, 'nameOf'>
  /** For jitter and loss. */
  readonly random: Random
}

/**
 * Gives the connections of one peer the bandwidth and the delays of its links.
 *
 * Every byte on a connection is shaped, including those of handshakes and of yamux; headers of TCP and IP are not
 * counted. A sent byte passes this peer's up line, which its connections share by turns, no faster than the route's
 * cap. Then it is in flight for the latency and jitter of the route, and goes to the system. Received bytes pass this
 * peer's down line. So the sender accounts for the latency, once per direction. The route to a neighbour that this peer
 * dials is known from the start. The route to one that dials this peer is known once noise has proven its id; bytes to
 * it until then pass the lines without latency. Resets, and TCP's own opening and closing, are not delayed.
 */
export class Shaper {
  /** How much longer operations may take than without shaping. */
  readonly slowness: Milliseconds
  readonly #options: ShaperOptions
  readonly #lines: AccessLines
  readonly #connections = new Set<ShapedConnection>()

  /** Throws an InputError for links with shared pipes, and in a page. */
  constructor(options: ShaperOptions) {
    const { links, self, topology, frameBytes } = options
    const problem = shapingProblem(links, topology.peers)
    if (problem !== undefined) throw new InputError(problem)
    this.slowness = slownessOf(links, self, topology, frameBytes)
    this.#options = options
    this.#lines = new AccessLines(links.access(self), machineClock())
  }

  /** Returns a transport with shaped connections. */
  transport<Components>(create: (components: Components) => Transport): (components: Components) => Transport {
    return (components) => new WrappingTransport(create(components), (connection) => this.#shape(connection))
  }

  /** Sets the route of a connection by the peer id that it has proven. */
  meet(connection: MultiaddrConnection, id: string): void {
    const { links, self, directory, random } = this.#options
    const name = directory.nameOf(id)
    if (name === undefined || !(connection instanceof ShapedConnection)) return
    connection.route = routeOf(links, self, name, random)
  }

  /** Resolves when all sent bytes were written, at the latest after `limit`. */
  async flush(limit: Milliseconds): Promise<void> {
    const signal = AbortSignal.timeout(limit)
    // A listener for each connection.
    setMaxListeners(0, signal)
    await Promise.allSettled([...this.#connections].map((connection) => connection.flush(signal)))
  }

  #shape(inner: MultiaddrConnection): MultiaddrConnection {
    const connection = new ShapedConnection(inner, this.#lines)
    this.#connections.add(connection)
    connection.addEventListener('close', () => this.#connections.delete(connection))
    const id = inner.remoteAddr.getComponents().findLast(({ name }) => name === 'p2p')?.value
    if (id !== undefined) this.meet(connection, id)
    return connection
  }
}

/**
 * Why these links cannot be shaped, or `undefined`: every peer shapes only its own bytes, and knows nothing of those of
 * others.
 */
export function shapingProblem(links: Links, peers: readonly PeerName[]): string | undefined {
  for (const from of peers) {
    for (const to of peers) {
      const [pipe] = from === to ? [] : links.path(from, to).pipes
      if (pipe === undefined) continue
      return (
        `the path from ${from} to ${to} has the pipe "${pipe.name}"; real peers cannot share a pipe, ` +
        'because each shapes only its own bytes: remove the pipes, or simulate'
      )
    }
  }
  return undefined
}
