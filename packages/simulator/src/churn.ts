import { log, type Milliseconds, type PeerName, type Random } from '@murmuration/core'
import type { FaultEvent } from './faults.js'

/** Peers that crash and come back all the time. */
export interface Churn {
  /** The fraction of the present peers that crashes per minute: above 0, up to 1. */
  readonly perMinute: number
  /** How long a peer is away on average; without it none comes back. */
  readonly back?: Milliseconds | undefined
  /** No peer crashes before. */
  readonly after: Milliseconds
  /** No peer crashes from then on; peers that are away still come back. */
  readonly until: Milliseconds
}

const minute: Milliseconds = 60_000

/**
 * Draws the crashes and restarts of each peer from a stream of its own: its time up is exponentially distributed with
 * mean 1 min / `perMinute`, its time away with mean `back`. So a peer that is up crashes at the same rate at any time,
 * whatever its history, and the number of peers that are up settles. Sorted by time.
 */
export function drawChurn(random: Random, peers: readonly PeerName[], churn: Churn): FaultEvent[] {
  return peers.flatMap((peer) => churnOf(random.stream(peer), peer, churn)).sort((left, right) => left.at - right.at)
}

/** The most crashes to expect. */
export function expectedCrashes(peers: number, { perMinute, after, until }: Churn): number {
  return (peers * perMinute * Math.max(0, until - after)) / minute
}

function churnOf(random: Random, peer: PeerName, { perMinute, back, after, until }: Churn): FaultEvent[] {
  const events: FaultEvent[] = []
  const wait = (mean: Milliseconds) => -log(1 - random.uniform()) * mean
  for (let at = after + wait(minute / perMinute); at < until; at += wait(minute / perMinute)) {
    events.push({ at, kind: 'crash', peer })
    if (back === undefined) break
    at += wait(back)
    events.push({ at, kind: 'restart', peer })
  }
  return events
}
