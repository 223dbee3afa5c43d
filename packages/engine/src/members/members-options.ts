import type { Fabric, Milliseconds, PeerName, Topology } from '@murmuration/core'
import type {
  Member,
  MemberChange,
  MemberPolicy,
  MembershipSettings,
  MemberState,
  Signer
} from '@murmuration/membership'

/** What members need of a fabric. */
export interface MembersFabric extends Pick<
  Fabric<unknown>,
  'self' | 'random' | 'signal' | 'now' | 'tell' | 'listen' | 'sleep' | 'wake'
> {
  spawn(activity: (fabric: MembersFabric) => Promise<void>): void
}

/** The links of this peer to its neighbours. */
export interface OwnLinks {
  /** The neighbours with which no vector can be exchanged now. */
  readonly missing: readonly PeerName[]
  /** The run has begun without this peer: what is missing is built at once. */
  hurry(): void
}

/** How a peer is a member of its swarm. */
export interface MembersOptions {
  /** Differences from `membershipDefaults`. */
  readonly settings?: Partial<MembershipSettings>
  /** As in the file, of all peers. */
  readonly topology: Topology
  /** Its peers that are not waited for until they have joined by invitation. */
  readonly places?: readonly PeerName[] | undefined
  readonly signer: Signer
  /** Absent where all are there from the start. */
  readonly links?: OwnLinks | undefined
  /** How long a peer waits for the run to begin, and later for the run to continue, before it gives up. */
  readonly wait: { readonly start: Milliseconds; readonly pause: Milliseconds }
  /** Takes in other notes than those of the members. Returns the sender's fault, if there is one. */
  readonly others?:
    | { isMine(note: string): boolean; take(from: PeerName, note: string): string | undefined }
    | undefined
  /** Called with each change, and how the swarm looks after it. */
  readonly onChange?: (change: MemberChange, standing: SwarmStanding) => void
}

/** How the swarm looks to one peer. */
export interface SwarmStanding {
  readonly state: MemberState
  /** What the peer does in this state. */
  readonly policy: MemberPolicy
  readonly members: readonly PeerName[]
  readonly present: readonly PeerName[]
  /** All of the peer list that are not present. */
  readonly missing: readonly PeerName[]
}

export function standingOf({
  state,
  policy,
  members,
  present,
  missing
}: Pick<Member, keyof SwarmStanding>): SwarmStanding {
  return { state, policy, members, present, missing }
}
