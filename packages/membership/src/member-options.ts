import type { PeerName, Random } from '@murmuration/core'
import type { Signer } from './records.js'
import type { MembershipSettings } from './settings.js'

/** The identity of a member, and how it behaves. */
export interface MemberOptions {
  readonly self: PeerName
  /** All peers of the run, in the same order everywhere. */
  readonly peers: readonly PeerName[]
  /** Those of them that are not waited for before they have come: their places are for invited peers. */
  readonly places?: readonly PeerName[] | undefined
  /** Differences from `membershipDefaults`. */
  readonly settings?: Partial<MembershipSettings>
  readonly signer: Signer
  /** Called when something has been signed after the call that needed it: `take` has more notes. */
  readonly onSigned?: (() => void) | undefined
  readonly random: Random
  /** The last life and round in a checkpoint of this peer, when it continues from one. */
  readonly lifeBefore?: number | undefined
  readonly roundBefore?: number | undefined
}
