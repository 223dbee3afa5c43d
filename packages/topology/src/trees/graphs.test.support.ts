import { invariant } from '@murmuration/core'
import type { SharedLines } from './shared-lines.js'
import { named } from './trees.test.support.js'

/** Row u, column v: the capacity of the edge from u to v; 0 for none. */
export type Capacities = readonly (readonly number[])[]

/** Each edge is a line. */
export function linesOfGraph(capacities: Capacities): SharedLines {
  const rates: number[] = []
  const uses = capacities.map((row, u) =>
    row.map((capacity, v) => (u === v ? [] : capacity > 0 ? [rates.push(capacity) - 1] : undefined))
  )
  return { peers: named(capacities.length), rates, names: rates.map((_, line) => `line ${line}`), uses }
}

/** Maximum flow by Dinic's algorithm (Soviet Mathematics Doklady 11, 1970). */
class FlowNetwork {
  /** The edges that begin at each node; the one back has the next index, or the one before. */
  readonly #edges: number[][]
  readonly #to: number[] = []
  readonly #capacities: number[] = []

  constructor(count: number) {
    this.#edges = Array.from({ length: count }, () => [])
  }

  add(from: number, to: number, capacity: number): void {
    this.#edges[from].push(this.#to.push(to) - 1)
    this.#capacities.push(capacity)
    this.#edges[to].push(this.#to.push(from) - 1)
    this.#capacities.push(0)
  }

  max(source: number, sink: number): number {
    const left = this.#capacities.slice()
    let total = 0
    for (;;) {
      const levels = this.#levels(source, left)
      if (levels[sink] < 0) return total
      const next = this.#edges.map(() => 0)
      const push = (node: number, flow: number): number => {
        if (node === sink) return flow
        for (; next[node] < this.#edges[node].length; next[node]++) {
          const edge = this.#edges[node][next[node]]
          if (left[edge] <= 0 || levels[this.#to[edge]] !== levels[node] + 1) continue
          const pushed = push(this.#to[edge], Math.min(flow, left[edge]))
          if (pushed <= 0) continue
          left[edge] -= pushed
          left[edge ^ 1] += pushed
          return pushed
        }
        return 0
      }
      for (let pushed = push(source, Infinity); pushed > 0; pushed = push(source, Infinity)) total += pushed
    }
  }

  #levels(source: number, left: readonly number[]): readonly number[] {
    const levels = this.#edges.map((_, node): number => (node === source ? 0 : -1))
    const queue = [source]
    for (const node of queue) {
      for (const edge of this.#edges[node]) {
        if (left[edge] <= 0 || levels[this.#to[edge]] >= 0) continue
        levels[this.#to[edge]] = levels[node] + 1
        queue.push(this.#to[edge])
      }
    }
    return levels
  }
}

function networkOf(capacities: Capacities, others = 0): FlowNetwork {
  const network = new FlowNetwork(capacities.length + others)
  for (const [u, row] of capacities.entries()) {
    for (const [v, capacity] of row.entries()) if (u !== v && capacity > 0) network.add(u, v, capacity)
  }
  return network
}

/** The most that a root can broadcast: its smallest cut (Edmonds: Edge-disjoint branchings, 1973). */
export function broadcastBound(capacities: Capacities, root: number): number {
  const others = [...capacities.keys()].filter((node) => node !== root)
  return Math.min(...others.map((node) => networkOf(capacities).max(root, node)))
}

/**
 * The most that all of `computing` can gather of each other: their number / max over cuts S of those in S / what leaves
 * S, by bisection (Zhao et al.: ForestColl, 2024). Other nodes are switches.
 */
export function gatherBound(capacities: Capacities, computing: readonly number[]): number {
  const count = capacities.length
  const isReached = (each: number) =>
    computing.every((sink) => {
      const network = networkOf(capacities, 1)
      for (const node of computing) network.add(count, node, each)
      return network.max(count, sink) > computing.length * each * (1 - 1e-9)
    })
  let least = 0
  let most = Math.max(...capacities.flat()) * count
  while (most - least > 1e-9 * most) {
    const middle = (least + most) / 2
    if (isReached(middle)) least = middle
    else most = middle
  }
  return computing.length * least
}

interface GrowingTree {
  weight: number
  readonly parents: number[]
  readonly nodes: number[]
}

/**
 * Trees of whole weights whose sum is the bound of a broadcast, for whole capacities: an edge joins a tree as far as
 * every node still gets its flow for the trees that are left (ForestColl).
 */
export function edgePacking(capacities: Capacities, root: number): readonly GrowingTree[] {
  const left = capacities.map((row) => row.slice())
  const done: GrowingTree[] = []
  const weight = broadcastBound(capacities, root)
  const open: GrowingTree[] = [{ weight, parents: capacities.map(() => -1), nodes: [root] }]
  for (let tree = open.shift(); tree !== undefined; tree = open.shift()) {
    while (tree.nodes.length < capacities.length) grow(tree, open, left)
    done.push(tree)
  }
  return done
}

function grow(tree: GrowingTree, open: GrowingTree[], left: number[][]): void {
  for (const u of tree.nodes) {
    for (const v of left.keys()) {
      if (left[u][v] === 0 || tree.nodes.includes(v)) continue
      const weight = Math.min(tree.weight, left[u][v], surplusInto(left, open, u, v))
      if (weight <= 0) continue
      if (weight < tree.weight) {
        open.push({ weight: tree.weight - weight, parents: [...tree.parents], nodes: [...tree.nodes] })
      }
      tree.weight = weight
      tree.parents[v] = u
      tree.nodes.push(v)
      left[u][v] -= weight
      return
    }
  }
  invariant(false, 'no edge can join: the capacities are not whole')
}

/** The flow from u to v, where u also feeds all other trees, beyond what these need. */
function surplusInto(left: Capacities, open: readonly GrowingTree[], u: number, v: number): number {
  const network = networkOf(left, open.length)
  let needed = 0
  for (const [index, { weight, nodes }] of open.entries()) {
    network.add(u, left.length + index, weight)
    needed += weight
    for (const node of nodes) network.add(left.length + index, node, Infinity)
  }
  return network.max(u, v) - needed
}
