import type { PeerName } from '@murmuration/core'
import type { View } from './view.js'

/** How a peer stands in its swarm. docs/membership.md has the table. */
export type MemberState = 'starting' | 'healthy' | 'degraded' | 'partitioned' | 'isolated'

/** Whether those present are more than half of the members; of two halves, the one with the first name. Names are sorted. */
export function isMajority(present: readonly PeerName[], members: readonly PeerName[]): boolean {
  if (present.length * 2 !== members.length) return present.length * 2 > members.length
  return present.includes(members[0])
}

/**
 * @param hasBegun - whether this peer has a life
 * @param hasOthers - whether another peer of the list has not left
 */
export function stateOf(
  { members, present, isMain, brokenKeys }: View,
  hasBegun: boolean,
  hasOthers: boolean
): MemberState {
  if (!hasBegun) return 'starting'
  if (present.length <= 1 && hasOthers) return 'isolated'
  if (!isMain) return 'partitioned'
  return present.length < members.length || brokenKeys.size > 0 ? 'degraded' : 'healthy'
}
