import { peerName, type PeerName } from '@murmuration/core'
import type { Invitation } from '@murmuration/libp2p'
import { hashText } from '@murmuration/vectors'

/** A key for each invitation: a peer that comes again with the same invitation has the same identity. */
export function keyNameOf({ name, serial }: Pick<Invitation, 'name' | 'serial'>): PeerName {
  return peerName(`${name.slice(0, 40)}-${hashText(serial).slice(0, 16)}`)
}
