import type { Connection } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { multiaddr } from '#platform/libraries/base.js'
import { RELAY_V2_HOP_CODEC, RELAY_V2_STOP_CODEC } from '#platform/libraries/network.js'

/**
 * The address of the relay in a relayed address; `undefined` for a direct address, such as that of a page to which the
 * relay carries only the signalling.
 */
export function relayIn(address: Multiaddr): string | undefined {
  const names = address.getComponents().map(({ name }) => name)
  return names.includes('p2p-circuit') && !names.includes('webrtc')
    ? address.toString().replace(/\/p2p-circuit.*$/, '')
    : undefined
}

/** Whether an address leads through a relay. */
export function isRelayed(address: string): boolean {
  return relayIn(multiaddr(address)) !== undefined
}

/** Whether a connection is one from page to page, by signalling through a relay. */
export function isBetweenPages({ remoteAddr }: Pick<Connection, 'remoteAddr'>): boolean {
  return remoteAddr.getComponents().some(({ name }) => name === 'webrtc')
}

/** Whether one end of this connection is a relay that carries other connections over it. */
export function carriesOthers({ streams }: Pick<Connection, 'streams'>): boolean {
  return streams.some(({ protocol }) => protocol === RELAY_V2_HOP_CODEC || protocol === RELAY_V2_STOP_CODEC)
}
