import type {
  ClearableSignal,
  Connection,
  ConnectionEncrypter,
  CreateListenerOptions,
  DialTransportOptions,
  Listener,
  MultiaddrConnection,
  StreamMuxerFactory,
  Transport,
  Upgrader,
  UpgraderOptions
} from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { serviceCapabilities, transportSymbol } from '#platform/libraries/base.js'

/** Wraps a connection. */
export type Wrap = (connection: MultiaddrConnection) => MultiaddrConnection

/** A transport that wraps each of its connections before it is encrypted. */
export class WrappingTransport implements Transport {
  readonly [transportSymbol] = true
  readonly [serviceCapabilities] = ['@libp2p/transport']
  readonly #inner: Transport
  readonly #wrap: Wrap
  readonly #listening: (listener: Listener) => Listener

  /** @param listening - changes each listener */
  constructor(inner: Transport, wrap: Wrap, listening = (listener: Listener) => listener) {
    this.#inner = inner
    this.#wrap = wrap
    this.#listening = listening
  }

  get [Symbol.toStringTag](): string {
    return this.#inner[Symbol.toStringTag]
  }

  dial(address: Multiaddr, options: DialTransportOptions): Promise<Connection> {
    return this.#inner.dial(address, { ...options, upgrader: this.#around(options.upgrader) })
  }

  createListener(options: CreateListenerOptions): Listener {
    return this.#listening(this.#inner.createListener({ ...options, upgrader: this.#around(options.upgrader) }))
  }

  listenFilter(addresses: Multiaddr[]): Multiaddr[] {
    return this.#inner.listenFilter(addresses)
  }

  dialFilter(addresses: Multiaddr[]): Multiaddr[] {
    return this.#inner.dialFilter(addresses)
  }

  #around(upgrader: Upgrader): Upgrader {
    return new WrappingUpgrader(upgrader, this.#wrap)
  }
}

/** Wraps the raw connections that a transport hands over for encryption. */
class WrappingUpgrader implements Upgrader {
  readonly #inner: Upgrader
  readonly #wrap: Wrap

  constructor(inner: Upgrader, wrap: Wrap) {
    this.#inner = inner
    this.#wrap = wrap
  }

  upgradeOutbound(connection: MultiaddrConnection, options: UpgraderOptions): Promise<Connection> {
    return this.#inner.upgradeOutbound(this.#wrap(connection), options)
  }

  upgradeInbound(connection: MultiaddrConnection, options: UpgraderOptions): Promise<void> {
    return this.#inner.upgradeInbound(this.#wrap(connection), options)
  }

  createInboundAbortSignal(signal: AbortSignal): ClearableSignal {
    return this.#inner.createInboundAbortSignal(signal)
  }

  getStreamMuxers(): Map<string, StreamMuxerFactory> {
    return this.#inner.getStreamMuxers()
  }

  getConnectionEncrypters(): Map<string, ConnectionEncrypter> {
    return this.#inner.getConnectionEncrypters()
  }
}
