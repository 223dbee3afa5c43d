import { circuitRelayServer, type CircuitRelayService, RELAY_V2_STOP_CODEC } from '@libp2p/circuit-relay-v2'
import type { Connection, ConnectionGater, Libp2p, PeerId } from '@libp2p/interface'
import { InputError, type Milliseconds } from '@murmuration/core'
import { sourceOf } from '../discovery/reach.js'
import { carriesOthers, relayIn } from './address.js'
import { type RelayLimits, relayLimits } from './relay-options.js'

/** How long a reservation stands that is not renewed. libp2p renews it 5 minutes before. */
const reservationFor: Milliseconds = 60 * 60_000

/** The most connections through the relay that one peer may build, and be called by, at a time. */
const maxPerPeer = 32

/** A node that is a relay for others, within limits. */
export class RelayRole {
  readonly #limits: RelayLimits
  readonly #serves: (peer: string) => boolean
  #node: Libp2p | undefined

  /**
   * @param limits - where they differ from {@link relayLimits}. Throws an InputError for one that is no number above 0
   * @param serves - whether a peer, by its id, may be reached through this relay, and call through it
   */
  constructor(limits: Partial<RelayLimits>, serves: (peer: string) => boolean = () => true) {
    this.#limits = { ...relayLimits, ...limits }
    for (const [name, value] of Object.entries(this.#limits)) {
      if (!(value > 0)) throw new InputError(`the limit ${name} of a relay is ${value}; give a number above 0`)
    }
    this.#serves = serves
  }

  /** For libp2p. */
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

  /** For libp2p: whom this relay sends away. */
  readonly gater: Pick<ConnectionGater, 'denyInboundRelayReservation' | 'denyOutboundRelayedConnection'> = {
    denyInboundRelayReservation: (peer) => !this.#serves(peer.toString()) || this.#hasEnough(peer),
    denyOutboundRelayedConnection: (from, to) =>
      !this.#serves(from.toString()) || !this.#serves(to.toString()) || this.#isFull
  }

  /** Begins with a node, of which this is a service. */
  begin(node: Libp2p): void {
    this.#node = node
    // libp2p keeps the place of a peer that has gone until it expires, and so runs out of places.
    node.addEventListener('peer:disconnect', ({ detail }) => {
      this.#reservations?.get(detail)?.signal.clear()
      this.#reservations?.delete(detail)
    })
  }

  /** How many peers can be reached through it now. */
  get reserved(): number {
    return this.#reservations?.size ?? 0
  }

  /** Whether a connection is of a peer that is reached through this relay, or calls through it. */
  isUsed(connection: Connection): boolean {
    return this.#reservations?.has(connection.remotePeer) === true || carriesOthers(connection)
  }

  get #reservations(): CircuitRelayService['reservations'] | undefined {
    return (this.#node?.services as { readonly relay?: CircuitRelayService } | undefined)?.relay?.reservations
  }

  get #isFull(): boolean {
    const streams = this.#node?.getConnections().flatMap((connection) => connection.streams) ?? []
    return streams.filter(({ protocol }) => protocol === RELAY_V2_STOP_CODEC).length >= this.#limits.connections
  }

  /** Whether the source of this peer has all the places that it may have, without this peer's own. */
  #hasEnough(peer: PeerId): boolean {
    const [connection] = this.#node?.getConnections(peer).filter(({ remoteAddr }) => !relayIn(remoteAddr)) ?? []
    if (connection === undefined) return true
    const source = sourceOf(connection.remoteAddr)
    const others = [...(this.#reservations ?? [])].filter(([other]) => !other.equals(peer))
    return others.filter(([, { addr }]) => sourceOf(addr) === source).length >= this.#limits.perSource
  }
}
