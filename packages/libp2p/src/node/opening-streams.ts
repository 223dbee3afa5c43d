import type { Connection, Stream } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'
import { Budgets } from '../base/budgets.js'
import { type Place, placeToFree } from '../base/place-to-free.js'
import { endFlood, type Holders, holderOf, isListed, muxerOf } from './holders.js'
import { Negotiation } from './negotiation.js'

/**
 * The most streams without a protocol that one holder may have, over all its connections: a relay may bring 64 at once.
 * Such a stream takes about 20 KB.
 */
const maxOpening = 128

/** The same for all holders together: beyond it the oldest of the holder with most is reset, which is no fault. */
const maxOpeningOfAll = 512

/** The most bytes of a listed peer, and of any other holder, that are held back, see {@link Negotiation}. */
const maxHeldOfPeer = 8 << 20
const maxHeldOfOthers = 256 << 10

/**
 * How many streams a holder may open at once, and the time after which it may open one more: each takes memory for 10
 * s, even if it is reset.
 */
const maxStreams = 512
const streamEvery: Milliseconds = 10

/** A stream that the other end has opened and that has no protocol yet. */
interface Opening extends Place {
  readonly connection: Connection
  readonly stream: Stream
  readonly negotiation: Negotiation
}

/**
 * Bounds the streams that others open until their protocol is agreed on: libp2p's own limits count only streams of a
 * known protocol. A peer that exceeds a bound is reported, and its connection ends.
 */
export class OpeningStreams {
  readonly #holders: Holders
  readonly #budgets = new Budgets(maxStreams, streamEvery)
  /** In order of arrival; some may have got their protocol. */
  readonly #opening = new Map<Stream, Opening>()

  constructor(holders: Holders) {
    this.#holders = holders
  }

  /** To be called for each open connection. */
  watch(connection: Connection): void {
    muxerOf(connection)?.addEventListener('stream', ({ detail }) => this.#opened(detail, connection))
  }

  #opened(stream: Stream, connection: Connection): void {
    const holder = holderOf(this.#holders, connection)
    const maxHeld = isListed(this.#holders, connection) ? maxHeldOfPeer : maxHeldOfOthers
    const onExcess = () => this.#flood(connection, 'it sends too many bytes on a stream without a protocol')
    const onHeld = () => {
      const held = this.#ofHolder(holder).reduce((sum, { negotiation }) => sum + negotiation.held, 0)
      if (held > maxHeld) onExcess()
    }
    const negotiation = new Negotiation(stream, onExcess, onHeld)
    if (stream.status !== 'open') return
    this.#opening.set(stream, { holder, isIdle: true, connection, stream, negotiation })
    stream.addEventListener('close', () => this.#opening.delete(stream))
    if (!this.#budgets.spend(holder)) this.#flood(connection, 'it opens too many streams')
    else if (this.#ofHolder(holder).length > maxOpening) this.#endFullest(holder)
    else if (this.#opening.size > maxOpeningOfAll)
      placeToFree(this.#list())?.stream.abort(new Error('too many streams'))
  }

  /** The streams that still have no protocol. */
  #list(): readonly Opening[] {
    for (const stream of this.#opening.keys()) if (stream.protocol !== '') this.#opening.delete(stream)
    return [...this.#opening.values()]
  }

  #ofHolder(holder: string): readonly Opening[] {
    return this.#list().filter((opening) => opening.holder === holder)
  }

  /** Ends the connection with most of a holder's streams: behind one address there may be several peers. */
  #endFullest(holder: string): void {
    const places = this.#ofHolder(holder).map(({ connection }) => ({ connection, holder: connection.id, isIdle: true }))
    const most = placeToFree(places)
    if (most !== undefined) this.#flood(most.connection, 'it opens too many streams without a protocol')
  }

  #flood(connection: Connection, detail: string): void {
    endFlood(this.#holders, connection, detail)
  }
}
