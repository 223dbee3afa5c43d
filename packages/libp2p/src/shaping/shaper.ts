import type { MultiaddrConnection, Transport } from '@libp2p/interface'
import { InputError, type Links, type Milliseconds, type PeerName, type Random, type Topology } from '@murmuration/core'
import { machineClock } from '../clock.js'
import type { PeerDirectory } from '../peer-directory.js'
import { AccessLines } from './access-lines.js'
import { slownessOf } from './slowness.js'
import { routeOf } from './route.js'
import { ShapedConnection } from './shaped-connection.js'
import { WrappingTransport } from './wrapping-transport.js'

/** What shaping needs to know. */
export interface ShaperOptions {
  readonly links: Links
  readonly self: PeerName
  readonly topology: Topology
  /** How large the frames are. */
  readonly frameBytes: number
  /** Which peer has a libp2p peer id. */
  readonly directory: Pick<PeerDirectory, 'nameOf'>
  /** For jitter and loss. */
  readonly random: Random
}

/**
 * Gives the connections of one peer the times that its links would.
 *
 * Every byte that goes through a connection is shaped, those of the handshakes and of yamux included; headers of TCP and IP are
 * not counted. A byte that is sent passes this peer's line up, which its connections share by turns, no faster than the way
 * to the neighbour allows; flies for the latency and jitter of that way; and goes to the system. What the system has received
 * passes this peer's line down. So a latency is paid once each way, by the sender. The way to a neighbour that this peer
 * calls is known from the start. The way to one that calls is known once noise has told who it is: what answers it until
 * then passes the lines, but does not fly. A reset is told at once, and so are TCP's own opening and closing.
 */
export class Shaper {
  /** How much longer things may take than without shaping. */
  readonly slowness: Milliseconds
  readonly #options: ShaperOptions
  readonly #lines: AccessLines
  readonly #connections = new Set<ShapedConnection>()

  /** Throws an InputError for links with shared pipes. */
  constructor(options: ShaperOptions) {
    const { links, self, topology, frameBytes } = options
    const problem = shapingProblem(links, topology.peers)
    if (problem !== undefined) throw new InputError(problem)
    this.slowness = slownessOf(links, self, topology, frameBytes)
    this.#options = options
    this.#lines = new AccessLines(links.access(self), machineClock)
  }

  /** The same transport with shaped connections. */
  transport<Components>(create: (components: Components) => Transport): (components: Components) => Transport {
    return (components) => new WrappingTransport(create(components), (connection) => this.#shape(connection))
  }

  /** Says whose peer id a connection has proven. */
  meet(connection: MultiaddrConnection, id: string): void {
    const { links, self, directory, random } = this.#options
    const name = directory.nameOf(id)
    if (name === undefined || !(connection instanceof ShapedConnection)) return
    connection.route = routeOf(links, self, name, random)
  }

  /** Resolves when all that was sent has left, within `limit`. */
  async flush(limit: Milliseconds): Promise<void> {
    const signal = AbortSignal.timeout(limit)
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

/** Why these links cannot be shaped, if so: every peer shapes what it sends and receives, and knows nothing of the others. */
export function shapingProblem(links: Links, peers: readonly PeerName[]): string | undefined {
  for (const from of peers) {
    for (const to of peers) {
      const [pipe] = from === to ? [] : links.path(from, to).pipes
      if (pipe === undefined) continue
      return (
        `the way from ${from} to ${to} goes through the pipe "${pipe.name}"; real peers cannot be made to share one, ` +
        'as each shapes its own bytes: leave pipes out, or simulate'
      )
    }
  }
  return undefined
}
