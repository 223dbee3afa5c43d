import type { Milliseconds } from '@murmuration/core'
import type { MemberState } from './states.js'

/** What a peer does in a state that may be a minority's: continue alone, wait, or end. */
export type MemberPolicy = 'continue' | 'pause' | 'stop'

/** The settings of a membership; all times in milliseconds. */
export interface MembershipSettings {
  /** How many peers may begin round 0 without the others. Without it and `startWithin`: all of the peer list. */
  readonly quorum?: number | undefined
  /** How long a quorum waits for the others. The quorum is a majority of the peer list unless `quorum` is given. */
  readonly startWithin?: Milliseconds | undefined
  readonly partitioned: MemberPolicy
  readonly isolated: MemberPolicy
  /** A majority no longer counts a member that has been dead for this long. */
  readonly forgetAfter: Milliseconds
  /** How many exchanges a peer may be behind the median before it takes a state. */
  readonly lag: number
  /** How many liars the swarm tolerates: one vote more removes a peer. */
  readonly liars: number
  /** How often `tick` is called. */
  readonly tick: Milliseconds
  /** How often a peer signals that it lives. */
  readonly beat: Milliseconds
  /** Bounds of the silence after which a contact is suspected; between them it is twice the largest recent gap. */
  readonly minSuspectAfter: Milliseconds
  readonly maxSuspectAfter: Milliseconds
  /** The age at which a gap counts half. */
  readonly gapHalfLife: Milliseconds
  /** How long a suspected peer has to answer, or others to vouch for it. */
  readonly probeFor: Milliseconds
  /** How long a peer that starts waits for the state of a single peer that has begun. */
  readonly answerWithin: Milliseconds
  /** A contact is present when something arrived from it within this time. */
  readonly presentFor: Milliseconds
  /** A record names the peers that its peer waits for once the wait is this long. */
  readonly tellWaitAfter: Milliseconds
  /** How long a peer that too often has a new life stays out of the rows, at first and at most. */
  readonly lifeInterval: Milliseconds
  readonly maxLifeInterval: Milliseconds
}

/** The defaults, and all timers, in one place. docs/understand/membership.md gives the reasons. */
export const membershipDefaults: MembershipSettings = {
  partitioned: 'pause',
  isolated: 'pause',
  forgetAfter: 600_000,
  lag: 8,
  liars: 1,
  tick: 250,
  beat: 500,
  minSuspectAfter: 2000,
  maxSuspectAfter: 5000,
  gapHalfLife: 360_000,
  probeFor: 1500,
  answerWithin: 10_000,
  presentFor: 4000,
  tellWaitAfter: 2000,
  lifeInterval: 1000,
  maxLifeInterval: 60_000
}

/** What a peer does in a state. */
export function policyIn(state: MemberState, settings: MembershipSettings): MemberPolicy {
  return state === 'partitioned' || state === 'isolated' ? settings[state] : 'continue'
}
