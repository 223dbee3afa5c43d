import type { Fabric, Milliseconds, PeerName, Topology } from '@murmuration/core'
import type { MemberChange, MemberProgress, MembershipSettings, MemberState, Signer } from '@murmuration/membership'

/** What is needed of a world. */
export interface MembersFabric extends Pick<
  Fabric<unknown>,
  'self' | 'random' | 'signal' | 'now' | 'tell' | 'listen' | 'sleep' | 'wake'
> {
  spawn(activity: (fabric: MembersFabric) => Promise<void>): void
}

/** How a peer is a member of its swarm. */
export interface MembersOptions {
  /** What differs from `membershipDefaults`. */
  readonly settings?: Partial<MembershipSettings>
  /** As the file has it, of all peers. */
  readonly topology: Topology
  /** Those of its peers that nobody waits for before they have come by invitation. */
  readonly places?: readonly PeerName[] | undefined
  readonly signer: Signer
  /** How long a peer waits for the run to begin before it gives up; and how long, once it has begun, to go on. */
  readonly wait: { readonly start: Milliseconds; readonly pause: Milliseconds }
  /** Takes notes of its own kind in, beside those of the members. The result is the sender's fault, if there is one. */
  readonly others?:
    { isMine(note: string): boolean; take(from: PeerName, note: string): string | undefined } | undefined
  /** Told of each change, with how the swarm looks since. */
  readonly onChange?: (change: MemberChange, standing: SwarmStanding) => void
}

/** How the swarm looks to one peer. */
export interface SwarmStanding {
  readonly state: MemberState
  readonly members: readonly PeerName[]
  readonly present: readonly PeerName[]
  /** All of the peer list that are not present. */
  readonly missing: readonly PeerName[]
}

/** Who trains here. */
export interface Trainee {
  progress(): MemberProgress
  /** Whether this peer goes through its rounds at its own pace now, so that nobody is behind. */
  readonly isAtOwnPace: boolean
  /** A peer has begun anew, without the state that it had. */
  onLife(peer: PeerName, life: number): void
}

/** What a peer can do between two rounds. */
export interface BetweenRounds {
  /** Takes in what comes. Ends when anything has, or then. */
  wait(until: Milliseconds): Promise<void>
  /** Since when rounds have gone on at once with nothing of anybody, if they do. */
  aloneSince(): Milliseconds | undefined
  /** Takes the state of another peer, if it gives it. */
  takeState(donor: PeerName): Promise<void>
}
