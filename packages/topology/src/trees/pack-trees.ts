import type { Links, PeerName } from '@murmuration/core'
import { cheapestArborescence } from './arborescence.js'
import type { PackedTree, TreePacking } from './packed-tree.js'
import { gainOf, minGain, type PackingColumn, PackingProgram } from './packing-program.js'
import { checkWays, linesOf, type SharedLines } from './shared-lines.js'

/** What a unit of detour costs: among trees that are equally fast, those with the least detours are taken. */
const detour = 1e-9
/** How much of a unit an edge is that neither leads to the root nor from it, compared with one on a slow line. */
const hop = 0.1
/** Up to so many peers the packing is exact; beyond, the search ends once it is this near the bound. */
const maxExact = 24
const nearEnough = 0.99
/** Among more peers the first trees are all. */
const maxSearched = 64
/** How much of the best prices so far is in those of the next trees. */
const inward = 0.8
/** Trees of a round of the search: those of all roots resemble each other. */
const maxColumns = 4
/** So many rounds of the search look for flatter trees after the rate is reached. */
const maxFlatter = 2
/** Bounds the search, in multiplications: about 10 seconds. Only pairs with uneven limits of their own come near it. */
const maxWork = 1.5e9
/** Less than this fraction of the rate is rounding. */
const negligible = 1e-7

/**
 * The fastest all-reduce along trees: partial sums travel to the root of a tree, the mean travels back along another
 * tree.
 *
 * A tree takes of a line the number of its edges that pass through the line, so the fastest packing is a linear program
 * over lines. It is solved by column generation: the next tree of each root is the cheapest at the present prices of
 * the lines. The prices also prove the bound: a tree costs at least what the cheapest one does, and all trees together
 * at most what all lines are worth. In a graph where each edge is a line, the bound of a broadcast is that of Edmonds
 * (Edge-disjoint branchings, Combinatorial Algorithms, 1973).
 *
 * Throws an InputError where the lines do not connect all peers both ways.
 *
 * @param peers - in the order of names
 */
export function packAllReduce(peers: readonly PeerName[], links: Links): TreePacking {
  return packTrees(linesOf(peers, links), [...peers.keys()], true)
}

/** The fastest broadcast from `root` along trees, found as by {@link packAllReduce}. */
export function packBroadcast(peers: readonly PeerName[], links: Links, root: PeerName): TreePacking {
  return packTrees(linesOf(peers, links), [peers.indexOf(root)], false)
}

/**
 * The fastest packing into these lines.
 *
 * @param roots - the peers that may be roots
 * @param isAllReduce - whether each tree has a way in, too
 */
export function packTrees(lines: SharedLines, roots: readonly number[], isAllReduce: boolean): TreePacking {
  checkWays(lines, isAllReduce ? [...lines.peers.keys()] : roots)
  if (lines.peers.length === 1) return { trees: [], rate: Infinity, bound: Infinity, limits: [] }
  return new TreeSearch(lines, roots, isAllReduce).best()
}

interface TreeColumn extends PackingColumn {
  readonly tree: Omit<PackedTree, 'weight'>
}

/** The search for the next column, and when it ends. */
class TreeSearch {
  readonly #lines: SharedLines
  readonly #roots: readonly number[]
  readonly #isAllReduce: boolean
  readonly #program: PackingProgram<TreeColumn>
  readonly #unlimited: TreeColumn[] = []
  /** For each edge, from → to: how much it uses lines that it could leave to others. */
  readonly #detours: Float64Array
  /** The detours of a tree cost at most this. */
  readonly #maxDetours: number
  #bound = Infinity
  /** The prices of the best bound, at which every tree costs at least 1. */
  #centre = new Float64Array()

  constructor(lines: SharedLines, roots: readonly number[], isAllReduce: boolean) {
    this.#lines = lines
    this.#roots = roots
    this.#isAllReduce = isAllReduce
    this.#program = new PackingProgram(lines.rates)
    const slowest = Math.min(...lines.rates)
    const detourOf = (used: readonly number[] = []) => used.reduce((sum, line) => sum + slowest / lines.rates[line], 0)
    this.#detours = Float64Array.from(lines.uses.flatMap((row) => row.map(detourOf)))
    this.#maxDetours = 2 * lines.peers.length * (Math.max(...this.#detours) + 2 * hop) * detour
  }

