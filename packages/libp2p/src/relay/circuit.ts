import {
  circuitRelayTransport,
  type CircuitRelayTransportComponents,
  RELAY_V2_HOP_CODEC,
  RELAY_V2_STOP_CODEC
} from '@libp2p/circuit-relay-v2'
import {
  type Connection,
  type DialTransportOptions,
  type Listener,
  type PeerId,
  serviceCapabilities,
  type Startable,
  type Stream,
  type Transport,
  transportSymbol
} from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { InputError, type Milliseconds } from '@murmuration/core'

/** What libp2p's transport has beside what its type says. */
interface CircuitTransport extends Transport, Startable {
  readonly reservationStore: {
    start(): void
    addRelay(relay: PeerId, type: 'configured'): Promise<unknown>
    hasReservation(relay: PeerId): boolean
  }
  onStop(stream: Stream, connection: Connection): Promise<void>
}

/** The most connections that one relay may bring at a time. */
const maxBrought = 64

/**
 * Connections through relays. Any node can dial so. Whether others can call it so is its own choice: without a reservation it takes no call from a
 * relay, and it looks for none by itself.
 */
export class Circuit {
  readonly #isReached: boolean
  #inner: CircuitTransport | undefined

  /** @param isReached - whether others are to call this node through relays */
  constructor(isReached = false) {
    this.#isReached = isReached
  }

  /** For libp2p. */
  readonly transport = (components: CircuitRelayTransportComponents): Transport => {
    const inner = circuitRelayTransport()(components) as CircuitTransport
    this.#inner = inner
    return this.#isReached ? new ReachedTransport(inner, components) : new DiallingTransport(inner)
  }

  /** Whether the relay at the other end has a place for this node now. */
  isReservedAt(relay: PeerId): boolean {
    return this.#inner?.reservationStore.hasReservation(relay) === true
  }

  /** Reserves a place at a relay. It is kept until the connection ends. Rejects where the relay gives none. */
  async reserve(connection: Connection, timeout: Milliseconds): Promise<void> {
    // Of a node that has said once that it is no relay, libp2p's store never asks again.
    const stream = await connection.newStream(RELAY_V2_HOP_CODEC, { signal: AbortSignal.timeout(timeout) })
    stream.abort(new Error('only asked whether it is a relay'))
    await this.#inner?.reservationStore.addRelay(connection.remotePeer, 'configured')
  }
}

/**
 * libp2p's transport for those that only dial. It does not listen, and needs no identify: libp2p asks for that where relays are to be
 * discovered, which these are not.
 */
class DiallingTransport implements Transport {
  readonly [transportSymbol] = true
  readonly [serviceCapabilities] = ['@libp2p/transport']
  protected readonly inner: CircuitTransport

  constructor(inner: CircuitTransport) {
    this.inner = inner
  }

  get [Symbol.toStringTag](): string {
    return this.inner[Symbol.toStringTag]
  }

  dial(address: Multiaddr, options: DialTransportOptions): Promise<Connection> {
    return this.inner.dial(address, options)
  }

  createListener(): Listener {
    throw new InputError('nobody listens at a relay by its address: name the relay')
  }

  listenFilter(): Multiaddr[] {
    return []
  }

  dialFilter(addresses: Multiaddr[]): Multiaddr[] {
    return this.inner.dialFilter(addresses)
  }
}

/** The same for those that are called, too. */
class ReachedTransport extends DiallingTransport implements Startable {
  readonly #components: CircuitRelayTransportComponents

  constructor(inner: CircuitTransport, components: CircuitRelayTransportComponents) {
    super(inner)
    this.#components = components
  }

  async start(): Promise<void> {
    const serve = async (stream: Stream, connection: Connection) => {
      // libp2p's own handler reserves a place at whoever brings a call.
      const isOurs = this.inner.reservationStore.hasReservation(connection.remotePeer)
      if (isOurs) await this.inner.onStop(stream, connection)
      else stream.abort(new Error('no relay of this peer'))
    }
    const streams = { maxInboundStreams: maxBrought, maxOutboundStreams: maxBrought }
    await this.#components.registrar.handle(RELAY_V2_STOP_CODEC, serve, streams)
    this.inner.reservationStore.start()
  }

  async stop(): Promise<void> {
    await this.inner.stop()
  }
}
