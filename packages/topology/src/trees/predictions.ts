/** What collectives take on given links: their transfers are played on the lines, for vectors of several lengths. */
import type { Links, Milliseconds, PeerName } from '@murmuration/core'
import type { PackedTree } from './packed-tree.js'
import type { LinearTime, PredictedTime } from './predicted-time.js'
import { linesOf, type SharedLines } from './shared-lines.js'
import { type PlannedTransfer, timeOfTransfers } from './transfers.js'

/** Bytes of a message beside its numbers: the header of a frame. */
const header = 40
/** Vectors whose times are computed, in bytes: 256 B to 256 MiB. */
const sizes = Array.from({ length: 11 }, (_, k) => 4 ** (k + 4))
/** Transfers times connections of what is played: beyond, there are fewer chunks. */
const maxPlayed = 3e5

/** How many chunks each tree has, in proportion to its weight and at least one: about `chunks` together. */
export function chunksOf(trees: readonly PackedTree[], chunks: number): readonly number[] {
  const total = trees.reduce((sum, { weight }) => sum + weight, 0)
  return trees.map(({ weight }) => Math.max(1, Math.round((chunks * weight) / total)))
}

/**
 * Along trees, for a mean or a broadcast.
 *
 * @param chunks - as given to {@link chunksOf}
 */
export function predictTrees(
  peers: readonly PeerName[],
  links: Links,
  trees: readonly PackedTree[],
  chunks: number
): PredictedTime {
  const total = trees.reduce((sum, { weight }) => sum + weight, 0)
  const counts = chunksOf(trees, chunks)
  const cut = trees.map((tree, index) => ({ ...tree, fraction: tree.weight / total, chunks: counts[index] }))
  return alongTrees(peers, links, cut)
}

/**
 * A ring in this order: the sum of a segment travels from peer to peer until all have added theirs, and its mean
 * travels on.
 *
 * @param chunks - in how many chunks each of the n segments is sent
 */
export function predictRing(order: readonly PeerName[], links: Links, chunks: number): PredictedTime {
  const n = order.length
  const trees = order.map((_, root) => ({
    root,
    into: order.map((__, peer) => (peer === root ? -1 : (peer + 1) % n)),
    out: order.map((__, peer) => (peer === root ? -1 : (peer + n - 1) % n)),
    fraction: 1 / n,
    chunks
  }))
  return alongTrees(order, links, trees)
}

/**
 * Direct exchange: a star around each peer.
 *
 * @param chunks - in how many chunks each of the n segments is sent
 */
export function predictDirect(peers: readonly PeerName[], links: Links, chunks: number): PredictedTime {
  const trees = peers.map((_, root) => {
    const star = peers.map((__, peer) => (peer === root ? -1 : root))
    return { root, into: star, out: star, fraction: 1 / peers.length, chunks }
  })
  return alongTrees(peers, links, trees)
}

/** A chain broadcast in this order, in so many chunks. */
export function predictChain(order: readonly PeerName[], links: Links, chunks: number): PredictedTime {
  const out = order.map((_, peer) => peer - 1)
  return alongTrees(order, links, [{ root: 0, out, fraction: 1, chunks }])
}

/** Halving and doubling: a peer's message of a step needs those that it has received in all steps before. */
export function predictHalvingDoubling(peers: readonly PeerName[], links: Links): PredictedTime {
  const n = peers.length
  const doubling: { readonly distance: number; readonly fraction: number }[] = []
  for (let distance = 1; distance < n; distance *= 2) {
    doubling.push({ distance, fraction: Math.min(distance, n - distance) / n })
  }
  const steps = [
    ...doubling.toReversed(),
    ...doubling.map(({ distance, fraction }) => ({ distance: n - distance, fraction }))
  ]
  // Transfer `step` · n + rank is what that rank sends in that step.
  const received = (rank: number, before: number) =>
    steps.slice(0, before).map(({ distance }, step) => step * n + ((rank - distance + n) % n))
  const transfers = steps.flatMap(({ distance, fraction }, step) =>
    Array.from(peers, (_, from) => ({ from, to: (from + distance) % n, fraction, needs: received(from, step) }))
  )
  return played(peers, links, linesOf(peers, links), transfers)
}

