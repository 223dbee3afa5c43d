import { randomBytes } from 'node:crypto'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { deferred, type Milliseconds } from '@murmuration/core'
import { type Place, placeToFree } from '../../base/place-to-free.js'
import { sourceOfHost } from '../../addresses/reach.js'
import { hostFor, listeningHosts } from '../../addresses/channel-address.js'
import { keyBytes, suite, tune } from './secure.js'

/** The most sockets that have not proven that they know a key. */
const maxUnproven = 64

/** Bytes of the name of a key. */
const idBytes = 16

/** An offer of one data channel to one neighbour. */
export interface ChannelOffer {
  readonly port: number
  /** The name of the key, which the caller sends in the clear. */
  readonly id: string
  readonly key: Uint8Array
  /** The socket of the caller that has proven the key; `undefined` when the offer has expired or was withdrawn. */
  readonly taken: Promise<TLSSocket | undefined>
  withdraw(): void
}

/** A socket that has not proven that it knows a key. */
interface Unproven extends Place {
  readonly socket: Socket
}

/** An offer that is not taken yet. */
interface OpenOffer {
  readonly key: Uint8Array
  /** Ends the offer. Returns false when it had already ended. */
  settle(socket: TLSSocket | undefined): boolean
}

/**
 * Accepts the neighbours' connections for data channels: on each IP address on which libp2p listens, one more port,
 * opened with the first offer. A caller must know the key of an open offer, which is valid once. While no offer is
 * open, all connections are closed at once.
 */
export class ChannelListener {
  readonly #hosts: readonly string[]
  readonly #timeout: Milliseconds
  readonly #servers = new Map<string, Promise<Server | undefined>>()
  readonly #offers = new Map<string, OpenOffer>()
  /** Offers with a requested key, by the socket that must prove that it knows the key. */
  readonly #proving = new Map<TLSSocket, OpenOffer>()
  /** By {@link nameOf}, in order of arrival. */
  readonly #unproven = new Map<string, Unproven>()
  readonly #tls
  #isClosed = false

  /**
   * @param listen - the multiaddrs at which libp2p listens
   * @param timeout - of an offer, and of a caller's proof that it knows the key
   */
  constructor(listen: readonly string[], timeout: Milliseconds) {
    this.#hosts = listeningHosts(listen)
    this.#timeout = timeout
    this.#tls = createTlsServer({
      ...suite,
      handshakeTimeout: timeout,
      pskCallback: (socket, id) => this.#keyFor(socket, id)
    })
    this.#tls.on('secureConnection', (socket) => this.#admit(socket))
    // The caller knows no key of an open offer, and TLS has ended the connection.
    this.#tls.on('tlsClientError', (_error, socket) => {
      this.#settle(socket, undefined)
      socket.destroy()
    })
  }

  /** The number of sockets that have not proven that they know a key. */
  get unproven(): number {
    return this.#unproven.size
  }

  /** The open ports. */
  async ports(): Promise<readonly number[]> {
    const servers = await Promise.all(this.#servers.values())
    return servers.flatMap((server) => (server === undefined ? [] : [portOf(server)]))
  }

  /**
   * Makes an offer to a neighbour at the IP address `remote`; `undefined` when it can reach none of the listening
   * addresses.
   */
  async offer(remote: string): Promise<ChannelOffer | undefined> {
    const host = hostFor(this.#hosts, remote)
    const server = host === undefined ? undefined : await this.#serverAt(host)
    if (server === undefined || this.#isClosed) return undefined
    const id = randomBytes(idBytes).toString('hex')
    const key = randomBytes(keyBytes)
    const { promise, resolve } = deferred<TLSSocket | undefined>()
    let isOpen = true
    const settle = (socket?: TLSSocket): boolean => {
      const wasOpen = isOpen
      isOpen = false
      clearTimeout(timer)
      this.#offers.delete(id)
      resolve(socket)
      return wasOpen
    }
    const timer = setTimeout(settle, this.#timeout)
    this.#offers.set(id, { key, settle })
    return { port: portOf(server), id, key, taken: promise, withdraw: () => void settle() }
  }

  /** Withdraws all offers and closes the ports. Open channels stay. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { settle } of this.#offers.values()) settle(undefined)
    for (const { socket } of this.#unproven.values()) socket.destroy()
    for (const server of await Promise.all(this.#servers.values())) server?.close()
  }

  /** The server at an address of this machine; `undefined` when the system gives no port. */
  #serverAt(host: string): Promise<Server | undefined> {
    const existing = this.#servers.get(host)
    if (existing !== undefined) return existing
    const server = createServer((socket) => this.#accept(socket))
    const opening = new Promise<Server | undefined>((resolve) => {
      server.once('error', () => resolve(undefined))
      server.listen(0, host, () => resolve(server))
    })
    this.#servers.set(host, opening)
    return opening
  }

  /**
   * Accepts a caller. When there are too many, the oldest of the source with most is closed: a handshake takes
   * milliseconds, so that one is idle.
   */
  #accept(socket: Socket): void {
    // Errors of an unknown peer's socket are ignored; the sockets of channels have a listener of their own.
    socket.on('error', () => {})
    if (this.#offers.size === 0) return void socket.destroy()
    const name = nameOf(socket)
    this.#unproven.set(name, { socket, holder: sourceOfHost(socket.remoteAddress ?? ''), isIdle: true })
    const excess = this.#unproven.size > maxUnproven ? placeToFree([...this.#unproven.values()]) : undefined
    if (excess !== undefined) {
      this.#unproven.delete(nameOf(excess.socket))
      excess.socket.destroy()
    }
    socket.once('close', () => this.#unproven.delete(name))
    this.#tls.emit('connection', socket)
  }

  /** The key of this name, only for the first socket that asks. */
  #keyFor(socket: TLSSocket, id: string): Uint8Array | null {
    const offer = this.#offers.get(id)
    if (offer === undefined || this.#proving.has(socket)) return null
    this.#offers.delete(id)
    this.#proving.set(socket, offer)
    socket.once('close', () => this.#settle(socket, undefined))
    return offer.key
  }

  /** The caller has proven that it knows a key; or it has resumed a TLS session by a ticket, which proves nothing. */
  #admit(socket: TLSSocket): void {
    this.#unproven.delete(nameOf(socket))
    socket.on('error', () => {})
    tune(socket)
    if (!this.#settle(socket, socket)) socket.destroy()
  }

  #settle(socket: TLSSocket, taken: TLSSocket | undefined): boolean {
    const offer = this.#proving.get(socket)
    this.#proving.delete(socket)
    return offer?.settle(taken) ?? false
  }
}

/** A name that a socket shares with its TLS socket. */
function nameOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
