/**
 * Listening for WebRTC (webrtc-direct). Only here is the native package loaded, so this file is imported only where a
 * peer listens so.
 */
import type { Listener } from '@libp2p/interface'
import type { Limits } from '../base/constants.js'
import type { Identity } from '../base/identity.js'
import { type TransportMaker, webRTCDirect } from '../libraries/webrtc.js'
import { ListeningTransport } from './listening-transport.js'
import { dataChannel } from './data-channel.js'
import { certificateOf } from './certificate.js'
import { Callers } from './callers.js'

/** The method of a listener that libp2p's type lacks: it makes a native connection for a new caller. */
interface DirectListener extends Listener {
  incomingConnection(name: string, host: string, port: number, signal: AbortSignal, caller: string): Promise<void>
}

/** The transport. It dials nothing. */
export function webrtcListening(identity: Identity, limits: Pick<Limits, 'handshakeTimeout'>): TransportMaker {
  const transport = webRTCDirect({
    certificate: certificateOf(identity),
    rtcConfiguration: { iceServers: [] },
    dataChannel
  })
  const callers = new Callers(limits.handshakeTimeout / 2)
  return (components) =>
    new ListeningTransport(transport(components), (listener) => bounded(listener as DirectListener, callers))
}

/** Bounds what unknown callers can make a listener do: each first packet with a new name makes a native connection. */
function bounded(listener: DirectListener, callers: Callers): Listener {
  const answer = listener.incomingConnection.bind(listener)
  listener.incomingConnection = (name, host, port, signal, caller) =>
    callers.serve(host, `${host}:${port}:${name}`, signal, (limited) => answer(name, host, port, limited, caller))
  return listener
}
