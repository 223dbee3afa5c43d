/** The rounds of the Base-(k + 1) graph, as weighted edges (Takezawa et al., NeurIPS 2023, Algorithms 1 to 3). */

/** Two nodes that exchange in a round, and their weight. */
export interface WeightedEdge {
  readonly a: number
  readonly b: number
  readonly weight: number
}

type WeightedEdges = readonly WeightedEdge[]
type Nodes = readonly number[]

/** Nodes that average among themselves: `count` groups of (k + 1)^p. */
interface Block {
  readonly nodes: Nodes
  readonly groups: readonly Nodes[]
}

/**
 * Algorithm 3: the size is p q, where p has all prime factors up to k + 1. First p parts of q nodes average, then q
 * groups with one node of each part. Algorithm 2 on all nodes at once where that takes fewer rounds.
 */
export function baseRounds(size: number, degree: number): readonly WeightedEdges[] {
  const nodes = Array.from({ length: size }, (_, node) => node)
  const smooth = digitsOf(size, degree).reduce((product, digit) => product * digit, 1)
  const rest = size / smooth
  const within = parallel(partsOf(nodes, smooth).map((part) => simpleRounds(part, degree)))
  const group = (place: number) => Array.from({ length: smooth }, (_, part) => part * rest + place)
  const across = parallel(Array.from({ length: rest }, (_, place) => cubeRounds(group(place), degree)))
  const simple = simpleRounds(nodes, degree)
  const rounds = simple.length < within.length + across.length ? simple : [...within, ...across]
  return rounds.length > 0 ? rounds : [[]]
}

/**
 * Algorithm 2, the simple Base-(k + 1) graph. First every block averages internally. Then each block in turn gives its
 * part of the mean to the nodes of all smaller blocks, and its groups average internally what they received in return.
 * The authors' code also adds edges between the idle nodes of a round; they are omitted here, since they do not change
 * the mean.
 */
function simpleRounds(nodes: Nodes, degree: number): readonly WeightedEdges[] {
  const blocks = blocksOf(nodes, degree)
  const first = blocks.map((block) => cubeRounds(block.nodes, degree))
  if (blocks.length === 1) return first[0]
  const second = blocks.map(({ groups }) => parallel(groups.map((group) => cubeRounds(group, degree))))
  const start = first[0].length
  const length = first[0].length + 1 + second[0].length
  return Array.from({ length }, (_, round) => {
    if (round < start) return first.flatMap((rounds) => rounds[round] ?? [])
    const giver = round - start
    const given = giver < blocks.length - 1 ? givingRound(blocks.slice(giver)) : []
    return [...given, ...second.slice(0, giver).flatMap((rounds, block) => rounds[giver - block - 1] ?? [])]
  })
}

/**
 * The first block gives its part of the mean to each node of the others: in each of its groups, one node to each of
 * them.
 */
function givingRound([{ nodes, groups }, ...others]: readonly Block[]): WeightedEdges {
  const takers = others.flatMap((other) => other.nodes)
  const weight = nodes.length / (nodes.length + takers.length) / groups.length
  return groups.flatMap((group) => takers.map((b, place) => ({ a: group[place], b, weight })))
}

/** Algorithm 1, the k-peer hyper-hypercube: in each round, nodes average whose positions differ in one digit. */
function cubeRounds(nodes: Nodes, degree: number): readonly WeightedEdges[] {
  let unit = 1
  return digitsOf(nodes.length, degree).map((digit) => {
    const step = unit
    unit *= digit
    return nodes.flatMap((a, place) => {
      const higher = digit - 1 - (Math.floor(place / step) % digit)
      return Array.from({ length: higher }, (_, k) => ({ a, b: nodes[place + (k + 1) * step], weight: 1 / digit }))
    })
  })
}

/** The factors of `size` up to k + 1, the largest first; a remaining cofactor without such factors is omitted. */
function digitsOf(size: number, degree: number): readonly number[] {
  for (let digit = degree + 1; digit > 1; digit--) {
    if (size % digit === 0) return [digit, ...digitsOf(size / digit, degree)]
  }
  return []
}

/**
 * `size` in base k + 1, the highest digit first: one block for each digit that is not 0, with as many groups as the
 * digit says.
 */
function blocksOf(nodes: Nodes, degree: number): readonly Block[] {
  const base = degree + 1
  let unit = 1
  while (unit * base <= nodes.length) unit *= base
  const blocks: Block[] = []
  for (let from = 0; from < nodes.length; unit /= base) {
    const count = Math.floor((nodes.length - from) / unit)
    if (count === 0) continue
    const own = nodes.slice(from, from + count * unit)
    blocks.push({ nodes: own, groups: partsOf(own, count) })
    from += own.length
  }
  return blocks
}

/** `count` parts of equal length. */
function partsOf(nodes: Nodes, count: number): readonly Nodes[] {
  const length = nodes.length / count
  return Array.from({ length: count }, (_, part) => nodes.slice(part * length, (part + 1) * length))
}

/** Several sequences of rounds run in parallel. */
function parallel(all: readonly (readonly WeightedEdges[])[]): readonly WeightedEdges[] {
  const length = Math.max(0, ...all.map((rounds) => rounds.length))
  return Array.from({ length }, (_, round) => all.flatMap((rounds) => rounds[round] ?? []))
}
