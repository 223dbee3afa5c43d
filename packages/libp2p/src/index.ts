/**
 * The fabric over libp2p: TCP, noise and yamux. The only package that knows libp2p.
 *
 * @packageDocumentation
 */
import './node/polyfill.js'

export { type Admission, type Certificate, certificateSchema, revoke } from './admission/certificates.js'
export type { AdmissionOptions } from './admission/desk.js'
export type { Entered } from './admission/enter-options.js'
export { enterRun, showRun, tellRun } from './admission/enter-run.js'
export { decodeInvitation, encodeInvitation, type Invitation, invite } from './admission/invitation.js'
export { chosenCodecs } from './links/codec-choice.js'
export { defaultLimits, type Limits } from './base/constants.js'
export type { DiscoveryOptions } from './discovery/discovery.js'
export { openSeed } from './discovery/open-seed.js'
export type { Seed, SeedOptions } from './discovery/seed-options.js'
export type { PeerEvent, PeerEventListener, ReceiveFault } from './base/events.js'
export { faultCount, type NeighbourFaults } from './links/fault-account.js'
export { createIdentity, type Identity, parsePeerId } from './base/identity.js'
export { localIdentity, readIdentity, writeIdentity } from './base/identity-file.js'
export { type NeighbourState, type NeighbourStatus, notConnectedYet } from './links/neighbour.js'
export { createPeer } from './create-peer.js'
export type { Peer, PeerOptions } from './peer.js'
export type { PeerListEntry } from './addresses/peer-list.js'
export { type Settings, settingsOf } from './base/settings.js'
export type { Cause, CallProblem } from './base/explain.js'
export { type Called, probe, probeReach, probeRelay, probeRouters, probeSeed } from './probe.js'
export { relayLimits, type RelayLimits, type RelayOptions } from './relay/relay-options.js'
export { shapingProblem } from './shaping/shaper.js'
export { mismatchOf, type RunSettings, startOfTensors } from './base/run-settings.js'
export type { Signer } from './base/signer.js'
export { ownVersions, type Versions } from './base/versions.js'
export type { DirectionTraffic, Traffic } from './base/traffic.js'
