/** Listening for WebSockets. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Listener } from '@libp2p/interface'
import type { Limits } from '../base/constants.js'
import type { TransportMaker } from '../libraries/webrtc.js'
import { webSockets } from '../libraries/websockets.js'
import { ListeningTransport } from './listening-transport.js'

/** The most bytes of one message. A record of noise has at most 64 KiB. */
const maxMessage = 1 << 20

/** Members of the listener that libp2p's type lacks. */
interface WebSocketListener extends Listener {
  readonly wsServer: { readonly options: { maxPayload: number } }
  onUpgrade(request: IncomingMessage, socket: Socket, head: Uint8Array): void
}

/** The transport. It dials nothing. */
export function webSocketsListening(_limits: Pick<Limits, 'unknownPeerTimeout'>): TransportMaker {
  return (components) =>
    new ListeningTransport(webSockets()(components), (listener) => bounded(listener as WebSocketListener))
}

function bounded(listener: WebSocketListener): Listener {
  listener.wsServer.options.maxPayload = maxMessage
  return listener
}