/** A tree with its fraction of the vector, and in how many chunks that is sent. */
interface CutTree extends Omit<PackedTree, 'weight'> {
  readonly fraction: number
  readonly chunks: number
}

/** A transfer of a fraction of the vector. */
interface FractionTransfer extends Omit<PlannedTransfer, 'bytes'> {
  readonly fraction: number
}

function alongTrees(peers: readonly PeerName[], links: Links, trees: readonly CutTree[]): PredictedTime {
  const edges = trees.flatMap(edgesOf)
  const connections = new Set(edges.map(({ from, to }) => from * peers.length + to)).size
  const transfers = trees.reduce((sum, tree) => sum + tree.chunks * edgesOf(tree).length, 0)
  const coarser = Math.min(1, maxPlayed / (transfers * connections))
  const cut = trees.map((tree) => ({ ...tree, chunks: Math.max(1, Math.floor(tree.chunks * coarser)) }))
  return played(peers, links, linesOf(peers, links), transfersOf(cut))
}

/** The edges into the root, then those out of it. Each needs those that end where it begins. */
function edgesOf({ root, into = [], out }: Omit<CutTree, 'chunks'>): readonly Omit<FractionTransfer, 'fraction'>[] {
  const inward = [...into.entries()].filter(([peer]) => peer !== root).map(([from, to]) => ({ from, to }))
  const outward = [...out.entries()].filter(([peer]) => peer !== root).map(([to, from]) => ({ from, to }))
  const sumsAt = Array.from(out, (): number[] => [])
  for (const [index, { to }] of inward.entries()) sumsAt[to].push(index)
  const meanAt = new Map(outward.map(({ to }, index) => [to, inward.length + index]))
  return [
    ...inward.map((edge) => ({ ...edge, needs: sumsAt[edge.from] })),
    ...outward.map((edge) => ({ ...edge, needs: edge.from === root ? sumsAt[root] : [meanAt.get(edge.from) ?? 0] }))
  ]
}

/** The transfers of all chunks, the first chunks of all trees first. */
function transfersOf(trees: readonly CutTree[]): readonly FractionTransfer[] {
  const chunks = trees.flatMap((tree) => {
    const edges = edgesOf(tree)
    const fraction = tree.fraction / tree.chunks
    return Array.from({ length: tree.chunks }, (_, turn) => ({ edges, fraction, turn: turn / tree.chunks }))
  })
  const transfers: FractionTransfer[] = []
  for (const { edges, fraction } of chunks.sort((left, right) => left.turn - right.turn)) {
    const first = transfers.length
    for (const { from, to, needs } of edges) {
      transfers.push({ from, to, fraction, needs: needs.map((need) => first + need) })
    }
  }
  return transfers
}

/** The times of the sizes, joined by straight lines: the lower convex hull of these points. */
function played(
  peers: readonly PeerName[],
  links: Links,
  lines: SharedLines,
  transfers: readonly FractionTransfer[]
): PredictedTime {
  const latency = (from: number, to: number): Milliseconds => {
    const path = links.path(peers[from], peers[to])
    return path.latency + path.jitter / 2
  }
  const times = sizes.map((bytes) => {
    const sized = transfers.map((transfer) => ({ ...transfer, bytes: header + transfer.fraction * bytes }))
    return timeOfTransfers(lines, latency, sized)
  })
  const slope = (from: number, to: number) => (times[to] - times[from]) / (sizes[to] - sizes[from])
  const parts: LinearTime[] = []
  for (let from = 0; from < sizes.length - 1; ) {
    let next = from + 1
    for (let to = next + 1; to < sizes.length; to++) if (slope(from, to) <= slope(from, next)) next = to
    const perByte = Math.max(0, slope(from, next))
    parts.push({ latency: Math.max(0, times[next] - perByte * sizes[next]), perByte })
    from = next
  }
  return [parts]
}
