/**
 * The cache of a worker of stale synchronous parallel: what the servers sent last, and the worker's own updates that
 * are not in it yet.
 */
import type { PeerName } from '@murmuration/core'
import { linear, rangeOf, type Vector } from '@murmuration/engine'
import { chunksOf, joined, type ServedNode } from './servers.js'

/**
 * What was sent last of each chunk. It contains all updates of clocks below `clock`, and the worker's own below `own`.
 */
export type Seen = Readonly<Record<string, { readonly part: Vector; readonly own: number; readonly clock: number }>>

/** The worker's own updates, by clock. */
export type Updates = Readonly<Record<string, Vector>>

/** The cache before anything was sent. */
export function seenAtFirst(node: ServedNode, x: Vector): Seen {
  return Object.fromEntries(
    chunksOf(node).map(({ part, range }) => [part, { part: rangeOf(x, range), own: 0, clock: 0 }])
  )
}

/** The servers of the chunks that lack updates of clocks below `clock`. */
export function lateOf(node: ServedNode, seen: Seen, clock: number): readonly PeerName[] {
  return chunksOf(node)
    .filter(({ part }) => seen[part].clock < clock)
    .map(({ server }) => server)
}

/** The updates that some chunk does not contain. */
export function notIn(seen: Seen, updates: Updates): Updates {
  const least = Math.min(...Object.values(seen).map(({ own }) => own))
  return Object.fromEntries(Object.entries(updates).filter(([clock]) => Number(clock) >= least))
}

/** The cached parameters plus the worker's own updates that they do not contain. */
export function withUpdates(node: ServedNode, seen: Seen, updates: Updates): Vector {
  const parts = chunksOf(node).map(({ part, range }) => {
    const own = Object.entries(updates).filter(([clock]) => Number(clock) >= seen[part].own)
    return linear([1, seen[part].part], ...own.map(([, u]) => [1, rangeOf(u, range)] as const))
  })
  return joined(node, parts)
}
