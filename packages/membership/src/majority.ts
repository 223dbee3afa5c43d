import type { PeerName } from '@murmuration/core'

/** Whether those present are more than half of the members; of two halves, the one with the first name. Names are sorted. */
export function isMajority(present: readonly PeerName[], members: readonly PeerName[]): boolean {
  return isLarger(present.length, members, (name) => present.includes(name))
}

/** The same, where the number of present peers is known. */
export function isLarger(count: number, members: readonly PeerName[], isPresent: (name: PeerName) => boolean): boolean {
  return count * 2 === members.length ? isPresent(members[0]) : count * 2 > members.length
}
