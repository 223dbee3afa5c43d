/**
 * A peer that is held begins no round, though nothing is missing of it: its group may not go on, or others are awaited.
 */
import type { Milliseconds } from '@murmuration/core'
import type { Member } from '@murmuration/membership'

/** How long a peer that is ahead of others present waits for them, so that no peer can hold up all others. */
const waitTogether: Milliseconds = 10_000

/**
 * How long others are awaited before a round, which are there all the same.
 *
 * @param pause - how long a peer waits for the run to continue
 */
export function maxHold(pause: Milliseconds): Milliseconds {
  return Math.min(waitTogether, pause / 2)
}

/** What a peer knows of its own round. */
export interface OwnRound {
  /** Whether it is the one in which it began with its own state. */
  readonly isFirst: boolean
  readonly isAtOwnPace: boolean
  /** When the last sign of any other arrived. */
  readonly lastSign: Milliseconds
  /** Since when rounds have ended at once without any message; undefined if they do not. */
  readonly aloneSince: Milliseconds | undefined
}

/** Whether others are about to begin, most are far behind, or no sign of any has arrived since this peer is alone. */
export function isBeforeOthers(
  member: Pick<Member, 'isAnyJoining' | 'isAhead' | 'present'>,
  { isFirst, isAtOwnPace, lastSign, aloneSince = 0 }: OwnRound
): boolean {
  if (isFirst && member.isAnyJoining) return true
  if (isAtOwnPace) return false
  return member.isAhead || (lastSign < aloneSince && member.present.length > 1)
}
