import type { Milliseconds, PeerName, Random } from '@murmuration/core'
import type { FaultEvent } from './faults.js'

/** Peers that crash and come back all the time. */
export interface Churn {
  /** Of the peers that are there, the fraction that crashes in a minute: above 0, up to 1. */
  readonly perMinute: number
  /** How long one is away on average; without it none comes back. */
  readonly back?: Milliseconds | undefined
  /** Nobody crashes before. */
  readonly after: Milliseconds
  /** Nobody crashes from then on; who is away still comes back. */
  readonly until: Milliseconds
}

const minute: Milliseconds = 60_000

/**
 * Draws the crashes and restarts of each peer from a stream of its own: how long it is there is exponentially distributed with mean
 * 1 min / `perMinute`, how long it is away with mean `back`. So who is there crashes at the same rate at any time, whatever has happened to it before,
 * and the number of those that are there settles. In the order of the times.
 */
export function drawChurn(random: Random, peers: readonly PeerName[], churn: Churn): FaultEvent[] {
  return peers.flatMap((peer) => churnOf(random.stream(peer), peer, churn)).sort((left, right) => left.at - right.at)
}

/** How many crashes to expect at most. */
export function expectedCrashes(peers: number, { perMinute, after, until }: Churn): number {
  return (peers * perMinute * Math.max(0, until - after)) / minute
}

function churnOf(random: Random, peer: PeerName, { perMinute, back, after, until }: Churn): FaultEvent[] {
  const events: FaultEvent[] = []
  const wait = (mean: Milliseconds) => -Math.log(1 - random.uniform()) * mean
  for (let at = after + wait(minute / perMinute); at < until; at += wait(minute / perMinute)) {
    events.push({ at, kind: 'crash', peer })
    if (back === undefined) break
    at += wait(back)
    events.push({ at, kind: 'restart', peer })
  }
  return events
}
