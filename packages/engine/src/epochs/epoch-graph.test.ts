import { complete } from '@murmuration/contract'
import { type Mixing, type PeerName, peerName, type Topology } from '@murmuration/core'
import type { BrokenPair } from '@murmuration/membership'
import test from 'ava'
import { type Described, refusals } from '../driver/needs.js'
import { epochGraph } from './epoch-graph.js'

const named = (names: string) => [...names].map(peerName)
const fits = () => []

/** A graph of these edges in each round; of `a>b` only a sends. */
function graphOf(names: string, ...rounds: readonly string[]): Topology {
  const peers = named(names)
  const edges = rounds.map((round) => {
    const sends = new Set<string>()
    for (const edge of round.split(' ')) {
      const [from, to] = edge.split(/[->]/)
      sends.add(`${from} ${to}`)
      if (edge.includes('-')) sends.add(`${to} ${from}`)
    }
    return sends
  })
  const mixing = (peer: PeerName, round: number): Mixing => {
    const sends = edges[round % edges.length]
    const to = peers.filter((other) => sends.has(`${peer} ${other}`))
    const from = peers.filter((other) => sends.has(`${other} ${peer}`))
    const weighted = (all: readonly PeerName[]) => all.map((name) => ({ name, weight: 1 / peers.length }))
    return { selfWeight: 1 - to.length / peers.length, receiveFrom: weighted(from), sendTo: weighted(to) }
  }
  return { peers, period: edges.length, mixing }
}

const ring = (names: string) =>
  graphOf(names, [...names].map((name, i) => `${name}-${names[(i + 1) % names.length]}`).join(' '))

const sum = (selfWeight: number, peers: Mixing['sendTo']) => peers.reduce((all, { weight }) => all + weight, selfWeight)

/** What is wrong with a graph, in words. */
function problemsOf(graph: Topology, isSymmetric: boolean): string[] {
  const problems: string[] = []
  const linked = new Map(graph.peers.map((peer) => [peer, new Set<PeerName>()]))
  for (let round = 0; round < graph.period; round++) {
    for (const peer of graph.peers) {
      const { selfWeight, sendTo, receiveFrom } = graph.mixing(peer, round)
      if (Math.abs(sum(selfWeight, sendTo) - 1) > 1e-12) problems.push(`${peer} gives ${sum(selfWeight, sendTo)}`)
      if (isSymmetric && Math.abs(sum(selfWeight, receiveFrom) - 1) > 1e-12) problems.push(`the row of ${peer}`)
      if (selfWeight <= 0) problems.push(`${peer} keeps ${selfWeight}`)
      for (const { name, weight } of sendTo) {
        linked.get(peer)?.add(name)
        linked.get(name)?.add(peer)
        const theirs = graph.mixing(name, round)
        if (theirs.receiveFrom.find((other) => other.name === peer)?.weight !== weight)
          problems.push(`${name} does not expect ${weight} of ${peer}`)
        if (isSymmetric && theirs.sendTo.find((other) => other.name === peer)?.weight !== weight)
          problems.push(`${peer} and ${name} differ`)
      }
    }
  }
  const reached = new Set(graph.peers.slice(0, 1))
  for (const peer of reached) for (const next of linked.get(peer) ?? []) reached.add(next)
  if (reached.size < graph.peers.length) problems.push(`only ${[...reached].join()} reach each other`)
  return problems
}

function graphWith(topology: Topology, names: string, broken: readonly BrokenPair[] = []): Topology {
  const graph = epochGraph(topology, named(names), broken, fits)
  if (!('peers' in graph)) throw new Error(graph.join())
  return graph
}

const subsetsOf = (names: string) =>
  Array.from({ length: 2 ** names.length - 1 }, (_, bits) =>
    [...names].filter((_name, i) => ((bits + 1) >> i) & 1).join('')
  )

const symmetric: Readonly<Record<string, Topology>> = {
  'a ring': ring('abcdefg'),
  'a complete graph': complete(...'abcde'),
  'a tree': graphOf('abcdefg', 'a-b a-c b-d b-e c-f c-g'),
  'edges of a file': graphOf('abcdef', 'a-b b-c c-a c-d d-e d-f'),
  'edges that change by round': graphOf('abcdef', 'a-b c-d e-f', 'b-c d-e f-a', 'a-d b-e c-f')
}
for (const [title, topology] of Object.entries(symmetric)) {
  test(`${title}: any of its peers have a connected graph with symmetric weights that sum to 1`, (t) => {
    for (const names of subsetsOf(topology.peers.join('')))
      t.deepEqual(problemsOf(graphWith(topology, names), true), [], names)
  })

  test(`${title}: the same where a pair cannot exchange, and they do not`, (t) => {
    const { peers } = topology
    for (const [index, left] of peers.entries())
      for (const right of peers.slice(index + 1)) {
        const graph = graphWith(topology, peers.join(''), [[left, right]])
        t.deepEqual(problemsOf(graph, true), [], `${left} ${right}`)
        for (let round = 0; round < graph.period; round++)
          t.false(graph.mixing(left, round).sendTo.some(({ name }) => name === right))
      }
  })
}

