import type { PeerName } from '@murmuration/core'
import type { View } from './view.js'

/** How a peer stands in its swarm. docs/membership.md has the table. */
export type MemberState = 'starting' | 'healthy' | 'degraded' | 'partitioned' | 'isolated'

/** Whether those present are more than half of the members; of two halves, the one with the first name. Names are sorted. */
export function isMajority(present: readonly PeerName[], members: readonly PeerName[]): boolean {
  return isLarger(present.length, members, (name) => present.includes(name))
}

/** The same, where it is known how many are present. */
export function isLarger(count: number, members: readonly PeerName[], isPresent: (name: PeerName) => boolean): boolean {
  return count * 2 === members.length ? isPresent(members[0]) : count * 2 > members.length
}

/**
 * @param hasBegun - whether this peer has a life
 * @param hasOthers - whether another peer of the list has not left
 */
export function stateOf(
  view: Pick<View, 'members' | 'presentCount' | 'isMain' | 'brokenPairs'>,
  hasBegun: boolean,
  hasOthers: boolean
): MemberState {
  if (!hasBegun) return 'starting'
  if (view.presentCount <= 1 && hasOthers) return 'isolated'
  if (!view.isMain) return 'partitioned'
  return view.presentCount < view.members.length || view.brokenPairs.length > 0 ? 'degraded' : 'healthy'
}
