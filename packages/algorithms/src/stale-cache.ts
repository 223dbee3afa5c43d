/** What a worker of stale synchronous parallel keeps: what the servers sent last, and its own updates that this does not hold yet. */
import type { PeerName } from '@murmuration/core'
import { linear, rangeOf, type Vector } from './node/vector.js'
import { chunksOf, joined, type ServedNode } from './servers.js'

/** What was sent last of each chunk. All updates of clocks below `clock` are in it, and of one's own those below `own`. */
export type Seen = Readonly<Record<string, { readonly part: Vector; readonly own: number; readonly clock: number }>>

/** One's own updates, by clock. */
export type Updates = Readonly<Record<string, Vector>>

/** What is known before anything was sent. */
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

/** Those of the updates that some chunk does not hold. */
export function notIn(seen: Seen, updates: Updates): Updates {
  const least = Math.min(...Object.values(seen).map(({ own }) => own))
  return Object.fromEntries(Object.entries(updates).filter(([clock]) => Number(clock) >= least))
}

/** What was seen, and one's own updates that are not in it. */
export function withUpdates(node: ServedNode, seen: Seen, updates: Updates): Vector {
  const parts = chunksOf(node).map(({ part, range }) => {
    const own = Object.entries(updates).filter(([clock]) => Number(clock) >= seen[part].own)
    return linear([1, seen[part].part], ...own.map(([, u]) => [1, rangeOf(u, range)] as const))
  })
  return joined(node, parts)
}
