/** See transports.ts. */
import { type Connection, serviceCapabilities, type Stream, type Transport } from '@libp2p/interface'
import { webSockets } from '@libp2p/websockets'
import type { Milliseconds } from '@murmuration/core'
import { Budgets } from '../base/budgets.js'
import type { TransportMaker } from '../libraries/webrtc.js'
import { webRTC, webRTCDirect } from '../libraries/webrtc.browser.js'
import { WrappingTransport } from '../shaping/wrapping-transport.js'
import { dataChannel } from '../tabs/data-channel.js'
import { endingSocket } from '../tabs/ending-socket.js'
import { within } from '../base/within.js'
import type { TransportOptions, Transports } from './transport-options.js'

/** No server for STUN: nobody but peers of the run is asked for anything. */
const rtcConfiguration = { iceServers: [] } as const

/** WebRTC and WebSockets to peers that listen for them; WebRTC to other pages. A page listens nowhere by itself. */
export async function transportsOf({ limits, shaper }: TransportOptions): Promise<Transports> {
  const transport: TransportMaker = (components) => new WrappingTransport(webSockets()(components), endingSocket)
  return {
    transports: [
      directly(limits.dialTimeout / 2),
      betweenPages,
      shaper === undefined ? transport : shaper.transport(transport)
    ],
    services: { claims },
    peerDiscovery: []
  }
}

/**
 * WebRTC to peers of Node. Where a network or a browser bars it, nothing says so, and an attempt would take all the
 * time of a dial: half of it is left for WebSockets.
 */
const directly =
  (limit: Milliseconds): TransportMaker =>
  (components) => {
    const transport = webRTCDirect({ rtcConfiguration, dataChannel })(components)
    const dial = transport.dial.bind(transport)
    transport.dial = (address, options) =>
      within(limit, options.signal, (signal) => dial(address, { ...options, signal }))
    return transport
  }

/** How many connections a peer may have this page prepare at once, and the time after which it may have one more. */
const maxOffers = 8
const offerEvery: Milliseconds = 5_000

/** The method of the transport that libp2p's type lacks: it answers an offer, which makes a connection. */
interface AnsweringTransport extends Transport {
  _onProtocol(stream: Stream, connection: Connection, signal: AbortSignal): Promise<void>
}

/** WebRTC to other pages. A browser makes 500 connections in the life of a page, so peers may offer only so many. */
const betweenPages: TransportMaker = (components) => {
  const transport = webRTC({ rtcConfiguration, dataChannel })(components) as AnsweringTransport
  const answer = transport._onProtocol.bind(transport)
  const offers = new Budgets(maxOffers, offerEvery)
  transport._onProtocol = async (stream, connection, signal) => {
    if (offers.spend(connection.remotePeer.toString())) await answer(stream, connection, signal)
    else stream.abort(new Error('it offers too many connections'))
  }
  return transport
}

/**
 * What WebRTC between pages asks for: libp2p's identify only finds relays, which are named here, and the transport
 * through relays does not say that it is one.
 */
const claims = () => ({ [serviceCapabilities]: ['@libp2p/identify', '@libp2p/circuit-relay-v2-transport'] })
