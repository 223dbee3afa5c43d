import type { Connection } from '@libp2p/interface'
import type { Milliseconds, PeerName } from '@murmuration/core'
import { isPage } from '#platform/addresses/dialled.js'
import { multiaddr } from '#platform/libraries/base.js'
import { realClock } from '../base/clock.js'
import { connectionsTo, isOpen, type LinkContext } from './context.js'
import { IncomingLink } from './incoming-link.js'
import { Neighbour } from './neighbour.js'
import { OutgoingLink } from './outgoing-link.js'
import { isBetweenPages } from '../addresses/relay-address.js'
import { type Ways, waysTo } from '../addresses/ways.js'
import { within } from '../base/within.js'

/** Another peer: its state, and the links to and from it. */
export class PeerSession {
  readonly neighbour: Neighbour
  readonly outgoing: OutgoingLink
  readonly incoming: IncomingLink
  readonly #context: LinkContext

  /** @param isPermanent - whether the links are kept up; otherwise each exists only while something is sent */
  constructor(context: LinkContext, name: PeerName, isPermanent: boolean) {
    const { emit, changed, limits, listening } = context
    const onActivity = () => listening.heard(name)
    this.#context = context
    this.neighbour = new Neighbour(name, realClock, emit, changed, limits, isPermanent, onActivity)
    this.outgoing = new OutgoingLink(context, this.neighbour)
    this.incoming = new IncomingLink(context, this.neighbour, this.outgoing)
  }

  get name(): PeerName {
    return this.neighbour.name
  }

  get #ways(): Ways {
    const { directory } = this.#context
    return waysTo(directory.addressesOf(directory.entry(this.name)?.id ?? ''))
  }

  /** The connections to it. */
  get connections(): readonly Connection[] {
    const entry = this.#context.directory.entry(this.name)
    return entry === undefined ? [] : connectionsTo(this.#context.node, entry.id)
  }

  /** Vectors that it has not acknowledged and may still acknowledge. */
  get unacknowledged(): number {
    const { state, isPermanent, isUnavailable } = this.neighbour
    return state === 'ready' || (!isPermanent && !isUnavailable) ? this.outgoing.queued : 0
  }

  /**
   * Keeps the links up until the peer closes. Of two peers that can dial each other, the one with the larger id waits
   * at first.
   */
  async run(): Promise<void> {
    const { directory, self } = this.#context
    const ownEntry = directory.entry(self)
    const entry = directory.entry(this.name)
    if (entry === undefined) return
    const mayBeCalled =
      ownEntry !== undefined && (ownEntry.addresses.length > 0 || (isPage && this.#ways.direct.length === 0))
    const waits = mayBeCalled && entry.id < ownEntry.id
    await this.outgoing.run(waits)
  }

  /** The round trip of a ping with `padding` bytes of padding; `undefined` without an answer until `until`. */
  roundTrip(padding: number, until: Milliseconds): Promise<Milliseconds | undefined> {
    return this.neighbour.waitForPong(this.outgoing.ping('.'.repeat(padding)), until)
  }

  /** Whether it is connected through a relay. */
  get isRelayed(): boolean {
    return this.connections.some((connection) => isOpen(connection) && !connection.direct)
  }

  /**
   * Replaces a relayed connection by a direct one, on which the link continues. Rejects when the peer cannot be dialled
   * directly.
   */
  async seekDirect(): Promise<void> {
    const { node, limits, closing, greet } = this.#context
    const relayed = this.connections.filter(({ direct }) => !direct)
    if (relayed.length === this.connections.length) {
      const { direct, signalled } = this.#ways
      const addresses = [...direct, ...signalled].map((address) => multiaddr(address))
      if (addresses.length === 0) return
      const dial = (signal: AbortSignal) => node.dial(addresses, { signal, force: true })
      const connection = await within(limits.dialTimeout, closing, dial)
      await greet?.(connection)
    }
    for (const connection of relayed) connection.abort(new Error('replaced by a direct connection'))
  }

  /**
   * To be called when a connection was opened. Of two pages, both close the relayed one by which they have found each
   * other, so that no link begins on it: vectors may not be allowed there.
   */
  opened(connection: Connection): void {
    if (isBetweenPages(connection))
      for (const other of this.connections) if (!other.direct) other.abort(new Error('replaced by a direct connection'))
    this.outgoing.retryNow()
  }

  /** Cuts all connections, which by default seem dead; the links build new ones. */
  cut(reason = 'silent for too long'): void {
    for (const connection of this.connections) connection.abort(new Error(reason))
  }

  /** Counts a flood that is not on a stream of its links, and cuts all connections. */
  flooded(detail: string): void {
    this.incoming.flooded(detail)
    this.cut(detail)
  }

  /** Ends both links. */
  stop(): void {
    this.outgoing.stop()
    this.incoming.stop('this peer closes')
  }
}
