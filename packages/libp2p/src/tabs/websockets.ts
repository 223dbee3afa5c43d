/** Listening for WebSockets. */
import type { IncomingMessage } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Listener } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'
import { hostOf } from '../addresses/peer-list.js'
import { reachOf, sourceOfHost } from '../addresses/reach.js'
import type { Limits } from '../base/constants.js'
import { type Place, placeToFree } from '../base/place-to-free.js'
import type { TransportMaker } from '../libraries/webrtc.js'
import { webSockets } from '../libraries/websockets.js'
import { WrappingTransport } from '../shaping/wrapping-transport.js'
import { endingSocket } from './ending-socket.js'
import { ListeningTransport } from './listening-transport.js'

/** The most bytes of one message. A record of noise has at most 64 KiB. */
const maxMessage = 1 << 20

/** The most sockets that have not asked for WebSockets yet. */
const maxSilent = 64

/** Members of the listener that libp2p's type lacks. */
interface WebSocketListener extends Listener {
  readonly server: Server
  readonly wsServer: { readonly options: { maxPayload: number } }
  onUpgrade(request: IncomingMessage, socket: Socket, head: Uint8Array): void
}

/** A socket that has not asked for WebSockets yet. */
interface SilentSocket extends Place {
  readonly socket: Socket
  readonly timer: NodeJS.Timeout
}

/** The transport. It dials nothing. */
export function webSocketsListening({ unknownPeerTimeout }: Pick<Limits, 'unknownPeerTimeout'>): TransportMaker {
  const transport = webSockets()
  return (components) =>
    new ListeningTransport(new WrappingTransport(transport(components), endingSocket), (listener) =>
      guarded(listener as WebSocketListener, unknownPeerTimeout)
    )
}

/** Bounds what others may send before noise, and refuses the pages of others. */
function guarded(listener: WebSocketListener, timeout: Milliseconds): Listener {
  listener.wsServer.options.maxPayload = maxMessage
  const silent = new SilentSockets(timeout)
  listener.server.on('connection', (socket: Socket) => silent.add(socket))
  const upgrade = listener.onUpgrade.bind(listener)
  listener.onUpgrade = (request, socket, head) => {
    silent.remove(socket)
    if (isOwnPage(request.headers, namesOf(listener), socket.localPort)) return upgrade(request, socket, head)
    socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () => socket.destroy())
  }
  return listener
}

/** The names of this machine in the addresses of a listener, as they are in URLs. */
function namesOf(listener: Listener): readonly string[] {
  const hosts = listener.getAddrs().flatMap((address) => hostOf(address) ?? [])
  const names = hosts.map((host) => (host.includes(':') ? `[${host}]` : host))
  return hosts.some((host) => reachOf(host) === 'loopback') ? [...names, 'localhost'] : names
}

/**
 * Whether a request is for this machine by one of its names, and comes from no page or from one of this machine. A page
 * whose own name its owner lets point to this machine has another one (DNS rebinding). Which port served the page does
 * not matter: over WebRTC a page of any origin may call.
 */
export function isOwnPage(
  { host, origin }: Pick<IncomingMessage['headers'], 'host' | 'origin'>,
  names: readonly string[],
  port: number | undefined
): boolean {
  if (!names.some((name) => host?.toLowerCase() === (port === 80 ? name : `${name}:${port}`))) return false
  if (origin === undefined) return true
  const [, name] = /^http:\/\/(.+?)(?::\d+)?$/.exec(origin.toLowerCase()) ?? []
  return name !== undefined && names.includes(name)
}

/** Bounds the sockets that have not asked for WebSockets yet, as {@link PendingConnections} does for the rest. */
class SilentSockets {
  readonly #timeout: Milliseconds
  /** In order of arrival. */
  readonly #silent = new Map<Socket, SilentSocket>()

  constructor(timeout: Milliseconds) {
    this.#timeout = timeout
  }

  add(socket: Socket): void {
    const timer = setTimeout(() => socket.destroy(), this.#timeout)
    timer.unref()
    const holder = sourceOfHost(socket.remoteAddress ?? '')
    this.#silent.set(socket, { socket, holder, isIdle: true, timer })
    socket.on('close', () => this.remove(socket))
    if (this.#silent.size > maxSilent) placeToFree([...this.#silent.values()])?.socket.destroy()
  }

  remove(socket: Socket): void {
    clearTimeout(this.#silent.get(socket)?.timer)
    this.#silent.delete(socket)
  }
}
