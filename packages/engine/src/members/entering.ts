/** A peer that enters waits until the run begins, and begins with the others or takes the state of one of them. */
import type { Milliseconds } from '@murmuration/core'
import type { Member } from '@murmuration/membership'
import { checkWait, LongestWait } from './longest-wait.js'
import type { MembersFabric, MembersOptions } from './members-options.js'

/** How often a peer looks whether the run has begun. */
const lookEvery: Milliseconds = 50

/**
 * Whether a peer takes part in rounds. It stops if others know an earlier process of it, since its life must come after
 * that one's.
 */
export function hasBegun({ state }: Pick<Member, 'state'>): boolean {
  return state !== 'starting'
}

/**
 * Waits until the run begins, or is found to be running. Returns whether this peer begins with the others or takes the
 * state of one of them.
 *
 * @param check - called repeatedly during the wait; an error that it throws ends the wait
 * @throws NeighboursMissingError that names the missing peers
 */
export async function entrance(
  fabric: MembersFabric,
  member: Member,
  { wait, links }: Pick<MembersOptions, 'wait' | 'links'>,
  check: () => void
): Promise<'begins' | 'joins'> {
  const longest = new LongestWait(wait, fabric.now(), 0)
  for (;;) {
    if (member.donor(fabric.now()) !== undefined) {
      links?.hurry()
      return 'joins'
    }
    if (member.mayBegin) return 'begins'
    check()
    checkWait(fabric, member, longest)
    await fabric.sleep(fabric.now() + lookEvery)
  }
}
