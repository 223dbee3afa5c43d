/** The transports by which tabs reach a peer of Node: WebRTC (webrtc-direct), and WebSockets. */
import { InputError, messageOf } from '@murmuration/core'
import { multiaddr } from '#platform/libraries/base.js'
import type { Limits } from '../base/constants.js'
import type { Identity } from '../base/identity.js'
import type { TransportMaker } from '../libraries/webrtc.js'

/**
 * The transports for those of the addresses that are for tabs. Each loads its libraries only if there is such an
 * address. Throws an InputError where the package for WebRTC is missing.
 */
export async function transportsForTabs(
  listen: readonly string[],
  identity: Identity,
  limits: Pick<Limits, 'unknownPeerTimeout' | 'handshakeTimeout'>
): Promise<readonly TransportMaker[]> {
  const names = new Set(
    listen.flatMap((text) =>
      multiaddr(text)
        .getComponents()
        .map(({ name }) => name)
    )
  )
  return [
    ...(names.has('webrtc-direct') ? [(await webrtc()).webrtcListening(identity, limits)] : []),
    ...(names.has('ws') ? [(await import('./websockets.js')).webSocketsListening(limits)] : [])
  ]
}

async function webrtc() {
  try {
    return await import('./webrtc.js')
  } catch (error) {
    throw new InputError(
      `cannot listen for browsers over WebRTC: the optional package node-datachannel is missing or has no build for ` +
        `${process.platform} ${process.arch} (${messageOf(error).split('\n')[0].slice(0, 120)}); run "npm install node-datachannel@0.33.4", ` +
        'or let browsers use WebSockets alone: --listen /ip4/0.0.0.0/tcp/4002/ws in place of --browsers'
    )
  }
}
