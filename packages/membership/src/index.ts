/**
 * What the peers of a swarm know of each other, without I/O: signed records and votes that merge in any order,
 * suspicion of silent peers, states, and graphs that bypass peers that cannot be used. docs/understand/membership.md
 * has the protocol.
 *
 * @packageDocumentation
 */
export { ownShare, type Reunion } from './apart.js'
export type { MemberChange } from './changes.js'
export { type BrokenPair, distinctPairs, repairedRow } from './graph.js'
export { Member } from './member.js'
export type { MemberOptions } from './member-options.js'
export { type AddressedNote, maxNoteLength } from './notes.js'
export type { MemberProgress } from './own-report.js'
export type { PeerRecord, PeerStatus, Signer, Vote } from './records.js'
export { membershipDefaults, type MemberPolicy, type MembershipSettings } from './settings.js'
export type { MemberState } from './states.js'
export { sign } from './signing.js'
export { Suspicion } from './suspicion.js'
export type { SwarmView } from './swarm-view.js'
export { trustingSigner } from './trusting-signer.js'
