/** A node that dials WebRTC as a browser does, without a browser. */
import '../node/polyfill.js'
import type { Libp2p } from '@libp2p/interface'
import type { ExecutionContext } from 'ava'
import type { Identity } from '../base/identity.js'
import { createLibp2p, noise, yamux } from '../libraries/network.js'
import { webRTCDirect } from '../libraries/webrtc.js'
import { certificateOf } from './certificate.js'

/** The node, until the test ends. */
export async function dialler(t: ExecutionContext, identity: Identity): Promise<Libp2p> {
  const node = await startedDialler(identity)
  t.teardown(() => node.stop())
  return node
}

/** The node. */
export function startedDialler(identity: Identity): Promise<Libp2p> {
  return createLibp2p({
    privateKey: identity.privateKey,
    transports: [webRTCDirect({ certificate: certificateOf(identity), rtcConfiguration: { iceServers: [] } })],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionGater: { denyDialMultiaddr: () => false }
  })
}
