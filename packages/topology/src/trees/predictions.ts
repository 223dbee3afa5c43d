/** What collectives take on given links: their transfers are played on the lines, for vectors of several lengths. */
import type { Links, Milliseconds, PeerName } from '@murmuration/core'
import type { PackedTree } from './packed-tree.js'
import type { LinearTime, PredictedTime } from './predicted-time.js'
import { linesOf } from './shared-lines.js'
import { type PlannedTransfer, timeOfTransfers } from './transfers.js'

/** Bytes of a message beside its numbers: the header of a frame. */
const header = 40
/** Vectors whose times are computed, in bytes: 256 B to 256 MiB. */
const sizes = Array.from({ length: 11 }, (_, k) => 2 ** (2 * k + 8))
/** Transfers times connections, about, of what is played: beyond, there are fewer chunks. */
const maxPlayed = 3e5
/** Among more peers than this, times are estimated: playing takes too long. */
const maxPeers = 64

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
    Array.from(peers, (_, from) => ({
      from,
      to: (from + distance) % n,
      fraction,
      headers: header,
      needs: received(from, step)
    }))
  )
  return timeOf(peers, links, transfers)
}

/** A tree with its fraction of the vector, and in how many chunks that is sent. */
interface CutTree extends Omit<PackedTree, 'weight'> {
  readonly fraction: number
  readonly chunks: number
}

/** A transfer of a fraction of the vector, with the headers of its messages. */
interface FractionTransfer extends Omit<PlannedTransfer, 'bytes'> {
  readonly fraction: number
  readonly headers: number
}

/** An edge of a tree, and the edges that it needs, by index. */
type TreeEdge = Pick<FractionTransfer, 'from' | 'to' | 'needs'>

function alongTrees(peers: readonly PeerName[], links: Links, trees: readonly CutTree[]): PredictedTime {
  const edges = trees.flatMap(edgesOf)
  const connections = new Set(edges.map(({ from, to }) => from * peers.length + to)).size
  const transfers = trees.reduce((sum, tree) => sum + tree.chunks * edgesOf(tree).length, 0)
  const coarser = Math.min(1, maxPlayed / (transfers * (connections + 50)))
  const all = trees.flatMap((tree) => chunksOfTree(tree, Math.max(1, Math.floor(tree.chunks * coarser))))
  return timeOf(peers, links, transfersOf(all))
}

function timeOf(peers: readonly PeerName[], links: Links, transfers: readonly FractionTransfer[]): PredictedTime {
  return peers.length <= maxPeers ? played(peers, links, transfers) : estimated(peers, links, transfers)
}

/** What the fullest line carries, or the longest way, whichever takes longer. */
function estimated(peers: readonly PeerName[], links: Links, transfers: readonly FractionTransfer[]): PredictedTime {
  const { rates, uses } = linesOf(peers, links)
  const loads = new Float64Array(rates.length)
  const ways = new Float64Array(transfers.length)
  for (const [index, { from, to, fraction, needs }] of transfers.entries()) {
    for (const line of uses[from][to] ?? []) loads[line] += fraction
    ways[index] = latencyOf(links, peers[from], peers[to]) + Math.max(0, ...needs.map((need) => ways[need]))
  }
  return [
    [
      { latency: 0, perByte: rates.reduce((most, rate, line) => Math.max(most, (8000 * loads[line]) / rate), 0) },
      { latency: ways.reduce((most, way) => Math.max(most, way), 0), perByte: 0 }
    ]
  ]
}

/** The edges into the root, then those out of it. Each comes after those that it needs: they end where it begins. */
function edgesOf({ root, into, out }: CutTree): readonly TreeEdge[] {
  const fromRoot = (parents: readonly number[] = []) => outwards(parents, root)
  const inward = fromRoot(into)
    .toReversed()
    .map((peer) => ({ from: peer, to: (into ?? out)[peer] }))
  const outward = fromRoot(out).map((peer) => ({ from: out[peer], to: peer }))
  const sumsAt = Array.from(out, (): number[] => [])
  for (const [index, { to }] of inward.entries()) sumsAt[to].push(index)
  const meanAt = new Map(outward.map(({ to }, index) => [to, inward.length + index]))
  return [
    ...inward.map((edge) => ({ ...edge, needs: sumsAt[edge.from] })),
    ...outward.map((edge) => ({ ...edge, needs: edge.from === root ? sumsAt[root] : [meanAt.get(edge.from) ?? 0] }))
  ]
}

/** All peers but the root, each after its parent. */
function outwards(parents: readonly number[], root: number): readonly number[] {
  const children = parents.map((): number[] => [])
  for (const [peer, parent] of parents.entries()) if (peer !== root) children[parent].push(peer)
  const found = parents.length === 0 ? [] : [root]
  for (const peer of found) found.push(...children[peer])
  return found.slice(1)
}

/** A chunk of a tree's piece of the vector, or several that are played as one. */
interface PlayedChunk extends Omit<FractionTransfer, keyof TreeEdge> {
  readonly edges: readonly TreeEdge[]
  /** When its turn is: from 0, the first of the tree, to 1. */
  readonly turn: number
}

function chunksOfTree(tree: CutTree, count: number): readonly PlayedChunk[] {
  const edges = edgesOf(tree)
  const fraction = tree.fraction / count
  const headers = (header * tree.chunks) / count
  return Array.from({ length: count }, (_, index) => ({ edges, fraction, headers, turn: index / count }))
}

/** The transfers of all chunks, the first chunks of all trees first. */
function transfersOf(chunks: readonly PlayedChunk[]): readonly FractionTransfer[] {
  const transfers: FractionTransfer[] = []
  for (const { edges, fraction, headers } of chunks.toSorted((left, right) => left.turn - right.turn)) {
    const first = transfers.length
    for (const { from, to, needs } of edges) {
      transfers.push({ from, to, fraction, headers, needs: needs.map((need) => first + need) })
    }
  }
  return transfers
}

/** The times of the sizes, joined by straight lines: the lower convex hull of these points. */
function played(peers: readonly PeerName[], links: Links, transfers: readonly FractionTransfer[]): PredictedTime {
  const lines = linesOf(peers, links)
  const latency = (from: number, to: number) => latencyOf(links, peers[from], peers[to])
  const times = sizes.map((bytes) => {
    const sized = transfers.map((transfer) => ({ ...transfer, bytes: transfer.headers + transfer.fraction * bytes }))
    return timeOfTransfers(lines, latency, sized)
  })
  const slope = (from: number, to: number) => (times[to] - times[from]) / (sizes[to] - sizes[from])
  const parts: LinearTime[] = []
  for (let from = 0; from < sizes.length - 1;) {
    let next = from + 1
    for (let to = next + 1; to < sizes.length; to++) if (slope(from, to) <= slope(from, next)) next = to
    const perByte = Math.max(0, slope(from, next))
    parts.push({ latency: Math.max(0, times[next] - perByte * sizes[next]), perByte })
    from = next
  }
  return [parts]
}

function latencyOf(links: Links, from: PeerName, to: PeerName): Milliseconds {
  const { latency, jitter } = links.path(from, to)
  return latency + jitter / 2
}
