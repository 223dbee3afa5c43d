import { type Links, type Milliseconds, pathCap, type PeerName, type Random } from '@murmuration/core'
import { bytePerMillisecond } from './line.js'

/** The path of bytes to one peer, apart from the line that all paths share. */
export interface ShapedPath {
  /** Bytes per millisecond that are never exceeded. */
  readonly cap: number
  /** How long the bytes of one hand-over are in flight; random with jitter. */
  delay(): Milliseconds
}

/** The route to a neighbour that has not proven its id yet. */
export const unknownRoute: ShapedPath = { cap: Number.POSITIVE_INFINITY, delay: () => 0 }

/** The route from one peer to another. */
export function routeOf(links: Links, from: PeerName, to: PeerName, random: Random): ShapedPath {
  const { latency, jitter } = links.path(from, to)
  return { cap: capOf(links, from, to), delay: () => latency + (jitter > 0 ? jitter * random.uniform() : 0) }
}

/** Bytes per millisecond that one connection never exceeds: the least of the path's cap and the receiver's line. */
export function capOf(links: Links, from: PeerName, to: PeerName): number {
  return Math.min(pathCap(links.path(from, to), links.path(to, from)), links.access(to).down / bytePerMillisecond)
}