for (const sums of ['rows', 'columns'] as const) {
  test(`a directed graph keeps its directions, and its ${sums} sum to 1`, (t) => {
    const topology = graphOf('abcde', 'a>b b>c c>d d>e e>a a>c')
    for (const names of subsetsOf('abcde')) {
      const graph = epochGraph(topology, named(names), [], () => [], sums) as Topology
      for (const peer of names === 'abcde' ? [] : graph.peers) {
        const { selfWeight, receiveFrom, sendTo } = graph.mixing(peer, 0)
        const others = (sums === 'rows' ? receiveFrom : sendTo).reduce((sum, { weight }) => sum + weight, 0)
        t.true(Math.abs(selfWeight + others - 1) < 1e-12, `${names} ${peer}`)
      }
    }
  })
}

test('the topology itself, where nobody is missing and all can exchange', (t) => {
  const topology = ring('abcd')
  t.is(graphWith(topology, 'abcd'), topology)
  t.not(graphWith(topology, 'abc'), topology)
  t.throws(() => graphWith(topology, 'abc').mixing(peerName('d'), 0), { message: /d is no member/ })
})

const recordOf = (needs: Described['needs']): Described => ({ title: 'D²', needs }) as unknown as Described
const refusedBy = (needs: Described['needs']) => (topology: Topology) =>
  refusals(recordOf(needs), { topology, servers: [] })

test('where a bound on eigenvalues refuses a ring of four survivors, half of each weight is kept', (t) => {
  const refuses = refusedBy({ weights: 'symmetric', graph: 'fixed', eigenvalues: -1 / 3 })
  const topology = ring('abcdef')
  const plain = graphWith(topology, 'abcd')
  t.deepEqual(
    plain.mixing(peerName('a'), 0).sendTo.map(({ name }) => name),
    named('bd')
  )
  t.regex(refuses(plain).join(), /needs eigenvalues of W above -0.333, and found -0.333/)
  const graph = epochGraph(topology, named('abcd'), [], refuses)
  if (!('peers' in graph)) return t.fail(graph.join())
  t.deepEqual(problemsOf(graph, true), [])
  t.is(graph.mixing(peerName('a'), 0).sendTo[0].weight, 1 / 6)
  t.is(Math.round(6 * graph.mixing(peerName('a'), 0).selfWeight), 4)
})

test('a tree without an inner peer becomes a tree of the edges around it, for an algorithm that needs one', (t) => {
  const topology = graphOf('abcde', 'a-b a-c a-d d-e')
  const graph = epochGraph(topology, named('bcde'), [], refusedBy({ graph: 'tree' }))
  if (!('peers' in graph)) return t.fail(graph.join())
  t.deepEqual(problemsOf(graph, true), [])
  const edges = graph.peers.map((peer) =>
    graph
      .mixing(peer, 0)
      .sendTo.map(({ name }) => name)
      .join('')
  )
  t.deepEqual(edges, ['cd', 'b', 'be', 'd'])
})

test('where no graph fits, it says why the first one does not', (t) => {
  const topology = graphOf('abcd', 'a-b c-d', 'b-c d-a')
  const problems = epochGraph(topology, named('abc'), [], () => ['it is too small'])
  t.deepEqual(problems, ['it is too small'])
})

test('a tree has no broken pair as an edge, whichever pair that is', (t) => {
  const topology = graphOf('abcdef', 'a-b a-c a-d a-e a-f')
  for (const [left, right] of ['bc', 'bd', 'cd', 'de', 'ef', 'bf'].map(named)) {
    const graph = epochGraph(topology, named('bcdef'), [[left, right]], refusedBy({ graph: 'tree' }))
    if (!('peers' in graph)) return t.fail(graph.join())
    t.deepEqual(problemsOf(graph, true), [])
    t.false(
      graph.mixing(left, 0).sendTo.some(({ name }) => name === right),
      `${left} ${right}`
    )
  }
})

test('peers that cannot reach each other in any way have no graph, and it says which pairs are broken', (t) => {
  const [a, b] = named('ab')
  t.deepEqual(epochGraph(ring('abc'), [a, b], [[a, b]], fits), [
    'b and a cannot reach each other, since these cannot exchange: a–b'
  ])
})
