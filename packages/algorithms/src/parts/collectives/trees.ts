/**
 * All-reduce along trees that are packed into the links (Wang et al.: Blink: fast and generic collectives for
 * distributed ML, MLSys 2020, of which the abstract was read; Zhao et al.: ForestColl, 2024, of which the program was
 * read). Each tree has a piece of the vector, as long as its weight says. Partial sums of a piece flow to the root of
 * its tree, and from there the mean flows back.
 *
 * A piece travels in chunks, and a peer works on whatever arrives, so that no tree waits for another. Sums run in the
 * order of names, in float64, rounded once a hop; all peers get the bits of the root.
 */
import { InputError } from '@murmuration/core'
import { chunksOf, type PackedTree } from '@murmuration/topology'
import { concat, cut, linear, type Range, rangeOf, type Vector } from '@murmuration/engine'
import type { RangeMean, Ranks } from './ranks.js'

/** What a peer sends in place of what it has computed. */
export interface Rounding {
  sum(exact: Vector, range: Range): Vector
  mean(exact: Vector, range: Range): Vector
}

const exactly: Rounding = { sum: (exact) => exact, mean: (exact) => exact }

/** A chunk of the vector, the tree along which it travels, and its number. */
export interface TreeChunk {
  readonly tree: PackedTree
  readonly range: Range
  readonly index: number
}

/**
 * The chunks of all trees, the same at all peers: the first of each tree, then the second ones, and so on.
 *
 * @param chunks - how many there are together, about; none is empty
 */
export function chunksOfTrees(
  ranges: readonly Range[],
  trees: readonly PackedTree[],
  chunks: number
): readonly TreeChunk[] {
  const counts = chunksOf(trees, chunks)
  const placed = ranges.flatMap((range) =>
    piecesOf(range, trees).flatMap((piece, place) =>
      cut(piece, Math.max(1, counts[place])).map((part, turn, { length }) => ({
        tree: trees[place],
        range: part,
        turn: turn / length
      }))
    )
  )
  return placed
    .sort((left, right) => left.turn - right.turn || left.range.offset - right.range.offset)
    .map(({ tree, range }, index) => ({ tree, range, index }))
}

/** A range cut in proportion to the weights, by largest remainder; of equal remainders the first tree's counts. */
export function piecesOf({ offset, length }: Range, trees: readonly PackedTree[]): readonly Range[] {
  const total = trees.reduce((sum, { weight }) => sum + weight, 0)
  const shares = trees.map(({ weight }) => (length * weight) / total)
  const lengths = shares.map(Math.floor)
  const rest = length - lengths.reduce((sum, each) => sum + each, 0)
  const byRemainder = [...trees.keys()].sort((i, j) => shares[j] - lengths[j] - (shares[i] - lengths[i]) || i - j)
  for (let given = 0; given < rest; given++) lengths[byRemainder[given % trees.length]]++
  // Shares are rounded, too, so that their whole parts may be one more than all.
  for (let given = rest; given < 0; given++) lengths[lengths.indexOf(Math.max(...lengths))]--
  let start = offset
  return lengths.map((each) => ({ offset: (start += each) - each, length: each }))
}

/**
 * Throws an InputError where trees are not those of as many peers.
 *
 * @param root - of a broadcast; absent for a mean, whose trees go both ways
 */
export function checkTrees(trees: readonly PackedTree[], { count }: Ranks, root?: number): void {
  const isWrong = (tree: PackedTree) =>
    tree.out.length !== count || (root === undefined ? tree.into?.length !== count : tree.root !== root)
  const other = trees.find(isWrong)
  if (other === undefined && trees.length > 0) return
  const found = `trees between ${other?.out.length ?? 0} peers`
  throw new InputError(
    root === undefined || other?.out.length !== count
      ? `collective: found ${found}, expected ${count}, all that take part`
      : `collective: found a tree from peer ${other.root}, expected ${root}, which sends`
  )
}

