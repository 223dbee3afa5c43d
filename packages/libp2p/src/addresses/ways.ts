import { isPage } from '#platform/addresses/dialled.js'
import { multiaddr } from '#platform/libraries/base.js'
import { isDialled } from './kinds.js'
import { isRelayed } from './relay-address.js'

/** The ways to a peer, as addresses to dial. */
export interface Ways {
  readonly direct: readonly string[]
  /**
   * From page to page, with a relay for the signalling alone: noise runs through the relay from end to end, so the
   * other end is proven. None where WebRTC is not spoken.
   */
  readonly signalled: readonly string[]
  readonly relayed: readonly string[]
}

/**
 * The ways by which a peer of this platform reaches another.
 *
 * @param addresses - all addresses of the other peer, with its id at their ends
 */
export function waysTo(addresses: readonly string[]): Ways {
  const dialled = addresses.filter((address) => isDialled(multiaddr(address)))
  const relayed = dialled.filter(isRelayed)
  return {
    direct: dialled.filter((address) => !isRelayed(address)),
    signalled: isPage ? relayed.map((address) => address.replace('/p2p-circuit/', '/p2p-circuit/webrtc/')) : [],
    relayed
  }
}
