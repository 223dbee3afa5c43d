/**
 * Real peers: all of a topology as processes of this machine, or only this machine's peer.
 *
 * @packageDocumentation
 */
export { type Guest, invitationsHere, invitationText, revokeInvitations } from './admission/invite.js'
export { acceptInvitation, type AcceptedInvitation, type AcceptOptions } from './join.js'
export { identityDirectory } from '../training/peer-list.js'
export type { CheckpointOptions } from './checkpoints/checkpoints.js'
export type { CheckpointInterval } from './checkpoints/interval.js'
export type { MinFinished } from './swarm/min-finished.js'
export { recordRun, type RecordOptions } from './recording/record-run.js'
export { type PeerCommandOptions, runPeerCommand } from './peer-command.js'
export { runSwarm, type SwarmOptions } from './swarm/swarm.js'