/** The mean along trees, whose peers are ranks in the order of names. */
export async function treeMean(
  ranks: Ranks,
  x: Vector,
  chunks: readonly TreeChunk[],
  rounding = exactly
): Promise<RangeMean[]> {
  const placeOf = placing(ranks)
  const flows = chunks.map((chunk) => new MeanFlow(ranks, x, placeOf(chunk.tree), chunk, rounding))
  for (const flow of flows) flow.begin()
  await settled(ranks, flows)
  return flows.map(({ range, result }) => ({ offset: range.offset, part: result as Vector }))
}

/** All ranks get the root's x along trees. */
export async function treeBroadcast(ranks: Ranks, x: Vector, chunks: readonly TreeChunk[]): Promise<Vector> {
  const placeOf = placing(ranks)
  const flows = chunks.map(({ tree, range, index }) => new CopyFlow(ranks, placeOf(tree), range, index))
  for (const flow of flows) flow.begin(x)
  await settled(ranks, flows)
  const inOrder = [...flows].sort((left, right) => left.range.offset - right.range.offset)
  return concat(inOrder.map(({ result }) => result as Vector))
}

/** What a peer does with one chunk. */
interface ChunkFlow {
  /** What all peers get, once it is here. */
  readonly result: Vector | undefined
  /** The ranks that must send next. */
  readonly awaited: readonly number[]
  /** How many of these send without waiting for anybody. */
  readonly awaitedLeaves: number
  /** Processes a message; returns what is wrong with it, if it is of no use. */
  take(from: number, phase: number, part: Vector): string | undefined
}

/** Hands messages to the flows, whose parts are 2 · index + phase, until all have their result. */
async function settled(ranks: Ranks, flows: readonly ChunkFlow[]): Promise<void> {
  const heard = new Set<number>()
  let open = flows.filter(({ result }) => result === undefined).length
  let leaves = flows.reduce((sum, { awaitedLeaves }) => sum + awaitedLeaves, 0)
  // To be named if nothing comes: peers that have sent something wait for others too.
  const awaited = () => {
    const all = [...new Set(flows.flatMap((flow) => flow.awaited))]
    const silent = all.filter((rank) => !heard.has(rank))
    return ranks.to(...(silent.length > 0 ? silent : all).sort((left, right) => left - right))
  }
  while (open > 0) {
    // Who waits for peers that wait themselves waits longer: else those would be blamed for the one that is missing.
    const arrival = await ranks.next(awaited, leaves > 0 ? 1 : 2)
    const part = arrival.part - ranks.first
    const flow = flows[part >> 1] as ChunkFlow | undefined
    const leavesBefore = flow?.awaitedLeaves ?? 0
    const from = ranks.rankOf(arrival.from)
    const problem = flow === undefined ? 'no such part is exchanged' : flow.take(from, part & 1, arrival.message.part)
    if (problem !== undefined) {
      ranks.reject(arrival, problem)
      continue
    }
    heard.add(from)
    leaves -= leavesBefore - (flow?.awaitedLeaves ?? 0)
    if (flow?.result !== undefined) open--
  }
}

/** A peer's part in the mean of one chunk: phase 0 carries partial sums to the root, phase 1 the mean from there. */
class MeanFlow implements ChunkFlow {
  readonly range: Range
  result: Vector | undefined
  readonly #ranks: Ranks
  readonly #x: Vector
  readonly #part: number
  readonly #rounding: Rounding
  readonly #tree: PlacedTree
  /** What is summed, by rank. */
  readonly #terms = new Map<number, Vector>()

  constructor(ranks: Ranks, x: Vector, tree: PlacedTree, { range, index }: TreeChunk, rounding: Rounding) {
    this.#ranks = ranks
    this.#x = x
    this.range = range
    this.#part = 2 * index
    this.#rounding = rounding
    this.#tree = tree
  }

  begin(): void {
    this.#add(this.#ranks.own, rangeOf(this.#x, this.range))
  }

