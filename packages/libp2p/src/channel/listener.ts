import { randomBytes } from 'node:crypto'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { deferred, type Milliseconds } from '@murmuration/core'
import { hostFor, listeningHosts } from './address.js'
import { keyBytes, suite, tune } from './secure.js'

/** The most sockets that have not shown that they know a key. */
const maxUnproven = 64

/** The bytes of the name of a key. */
const idBytes = 16

/** Where, and by which key, one neighbour may fetch its vectors, once. */
export interface ChannelOffer {
  readonly port: number
  /** The name of the key, which the caller says in the clear. */
  readonly id: string
  readonly key: Uint8Array
  /** The socket of the one who knew the key; `undefined` when nobody did until the offer expired or was withdrawn. */
  readonly taken: Promise<TLSSocket | undefined>
  withdraw(): void
}

/** An offer that nobody has taken. */
interface OpenOffer {
  readonly key: Uint8Array
  /** Ends the offer. Returns false when it has ended before. */
  settle(socket: TLSSocket | undefined): boolean
}

/**
 * Where neighbours call for data channels: a port beside each at which libp2p listens, opened with the first offer. A caller is let in when it knows the key
 * of an open offer, and only once; while no offer is open, all who call are sent away unheard.
 */
export class ChannelListener {
  readonly #hosts: readonly string[]
  readonly #timeout: Milliseconds
  readonly #servers = new Map<string, Promise<Server | undefined>>()
  readonly #offers = new Map<string, OpenOffer>()
  /** Offers whose key was asked for, by the socket that is to prove that it knows it. */
  readonly #proving = new Map<TLSSocket, OpenOffer>()
  /** By {@link nameOf}, in order of arrival. */
  readonly #unproven = new Map<string, Socket>()
  readonly #tls
  #isClosed = false

  /**
   * @param listen - the multiaddrs at which libp2p listens
   * @param timeout - how long an offer stands, and how long a caller may take to prove that it knows the key
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
    // Whoever knows no key of an open offer: TLS has ended the connection already.
    this.#tls.on('tlsClientError', (_error, socket) => {
      this.#settle(socket, undefined)
      socket.destroy()
    })
  }

  /** Sockets of callers that have not shown that they know a key. */
  get unproven(): number {
    return this.#unproven.size
  }

  /** The ports that are open. */
  async ports(): Promise<readonly number[]> {
    const servers = await Promise.all(this.#servers.values())
    return servers.flatMap((server) => (server === undefined ? [] : [portOf(server)]))
  }

  /** Makes an offer to a neighbour at the IP address `remote`; `undefined` when it cannot call there. */
  async offer(remote: string): Promise<ChannelOffer | undefined> {
    const host = hostFor(this.#hosts, remote)
    const server = host === undefined ? undefined : await this.#serverAt(host)
    if (server === undefined || this.#isClosed) return undefined
    const [id, key] = [randomBytes(idBytes).toString('hex'), randomBytes(keyBytes)]
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

  /** Withdraws all offers and closes the ports. Channels that are open stay. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { settle } of this.#offers.values()) settle(undefined)
    for (const socket of this.#unproven.values()) socket.destroy()
    for (const server of await Promise.all(this.#servers.values())) server?.close()
  }

  /** The server at an address of this machine; `undefined` when the system gives no port. */
  #serverAt(host: string): Promise<Server | undefined> {
    const known = this.#servers.get(host)
    if (known !== undefined) return known
    const server = createServer((socket) => this.#accept(socket))
    const opening = new Promise<Server | undefined>((resolve) => {
      server.once('error', () => resolve(undefined))
      server.listen(0, host, () => resolve(server))
    })
    this.#servers.set(host, opening)
    return opening
  }

  /** A caller. The one that has waited longest makes room: a handshake takes milliseconds, so it is idle. */
  #accept(socket: Socket): void {
    // What an unknown peer's socket suffers is not of interest; those of channels have a listener of their own.
    socket.on('error', () => {})
    if (this.#offers.size === 0) return void socket.destroy()
    const [oldest] = this.#unproven.values()
    if (this.#unproven.size >= maxUnproven) oldest.destroy()
    const name = nameOf(socket)
    this.#unproven.set(name, socket)
    socket.once('close', () => this.#unproven.delete(name))
    this.#tls.emit('connection', socket)
  }

  /** The key of this name, for the first who asks. */
  #keyFor(socket: TLSSocket, id: string): Uint8Array | null {
    const offer = this.#offers.get(id)
    if (offer === undefined || this.#proving.has(socket)) return null
    this.#offers.delete(id)
    this.#proving.set(socket, offer)
    socket.once('close', () => this.#settle(socket, undefined))
    return offer.key
  }

  /** Someone has shown that he knows a key; or has come by a ticket, which is none. */
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

/** What a socket and the one that encrypts it have in common. */
function nameOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