  best(): TreePacking {
    const { rates, peers } = this.#lines
    // The flattest trees, and trees that avoid slow lines.
    this.#centre = Float64Array.from(rates, (rate) => 1 / rate)
    for (const prices of [new Float64Array(rates.length), this.#centre]) {
      if (this.#unlimited.length === 0) for (const column of this.#priced(prices)) this.#add(column)
    }
    const aim = peers.length > maxExact ? nearEnough : 1 - 2 * this.#maxDetours
    for (let flatter = 0; flatter < maxFlatter && this.#unlimited.length === 0 && this.#program.work < maxWork;) {
      this.#program.solve(maxWork)
      const prices = this.#prices()
      const columns = peers.length > maxSearched ? [] : this.#gaining(prices)
      if (columns.length === 0) break
      if (worthOf(this.#lines, prices) >= aim * this.#bound) flatter++
      for (const column of columns) this.#add(column)
    }
    return this.#unlimited.length > 0 ? withoutLimit(this.#unlimited) : this.#packing()
  }

  #add(column: TreeColumn): void {
    if (column.lines.length === 0) this.#unlimited.push(column)
    else this.#program.add(column)
  }

  /**
   * Trees that gain at the program's prices. They are the cheapest at prices between those and the ones with the best
   * bound, since the program's own oscillate (in-out separation: Ben-Ameur & Neto, Networks 49, 2007).
   */
  #gaining(prices: Float64Array): readonly TreeColumn[] {
    for (const fraction of [inward, 0]) {
      const between = prices.map((price, line) => fraction * this.#centre[line] + (1 - fraction) * price)
      const found = this.#priced(between).map((column) => ({ column, gain: gainOf(column, prices) }))
      const gaining = found.filter(({ gain }) => gain > minGain).sort((left, right) => right.gain - left.gain)
      if (gaining.length > 0) return gaining.slice(0, maxColumns).map(({ column }) => column)
    }
    return []
  }

  #prices(): Float64Array {
    return this.#program.prices().map((price) => Math.max(0, price))
  }

  /** The cheapest tree of each root; lowers the bound to what these prices prove. */
  #priced(prices: Float64Array): readonly TreeColumn[] {
    const columns = this.#cheapest(prices, detour)
    this.#program.work += 10 * columns.length * this.#lines.peers.length ** 2
    const gain = Math.max(...columns.map((column) => gainOf(column, prices)))
    this.#prove(prices, 1 - gain - this.#maxDetours)
    return columns
  }

  /** No tree costs less than `least` at these prices, which bounds the rate. */
  #prove(prices: Float64Array, least: number): void {
    const bound = worthOf(this.#lines, prices) / least
    if (!(least > 0 && bound < this.#bound)) return
    this.#bound = bound
    this.#centre = prices.map((price) => price / least)
  }

  /** The cheapest tree of each root. */
  #cheapest(prices: Float64Array, perDetour: number): TreeColumn[] {
    const { peers, uses } = this.#lines
    const count = peers.length
    const out = new Float64Array(count * count).fill(Infinity)
    const into = new Float64Array(count * count).fill(Infinity)
    for (let from = 0; from < count; from++) {
      for (let to = 0; to < count; to++) {
        const lines = uses[from][to]
        if (lines === undefined || from === to) continue
        let price = perDetour * this.#detours[from * count + to]
        for (const line of lines) price += prices[line]
        // On the way in the parent is where the edge ends.
        out[from * count + to] = price + perDetour * hopAt(from, count)
        into[to * count + from] = price + perDetour * hopAt(to, count)
      }
    }
    return this.#roots.map((root) => {
      const treeOut = spanning(out, count, root, perDetour)
      return this.#column(root, treeOut, this.#isAllReduce ? spanning(into, count, root, perDetour) : undefined)
    })
  }

  #column(root: number, out: readonly number[], into: readonly number[] | undefined): TreeColumn {
    const { uses, peers } = this.#lines
    const loads = new Map<number, number>()
    let detours = 0
    const take = (from: number, to: number, parent: number) => {
      detours += this.#detours[from * peers.length + to] + (parent === root ? 0 : hopAt(parent, peers.length))
      for (const line of uses[from][to] ?? []) loads.set(line, (loads.get(line) ?? 0) + 1)
    }
    for (const peer of peers.keys()) {
      if (peer === root) continue
      take(out[peer], peer, out[peer])
      if (into !== undefined) take(peer, into[peer], into[peer])
    }
    const tree = into === undefined ? { root, out } : { root, into, out }
    return {
      lines: Int32Array.from(loads.keys()),
      loads: Float64Array.from(loads.values()),
      worth: 1 - detour * detours,
      tree
    }
  }

  #packing(): TreePacking {
    const prices = this.#prices()
    // The exact bound, without what detours cost.
    this.#prove(
      prices,
      Math.min(...this.#cheapest(prices, 0).map((column) => 1 - gainOf({ ...column, worth: 1 }, prices)))
    )
    const packed = this.#program.packed()
    const total = packed.reduce((sum, { amount }) => sum + amount, 0)
    const trees = packed
      .filter(({ amount }) => amount > negligible * total)
      .map(({ column, amount }) => ({ ...column.tree, weight: amount }))
      .sort((left, right) => right.weight - left.weight)
    const rate = trees.reduce((sum, { weight }) => sum + weight, 0)
    return { trees, rate, bound: Math.max(rate, this.#bound), limits: this.#limits(prices) }
  }

  #limits(prices: Float64Array): readonly string[] {
    const { names, rates } = this.#lines
    const value = worthOf(this.#lines, prices)
    return names
      .map((name, line) => ({ name, worth: prices[line] * rates[line] }))
      .filter(({ worth }) => worth > 1e-6 * value)
      .sort((left, right) => right.worth - left.worth)
      .map(({ name }) => name)
  }
}

/** An edge at a peer other than the root; the numbers make the same few peers the parents of all others. */
function hopAt(parent: number, count: number): number {
  return hop * (1 + parent / count)
}

/** The cheapest tree, where edges at the root are no detours. */
function spanning(costs: Float64Array, count: number, root: number, perDetour: number): readonly number[] {
  const atRoot = costs.slice()
  for (let to = 0; to < count; to++) atRoot[root * count + to] -= perDetour * hopAt(root, count)
  return [...cheapestArborescence({ count, root, costs: atRoot })]
}

/** What all lines are worth. At the program's prices it is the present rate. */
function worthOf({ rates }: SharedLines, prices: Float64Array): number {
  return rates.reduce((sum, rate, line) => sum + rate * prices[line], 0)
}

function withoutLimit(columns: readonly TreeColumn[]): TreePacking {
  const trees = columns.map(({ tree }) => ({ ...tree, weight: 1 }))
  return { trees, rate: Infinity, bound: Infinity, limits: [] }
}
