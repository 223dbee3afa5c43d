import type { Connection, CreateListenerOptions, Listener, Startable, Transport } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { serviceCapabilities, transportSymbol } from '#platform/libraries/base.js'

/** A transport that only listens: peers of Node dial each other over TCP. */
export class ListeningTransport implements Transport, Startable {
  readonly [transportSymbol] = true
  readonly [serviceCapabilities] = ['@libp2p/transport']
  readonly #inner: Transport & Partial<Startable>
  readonly #change: (listener: Listener) => Listener

  /** @param change - changes each listener */
  constructor(inner: Transport, change: (listener: Listener) => Listener) {
    this.#inner = inner
    this.#change = change
  }

  get [Symbol.toStringTag](): string {
    return this.#inner[Symbol.toStringTag]
  }

  start(): void | Promise<void> {
    return this.#inner.start?.()
  }

  stop(): void | Promise<void> {
    return this.#inner.stop?.()
  }

  createListener(options: CreateListenerOptions): Listener {
    return this.#change(this.#inner.createListener(options))
  }

  listenFilter(addresses: Multiaddr[]): Multiaddr[] {
    return this.#inner.listenFilter(addresses)
  }

  dialFilter(): Multiaddr[] {
    return []
  }

  dial(): Promise<Connection> {
    throw new Error('a peer of Node dials only TCP')
  }
}
