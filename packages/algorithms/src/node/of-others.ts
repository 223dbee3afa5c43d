/** What follows from what others say of themselves. */
import type { PeerName } from '@murmuration/core'
import type { Member, PeerRecord } from '@murmuration/membership'

/** As many rounds as may pass before the first record of a round comes. */
const firstMoments = 1000

/**
 * Whether the round that a peer gives with its state can be true. What others say of themselves is a beat old at most, and nobody has come twice as
 * far since, but in the first moments.
 *
 * @param others - who is present
 */
export function isPlausible(
  round: number,
  donor: PeerName,
  others: readonly PeerName[],
  roundOf: (peer: PeerName) => number
): boolean {
  const witnesses = others.length > 1 ? others.filter((peer) => peer !== donor) : others
  return round <= 2 * Math.max(0, ...witnesses.map(roundOf)) + firstMoments
}

/** The records of the others that are present and have not finished. */
export function unfinished(member: Pick<Member, 'present' | 'recordOf'>, self: PeerName): readonly PeerRecord[] {
  return member.present
    .filter((peer) => peer !== self)
    .flatMap((peer) => member.recordOf(peer) ?? [])
    .filter(({ status }) => status === 'here' || status === 'joining')
}
