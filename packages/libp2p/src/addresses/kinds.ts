import type { Multiaddr } from '@multiformats/multiaddr'
import { dialled } from '#platform/addresses/dialled.js'

/** How an address is reached. Peers of Node dial TCP, and pages the others; both also through relays. */
export type AddressKind = 'tcp' | 'ws' | 'webrtc-direct'

/** What follows the host in an address of each kind. */
const ends: Readonly<Record<string, AddressKind>> = {
  'tcp': 'tcp',
  'tcp,ws': 'ws',
  'udp,webrtc-direct,certhash': 'webrtc-direct'
}

/** The kind of an address, or of that of the relay in it; `undefined` for one that no peer dials. */
export function kindOf(address: Multiaddr): AddressKind | undefined {
  const names = address.getComponents().map(({ name }) => name)
  const end = names.indexOf('p2p')
  return ends[names.slice(1, end < 0 ? undefined : end).join()]
}

/** Whether a peer of this platform dials addresses of this kind. */
export function isDialled(address: Multiaddr): boolean {
  const kind = kindOf(address)
  return kind !== undefined && dialled.includes(kind)
}
