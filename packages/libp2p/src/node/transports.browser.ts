/** See transports.ts. */
import { serviceCapabilities } from '@libp2p/interface'
import { webSockets } from '@libp2p/websockets'
import { webRTC, webRTCDirect } from '../libraries/webrtc.browser.js'
import type { TransportOptions, Transports } from './transport-options.js'

/** No server for STUN: nobody but peers of the run is asked for anything. */
const rtcConfiguration = { iceServers: [] } as const

/** WebRTC and WebSockets to peers that listen for them; WebRTC to other pages. A page listens nowhere by itself. */
export async function transportsOf({ shaper }: TransportOptions): Promise<Transports> {
  const transport = webSockets()
  return {
    transports: [
      webRTCDirect({ rtcConfiguration }),
      webRTC({ rtcConfiguration }),
      shaper === undefined ? transport : shaper.transport(transport)
    ],
    services: { claims },
    peerDiscovery: []
  }
}

/**
 * What WebRTC between pages asks for: libp2p's identify only finds relays, which are named here, and the transport
 * through relays does not say that it is one.
 */
const claims = () => ({ [serviceCapabilities]: ['@libp2p/identify', '@libp2p/circuit-relay-v2-transport'] })
