import type { Connection } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { isPage } from '#platform/addresses/dialled.js'
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

/**
 * The addresses by which one page reaches another directly, with a relay for the signalling: noise runs through the
 * relay from end to end, so the other end is proven. None where WebRTC is not spoken.
 *
 * @param relayed - addresses through relays, with the ids of their peers
 */
export function signalled(relayed: readonly string[]): readonly string[] {
  return isPage ? relayed.map((address) => address.replace('/p2p-circuit/', '/p2p-circuit/webrtc/')) : []
}

/** Whether a connection is one from page to page, by signalling through a relay. */
export function isBetweenPages({ remoteAddr }: Pick<Connection, 'remoteAddr'>): boolean {
  return remoteAddr.getComponents().some(({ name }) => name === 'webrtc')
}

/** Whether one end of this connection is a relay that carries other connections over it. */
export function carriesOthers({ streams }: Pick<Connection, 'streams'>): boolean {
  return streams.some(({ protocol }) => protocol === RELAY_V2_HOP_CODEC || protocol === RELAY_V2_STOP_CODEC)
}
