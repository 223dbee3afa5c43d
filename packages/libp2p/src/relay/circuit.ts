import type { CircuitRelayTransportComponents } from '@libp2p/circuit-relay-v2'
import type {
  Connection,
  DialTransportOptions,
  Listener,
  PeerId,
  Startable,
  Stream,
  Transport
} from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { InputError, type Milliseconds } from '@murmuration/core'
import { serviceCapabilities, transportSymbol } from '#platform/libraries/base.js'
import { RELAY_V2_HOP_CODEC, RELAY_V2_STOP_CODEC, circuitRelayTransport } from '#platform/libraries/network.js'

/** libp2p's transport with members that its type lacks. */
interface CircuitTransport extends Transport, Startable {
  readonly reservationStore: {
    start(): void
    addRelay(relay: PeerId, type: 'configured'): Promise<unknown>
    hasReservation(relay: PeerId): boolean
  }
  onStop(stream: Stream, connection: Connection): Promise<void>
}

/** The most connections through one relay at a time. */
const maxBrought = 64

/**
 * Connections through relays. Every node can dial through a relay. It accepts connections only from a relay that it has
 * reserved a place at, and discovers no relays.
 */
export class Circuit {
  readonly #isReached: boolean
  #inner: CircuitTransport | undefined

  /** @param isReached - whether other nodes can dial this node through relays */
  constructor(isReached = false) {
    this.#isReached = isReached
  }

  /** The transport, for libp2p's options. */
  readonly transport = (components: CircuitRelayTransportComponents): Transport => {
    const inner = circuitRelayTransport()(components) as CircuitTransport
    this.#inner = inner
    return this.#isReached ? new ReachedTransport(inner, components) : new DiallingTransport(inner)
  }

  /** Whether this node has a reservation at the relay. */
  isReservedAt(relay: PeerId): boolean {
    return this.#inner?.reservationStore.hasReservation(relay) === true
  }

  /** Reserves a place at a relay, which lasts until the connection ends. Rejects when the relay refuses. */
  async reserve(connection: Connection, timeout: Milliseconds): Promise<void> {
    // Check first that the node is a relay: after one refusal of the protocol, libp2p's store never asks that node
    // again.
    const stream = await connection.newStream(RELAY_V2_HOP_CODEC, { signal: AbortSignal.timeout(timeout) })
    stream.abort(new Error('only asked whether it is a relay'))
    await this.#inner?.reservationStore.addRelay(connection.remotePeer, 'configured')
  }
}

/**
 * libp2p's transport for nodes that only dial. It does not listen, and does not need identify, which libp2p requires
 * only for the discovery of relays.
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
    throw new InputError('cannot listen at the address of a relay; name the relay instead')
  }

  listenFilter(): Multiaddr[] {
    return []
  }

  dialFilter(addresses: Multiaddr[]): Multiaddr[] {
    return this.inner.dialFilter(addresses)
  }
}

/** The same for nodes that are also dialled through relays. */
class ReachedTransport extends DiallingTransport implements Startable {
  readonly #components: CircuitRelayTransportComponents

  constructor(inner: CircuitTransport, components: CircuitRelayTransportComponents) {
    super(inner)
    this.#components = components
  }

  async start(): Promise<void> {
    const serve = async (stream: Stream, connection: Connection) => {
      // libp2p's own handler would reserve a place at any relay that brings a connection.
      const isOurs = this.inner.reservationStore.hasReservation(connection.remotePeer)
      if (isOurs) await this.inner.onStop(stream, connection)
      else stream.abort(new Error('not a relay of this peer'))
    }
    const streams = { maxInboundStreams: maxBrought, maxOutboundStreams: maxBrought }
    await this.#components.registrar.handle(RELAY_V2_STOP_CODEC, serve, streams)
    this.inner.reservationStore.start()
  }

  async stop(): Promise<void> {
    await this.inner.stop()
  }
}
