import type { CircuitRelayService } from '@libp2p/circuit-relay-v2'
import type { Connection, ConnectionGater, Libp2p, PeerId, Stream } from '@libp2p/interface'
import { InputError, type Milliseconds } from '@murmuration/core'
import { RELAY_V2_HOP_CODEC, RELAY_V2_STOP_CODEC, circuitRelayServer } from '#platform/libraries/network.js'
import { Budgets } from '../base/budgets.js'
import { type Place, placeToFree } from '../base/place-to-free.js'
import { sourceOf } from '../addresses/reach.js'
import { carriesOthers, relayIn } from '../addresses/relay-address.js'
import { type RelayLimits, relayLimits } from './relay-options.js'

/** The lifetime of a reservation. libp2p renews it 5 minutes before it expires. */
const reservationFor: Milliseconds = 60 * 60_000

/** The most connections through the relay that one peer may dial, and receive, at a time. */
const maxPerPeer = 32

/**
 * How many connections through the relay one source may dial at once, and the time after which it may dial one more. A
 * peer that others reach here counts their calls against the relay.
 */
const maxDials = 256
const dialEvery: Milliseconds = 50

/** The relay service of a node, within limits. */
export class RelayRole {
  readonly #limits: RelayLimits
  readonly #serves: (peer: string) => boolean
  readonly #dials = new Budgets(maxDials, dialEvery)
  /** The streams of dials that were allowed. Others, which a dialler may keep open, carry nothing. */
  readonly #carrying = new WeakSet<Stream>()
  #node: Libp2p | undefined

  /**
   * @param limits - those that differ from {@link relayLimits}. Throws an InputError for a limit that is not a number
   *   above 0
   * @param serves - whether a peer, by its id, may dial and be dialled through this relay
   */
  constructor(limits: Partial<RelayLimits>, serves: (peer: string) => boolean = () => true) {
    this.#limits = { ...relayLimits, ...limits }
    for (const [name, value] of Object.entries(this.#limits)) {
      if (!(value > 0)) throw new InputError(`the limit ${name} of a relay is ${value}; expected a number above 0`)
    }
    this.#serves = serves
  }

  /** The service, for libp2p's options. */
  service(timeout: Milliseconds): ReturnType<typeof circuitRelayServer> {
    const { reservations, duration, bytes } = this.#limits
    return circuitRelayServer({
      hopTimeout: timeout,
      maxInboundHopStreams: maxPerPeer,
      maxOutboundStopStreams: maxPerPeer,
      reservations: {
        maxReservations: reservations,
        reservationTtl: reservationFor,
        defaultDurationLimit: duration,
        defaultDataLimit: BigInt(bytes)
      }
    })
  }

  /** For libp2p's options: the peers that this relay refuses. */
  readonly gater: Pick<ConnectionGater, 'denyInboundRelayReservation' | 'denyOutboundRelayedConnection'> = {
    denyInboundRelayReservation: (peer) => !this.#serves(peer.toString()) || !this.#mayReserve(peer),
    // libp2p asks last: a dial to a peer without a reservation does not come here.
    denyOutboundRelayedConnection: (from, to) => {
      const isAllowed = this.#serves(from.toString()) && this.#serves(to.toString()) && this.#mayDial(from)
      if (isAllowed) this.#carry(from)
      return !isAllowed
    }
  }

  /** To be called with the node of this service. */
  begin(node: Libp2p): void {
    this.#node = node
    // libp2p keeps the reservation of a disconnected peer until it expires, and so runs out of reservations.
    node.addEventListener('peer:disconnect', ({ detail }) => {
      this.#reservations?.get(detail)?.signal.clear()
      this.#reservations?.delete(detail)
    })
  }

  /** The number of reservations. */
  get reserved(): number {
    return this.#reservations?.size ?? 0
  }

  /** Whether the peer of a connection has a reservation, or the connection carries relayed ones. */
  isUsed(connection: Connection): boolean {
    return this.#reservations?.has(connection.remotePeer) === true || carriesOthers(connection)
  }

  get #reservations(): CircuitRelayService['reservations'] | undefined {
    return (this.#node?.services as { readonly relay?: CircuitRelayService } | undefined)?.relay?.reservations
  }

  /** Whether as many connections go through this relay as may. */
  get #isFull(): boolean {
    const streams = this.#node?.getConnections().flatMap((connection) => connection.streams) ?? []
    return streams.filter(({ protocol }) => protocol === RELAY_V2_STOP_CODEC).length >= this.#limits.connections
  }

  /**
   * Whether a peer may dial through this relay now. When it is full, the oldest connection of a source that dials more
   * makes room.
   */
  #mayDial(peer: PeerId): boolean {
    const [connection] = this.#direct(peer)
    if (connection === undefined) return false
    const source = sourceOf(connection.remoteAddr)
    if (!this.#dials.spend(source)) return false
    if (!this.#isFull) return true
    const dialled = this.#dialled
    const latest = dialled.findLast(({ holder }) => holder === source)
    const excess = placeToFree(dialled.map((each) => ({ ...each, isIdle: each === latest })))
    if (excess === undefined || excess.holder === source) return false
    excess.stream.abort(new Error('the relay is full'))
    return true
  }

  /** Of the streams by which a peer has asked, the newest one is that of the dial that was just allowed. */
  #carry(peer: PeerId): void {
    const asking = this.#direct(peer)
      .flatMap(({ streams }) => streams)
      .filter((stream) => stream.protocol === RELAY_V2_HOP_CODEC && !this.#carrying.has(stream))
    const newest = asking.sort(inOrder).at(-1)
    if (newest !== undefined) this.#carrying.add(newest)
  }

  /** The streams of allowed dials through this relay, in order of arrival. */
  get #dialled(): readonly (Omit<Place, 'isIdle'> & { readonly stream: Stream })[] {
    const connections = this.#node?.getConnections() ?? []
    const all = connections.flatMap(({ streams, remoteAddr }) =>
      streams.map((stream) => ({ stream, holder: sourceOf(remoteAddr) }))
    )
    const dialled = all.filter(({ stream }) => this.#carrying.has(stream))
    return dialled.sort((left, right) => inOrder(left.stream, right.stream))
  }

  /** The connections to a peer that are not relayed. */
  #direct(peer: PeerId): readonly Connection[] {
    return this.#node?.getConnections(peer).filter(({ remoteAddr }) => !relayIn(remoteAddr)) ?? []
  }

  /**
   * Whether a peer may have a reservation now. When all are taken, the oldest of a source with more makes room; else
   * libp2p refuses this one.
   */
  #mayReserve(peer: PeerId): boolean {
    const [connection] = this.#direct(peer)
    if (connection === undefined) return false
    const source = sourceOf(connection.remoteAddr)
    const others = [...(this.#reservations ?? [])]
      .filter(([other]) => !other.equals(peer))
      .map(([other, { addr }]) => ({ peer: other, holder: sourceOf(addr), isIdle: false }))
    if (others.filter(({ holder }) => holder === source).length >= this.#limits.perSource) return false
    if (others.length < this.#limits.reservations) return true
    const excess = placeToFree([...others, { peer, holder: source, isIdle: true }])
    // It asks again, and learns that the relay is full.
    if (excess !== undefined && excess.peer !== peer) this.#disconnect(excess.peer)
    return true
  }

  /** Ends the connections to a peer, and with them its reservation. */
  #disconnect(peer: PeerId): void {
    for (const connection of this.#node?.getConnections(peer) ?? []) connection.abort(new Error('the relay is full'))
  }
}

function inOrder(left: Stream, right: Stream): number {
  return left.timeline.open - right.timeline.open
}