  get awaited(): readonly number[] {
    if (this.result !== undefined) return []
    const { children, outOf } = this.#tree
    const missing = children.filter((child) => !this.#terms.has(child))
    return missing.length > 0 ? missing : [outOf]
  }

  get awaitedLeaves(): number {
    return this.#tree.leaves.filter((leaf) => !this.#terms.has(leaf)).length
  }

  take(from: number, phase: number, part: Vector): string | undefined {
    const { children, outOf } = this.#tree
    const isAwaited = phase === 0 ? children.includes(from) && !this.#terms.has(from) : from === outOf && this.#hasAll
    if (!isAwaited || this.result !== undefined) return unawaited
    if (!isOf(this.range, part)) return ofAnotherRange
    if (phase === 0) this.#add(from, part)
    else this.#end(part)
    return undefined
  }

  get #hasAll(): boolean {
    return this.#terms.size === this.#tree.children.length + 1
  }

  #add(rank: number, term: Vector): void {
    this.#terms.set(rank, term)
    if (!this.#hasAll) return
    const { into } = this.#tree
    const factor = into < 0 ? 1 / this.#ranks.count : 1
    const terms = [...this.#terms].sort(([left], [right]) => left - right)
    const sum = linear(...terms.map(([, each]) => [factor, each] as const))
    if (into < 0) this.#end(this.#rounding.mean(sum, this.range))
    else this.#ranks.send(this.#ranks.to(into), this.#part, this.range, this.#rounding.sum(sum, this.range))
  }

  #end(mean: Vector): void {
    this.result = mean
    const { receivers } = this.#tree
    if (receivers.length > 0) this.#ranks.send(this.#ranks.to(...receivers), this.#part + 1, this.range, mean)
  }
}

/** A peer's part in the broadcast of one chunk. */
class CopyFlow implements ChunkFlow {
  readonly awaitedLeaves = 0
  readonly range: Range
  result: Vector | undefined
  readonly #ranks: Ranks
  readonly #tree: PlacedTree
  readonly #part: number

  constructor(ranks: Ranks, tree: PlacedTree, range: Range, index: number) {
    this.#ranks = ranks
    this.#tree = tree
    this.range = range
    this.#part = 2 * index + 1
  }

  /** @param x - the vector to send, at the root */
  begin(x: Vector): void {
    if (this.#tree.outOf < 0) this.#end(rangeOf(x, this.range))
  }

  get awaited(): readonly number[] {
    return this.result === undefined ? [this.#tree.outOf] : []
  }

  take(from: number, phase: number, part: Vector): string | undefined {
    if (phase === 0 || from !== this.#tree.outOf || this.result !== undefined) return unawaited
    if (!isOf(this.range, part)) return ofAnotherRange
    this.#end(part)
    return undefined
  }

  #end(part: Vector): void {
    this.result = part
    const { receivers } = this.#tree
    if (receivers.length > 0) this.#ranks.send(this.#ranks.to(...receivers), this.#part, this.range, part)
  }
}

const unawaited = 'it is not awaited from this peer'
const ofAnotherRange = 'it is of another range'

function isOf({ offset, length }: Range, part: Vector): boolean {
  return part.offset === offset && part.length === length
}

/** The neighbours of one peer in a tree; −1 beyond the root. */
interface PlacedTree {
  readonly into: number
  readonly children: readonly number[]
  /** The children that have none themselves. */
  readonly leaves: readonly number[]
  readonly outOf: number
  readonly receivers: readonly number[]
}

/** Looks this peer up in each tree once. */
function placing({ own }: Ranks): (tree: PackedTree) => PlacedTree {
  const placed = new Map<PackedTree, PlacedTree>()
  return (tree) => {
    const place = placed.get(tree) ?? placeIn(tree, own)
    placed.set(tree, place)
    return place
  }
}

function placeIn({ into = [], out }: PackedTree, own: number): PlacedTree {
  const children = childrenOf(into, own)
  return {
    into: into[own] ?? -1,
    children,
    leaves: children.filter((child) => !into.includes(child)),
    outOf: out[own],
    receivers: childrenOf(out, own)
  }
}

function childrenOf(parents: readonly number[], own: number): readonly number[] {
  return parents.flatMap((parent, rank) => (parent === own ? [rank] : []))
}
