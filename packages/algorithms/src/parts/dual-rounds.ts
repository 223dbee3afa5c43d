/** The steps of a round of a support vector machine in the dual. */
import type { PeerName } from '@murmuration/core'
import type { NodeKernel, Route, Vector } from '@murmuration/engine'
import { allGather } from './collectives/all-gather.js'
import type { CollectiveChannel } from './collectives/ranks.js'
import { chosen, type DualSample, isEliminated, solved, type ViolatingPair } from './dual-blocks.js'
import { inputsOf, messageLength, readSamples, writtenSamples } from './dual-messages.js'
import { type DualNumbers, marks } from './dual-state.js'

/** What the steps need of a node. */
export interface DualNode {
  readonly self: PeerName
  readonly kernel: NodeKernel
  readonly best: CollectiveChannel
  readonly support: CollectiveChannel
  peers(): readonly PeerName[]
  route(round: number): Route
}

/** Where the messages of a round go, and the parameters, which give the length of their parts. */
export interface DualRound {
  readonly round: number
  readonly x: Vector
}

const isActive = (mark: number) => mark !== marks.eliminated
const isOfLastBlock = (mark: number) => mark === marks.inLastBlock

/**
 * Exchanges at most `count` of the most violating samples of each peer. Returns those of all, in the order of their
 * numbers, and how many samples are active.
 */
export async function exchangeSamples(
  node: DualNode,
  dual: DualNumbers,
  count: number,
  { round, x }: DualRound
): Promise<{ readonly samples: readonly DualSample[]; readonly active: number }> {
  const { kernel } = node
  const shards = node.peers().map((peer) => kernel.shardOf(peer).count)
  const length = messageLength(Math.min(count, Math.max(...shards)), kernel)
  const active = dual.placesWhere(isActive)
  const { y, f, c, alpha } = dual
  const places = chosen({ active, y, alpha, f, c }, count, dual.placesWhere(isOfLastBlock))
  const mine = writtenSamples(places, active.length, dual, kernel, length)
  const all = await allGather(node.best, node.route(round), x, mine, () => length)
  const read = inOrder(node).map((peer) => readSamples(peer, all.get(peer) ?? mine, dual, kernel))
  return {
    samples: read.flatMap(({ samples }) => samples),
    active: read.reduce((sum, each) => sum + each.active, 0)
  }
}

/** How many samples the peers have. */
export function samplesOf({ kernel, peers }: Pick<DualNode, 'kernel' | 'peers'>): number {
  return peers().reduce((sum, peer) => sum + kernel.shardOf(peer).count, 0)
}

/** The peers in the order of the numbers of their samples. */
function inOrder(node: DualNode): readonly PeerName[] {
  const { kernel } = node
  return [...node.peers()].sort((a, b) => kernel.shardOf(a).first - kernel.shardOf(b).first)
}

/** Solves the small problem on a block, and updates α of all and f of this peer's active samples. */
export async function solveBlock(
  { kernel }: DualNode,
  dual: DualNumbers,
  block: readonly DualSample[],
  tolerance: number
): Promise<void> {
  const products = new Float64Array(block.length ** 2)
  await kernel.among(block, products)
  const moves = dual.move(block, solved(block, products, kernel.c, tolerance))
  await kernel.accumulate(block, moves, dual.numbersWhere(isActive), dual.f, dual.first)
  dual.round()
}

/** Leaves out the active samples that will probably stay at their bound. */
export function eliminate(dual: DualNumbers, extremes: ViolatingPair): void {
  const { y, alpha, f, c } = dual
  for (const i of dual.placesWhere(isActive))
    if (isEliminated(y[i], alpha[i], f[i], c, extremes)) dual.marks[i] = marks.eliminated
}

/** Computes f of the eliminated samples anew, from the support vectors of all peers, and makes all samples active. */
export async function reconstruct(node: DualNode, dual: DualNumbers, { round, x }: DualRound): Promise<void> {
  const { kernel } = node
  const supportOf = (peer: PeerName) => {
    const { first, count } = kernel.shardOf(peer)
    return Array.from({ length: count }, (_, i) => first + i).filter((at) => dual.coefficients[at] !== 0)
  }
  const lengthOf = (peer: PeerName) => supportOf(peer).length * kernel.width
  const mine = inputsOf(supportOf(node.self), kernel)
  const all = await allGather(node.support, node.route(round), x, mine, lengthOf)
  const support = inOrder(node).flatMap((peer) =>
    supportOf(peer).map((at, index) => ({
      at,
      factor: dual.coefficients[at],
      input: (all.get(peer) ?? mine).subarray(index * kernel.width, (index + 1) * kernel.width)
    }))
  )
  const eliminated = dual.placesWhere((mark) => !isActive(mark))
  for (const i of eliminated) dual.f[i] = -dual.y[i]
  await kernel.accumulate(
    support,
    Float64Array.from(support, ({ factor }) => factor),
    eliminated.map((i) => dual.first + i),
    dual.f,
    dual.first
  )
  for (const i of eliminated) dual.marks[i] = marks.active
  dual.round()
}
