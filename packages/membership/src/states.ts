import type { PeerName } from '@murmuration/core'

/** How a peer stands in its swarm. docs/membership.md has the table. */
export type MemberState = 'starting' | 'healthy' | 'degraded' | 'partitioned' | 'isolated'

/** Whether those present are more than half of the members; of two halves, the one with the first name. Names are sorted. */
export function isMajority(present: readonly PeerName[], members: readonly PeerName[]): boolean {
  if (present.length * 2 !== members.length) return present.length * 2 > members.length
  return present.includes(members[0])
}

/** What decides the state. */
export interface StateFacts {
  readonly hasBegun: boolean
  readonly isMain: boolean
  readonly memberCount: number
  readonly presentCount: number
  readonly hasBrokenEdge: boolean
  /** Whether another peer of the list has not left. */
  readonly hasOthers: boolean
}

export function stateOf(facts: StateFacts): MemberState {
  if (!facts.hasBegun) return 'starting'
  if (facts.presentCount <= 1 && facts.hasOthers) return 'isolated'
  if (!facts.isMain) return 'partitioned'
  return facts.presentCount < facts.memberCount || facts.hasBrokenEdge ? 'degraded' : 'healthy'
}
