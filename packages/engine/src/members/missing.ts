/** The errors of peers whose awaited messages do not arrive. */
import { type Milliseconds, NeighboursMissingError, type PeerName } from '@murmuration/core'
import type { SwarmStanding } from './members-options.js'

/** The error after a timeout. */
export function timedOut(
  { self, timeout, channel }: { readonly self: PeerName; readonly timeout: Milliseconds; readonly channel: string },
  missing: readonly PeerName[],
  round?: number
): NeighboursMissingError {
  const when = round === undefined ? '' : ` in round ${round}`
  const text = `${self} waited ${timeout} ms for the ${channel} of ${missing.join(', ')}${when}: nothing arrived`
  return new NeighboursMissingError(missing, text)
}

/** @param tooFar - a round of others that was too far ahead of this peer's, if any */
export function noPeerLeft(
  self: PeerName,
  missing: readonly PeerName[],
  round: number,
  tooFar: number | undefined
): NeighboursMissingError {
  const behind =
    tooFar === undefined ? '' : `; others are in round ${tooFar}, and a peer that restarted or stalled cannot catch up`
  const text = `${self} received nothing from ${missing.join(', ')} in round ${round} and has no other neighbour left; it does not train alone${behind}`
  return new NeighboursMissingError(missing, text)
}

export function queueFull(self: PeerName, to: PeerName, round: number): NeighboursMissingError {
  return new NeighboursMissingError([to], `${self} cannot send to ${to} in round ${round}: the queue to it is full`)
}

/** Throws where the file says that a peer ends in the state in which it is. */
export function checkPolicy(
  self: PeerName,
  { state, policy, missing }: Pick<SwarmStanding, 'state' | 'policy' | 'missing'>
): void {
  if (policy === 'stop') throw othersMissing(self, `is ${state}, and the file says "${state}: stop"`, missing)
}

/** @param what - what the peer does without the others, after its name */
export function othersMissing(self: PeerName, what: string, missing: readonly PeerName[]): NeighboursMissingError {
  const list = missing.length === 0 ? '' : `; missing: ${missing.join(', ')}`
  return new NeighboursMissingError(missing, `${self} ${what}${list}`)
}
