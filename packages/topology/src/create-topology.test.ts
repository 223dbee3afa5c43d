import { InputError, type PeerName, peerName, type Topology } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import { createTopology } from './create-topology.js'
import type { GraphDescription } from './graph-description.js'
import { mixingMatrix } from './mixing-topology.js'
import { rowOf } from './sparse.js'

const named = (text: string) => text.split(' ').map(peerName)
const numbered = (size: number) => Array.from({ length: size }, (_, k) => peerName(`p${String(k).padStart(3, '0')}`))
const dense = (topology: Topology, round = 0) => {
  const matrix = mixingMatrix(topology, round)
  return topology.peers.map((_, row) => {
    const entries = new Map(rowOf(matrix, row).map(({ column, value }) => [column, value]))
    return topology.peers.map((_, column) => entries.get(column) ?? 0)
  })
}
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Edges of a connected graph: a random tree, and further edges. */
const edgeLists = fc.integer({ min: 2, max: 12 }).chain((size) =>
  fc
    .tuple(
      fc.tuple(...Array.from({ length: size - 1 }, (_, k) => fc.integer({ min: 0, max: k }))),
      fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 20 })
    )
    .map(([parents, more]) => {
      const keys = [...parents.map((parent, k) => [parent, k + 1]), ...more].filter(([a, b]) => a !== b)
      const unique = [...new Set(keys.map(([a, b]) => `${Math.min(a, b)} ${Math.max(a, b)}`))]
      const peers = numbered(size)
      const edges = unique.map((key): [string, string] => {
        const [a, b] = key.split(' ').map(Number)
        return [peers[a], peers[b]]
      })
      return { peers, edges }
    })
)

test('Metropolis weights are symmetric and doubly stochastic on every undirected graph', (t) => {
  fc.assert(
    fc.property(edgeLists, ({ peers, edges }) => {
      const W = dense(createTopology({ peers, graph: { kind: 'edges', edges }, weights: 'metropolis' }))
      for (const [i, row] of W.entries()) {
        t.true(Math.abs(sum(row) - 1) < 1e-12)
        t.true(row.every((weight) => weight >= 0))
        t.true(row[i] > 0)
        t.deepEqual(
          row,
          W.map((other) => other[i])
        )
      }
    })
  )
})

test('Metropolis weights of a path are 1 / (1 + the larger degree)', (t) => {
  const graph: GraphDescription = {
    kind: 'edges',
    edges: [
      ['a', 'b'],
      ['b', 'c']
    ]
  }
  const third = 1 / 3
  t.deepEqual(
    dense(createTopology({ peers: named('a b c'), graph }))
      .flat()
      .map((weight) => Math.round(weight * 1e12)),
    [2 * third, third, 0, third, third, third, 0, third, 2 * third].map((weight) => Math.round(weight * 1e12))
  )
})

test('uniform weights are the same for the neighbours and the peer itself', (t) => {
  const W = dense(createTopology({ peers: named('a b c d'), graph: { kind: 'star' }, weights: 'uniform' }))
  t.deepEqual(W, [
    [1 / 4, 1 / 4, 1 / 4, 1 / 4],
    [1 / 2, 1 / 2, 0, 0],
    [1 / 2, 0, 1 / 2, 0],
    [1 / 2, 0, 0, 1 / 2]
  ])
})

test('the place in the graph is that in the list, the order of lists is that of names', (t) => {
  const topology = createTopology({ peers: named('c a d b'), graph: { kind: 'ring' } })
  t.deepEqual(topology.peers, named('a b c d'))
  const { receiveFrom, sendTo } = topology.mixing(peerName('d'), 0)
  t.deepEqual(
    receiveFrom.map(({ name }) => name),
    named('a b')
  )
  t.deepEqual(sendTo, receiveFrom)
})

test('a peer sends to exactly those that receive from it, in every round', (t) => {
  const graphs: GraphDescription[] = [{ kind: 'exponential' }, { kind: 'one-peer-exponential' }, { kind: 'star' }]
  for (const graph of graphs) {
    const topology = createTopology({ peers: numbered(11), graph })
    for (let round = 0; round < 2 * topology.period; round++) {
      for (const peer of topology.peers) {
        const takers = topology.peers.filter((other) =>
          topology.mixing(other, round).receiveFrom.some(({ name }) => name === peer)
        )
        t.deepEqual(
          topology.mixing(peer, round).sendTo.map(({ name }) => name),
          takers
        )
        const { selfWeight, receiveFrom } = topology.mixing(peer, round)
        t.true(Math.abs(selfWeight + sum(receiveFrom.map(({ weight }) => weight)) - 1) < 1e-12)
      }
    }
  }
})

test('one-peer exponential: in round k peer i takes half from i − 2^(k mod 3)', (t) => {
  const topology = createTopology({ peers: numbered(8), graph: { kind: 'one-peer-exponential' } })
  t.is(topology.period, 3)
  for (const [round, hop] of [1, 2, 4, 1].entries()) {
    t.deepEqual(topology.mixing(topology.peers[5], round), {
      selfWeight: 1 / 2,
      receiveFrom: [{ name: topology.peers[5 - hop], weight: 1 / 2 }],
      sendTo: [{ name: topology.peers[(5 + hop) % 8], weight: 1 / 2 }]
    })
  }
})

test('given weights are taken from edges, and what is left stays with the peer', (t) => {
  const graph: GraphDescription = {
    kind: 'edges',
    edges: [
      ['a', 'b', 0.5],
      ['b', 'c', 0.25]
    ]
  }
  t.deepEqual(dense(createTopology({ peers: named('a b c'), graph })), [
    [0.5, 0.5, 0],
    [0.5, 0.25, 0.25],
    [0, 0.25, 0.75]
  ])
})

test('a matrix is taken as it is', (t) => {
  const rows = [
    [0.5, 0.5, 0],
    [0, 0.5, 0.5],
    [0.5, 0, 0.5]
  ]
  t.deepEqual(dense(createTopology({ peers: named('a b c'), graph: { kind: 'matrix', rows } })), rows)
})

test('the same seed gives the same graph, another seed another', (t) => {
  const graphs = (seed: number): GraphDescription[] => [
    { kind: 'random-regular', degree: 3, seed },
    { kind: 'erdos-renyi', probability: 0.3, seed },
    { kind: 'small-world', neighbours: 4, rewire: 0.3, seed }
  ]
  const all = (seed: number) => graphs(seed).map((graph) => dense(createTopology({ peers: numbered(16), graph })))
  t.deepEqual(all(1), all(1))
  for (const [k, W] of all(1).entries()) t.notDeepEqual(W, all(2)[k])
})

test('random graphs are pinned: a change of them changes every published run', (t) => {
  const drawn = (graph: GraphDescription) => {
    const { peers, mixing } = createTopology({ peers: numbered(8), graph })
    return peers
      .map((peer) =>
        mixing(peer, 0)
          .receiveFrom.map(({ name }) => name.at(-1))
          .join('')
      )
      .join(' ')
  }
  t.is(drawn({ kind: 'random-regular', degree: 3, seed: 1 }), '234 256 015 047 037 126 157 346')
  t.is(drawn({ kind: 'erdos-renyi', probability: 0.4, seed: 1 }), '24 2347 0134 125 012 36 5 1')
  t.is(drawn({ kind: 'small-world', neighbours: 2, rewire: 0.4, seed: 1 }), '4 5 37 24 035 146 57 26')
})

test('a single peer keeps to itself', (t) => {
  for (const kind of ['ring', 'complete', 'hypercube', 'one-peer-exponential', 'star'] as const) {
    const topology = createTopology({ peers: named('a'), graph: { kind } })
    t.deepEqual(topology.mixing(peerName('a'), 3), { selfWeight: 1, receiveFrom: [], sendTo: [] })
  }
})

test('what cannot be built is refused in words', (t) => {
  const refused = (peers: readonly PeerName[], graph: GraphDescription, message: RegExp) =>
    t.throws(() => createTopology({ peers, graph }), { instanceOf: InputError, message })
  refused([], { kind: 'ring' }, /found no peer/)
  refused(named('a b a'), { kind: 'ring' }, /found "a" again/)
  refused(numbered(6), { kind: 'hypercube' }, /found 6 peers, expected a power of two .*4 or 8/)
  refused(numbered(5), { kind: 'random-regular', degree: 3, seed: 1 }, /expected an even number/)
  refused(numbered(5), { kind: 'random-regular', degree: 5, seed: 1 }, /found 5, expected less than the 5 peers/)
  refused(numbered(16), { kind: 'torus', rows: 3 }, /torus of 3 x 5.33 for 16 peers/)
  refused(numbered(7), { kind: 'torus' }, /torus of 1 x 7/)
  refused(numbered(40), { kind: 'erdos-renyi', probability: 0.01, seed: 1 }, /no connected graph in 200 random graphs/)
  refused(numbered(40), { kind: 'erdos-renyi', probability: 0, seed: 1 }, /found 0, expected more/)
  refused(numbered(2001), { kind: 'complete' }, /at most 2000/)
  refused(
    named('a b'),
    {
      kind: 'matrix',
      rows: [
        [0.5, 0.4],
        [0, 1]
      ]
    },
    /found the sum 0.9 in the row of a, expected 1/
  )
  refused(
    named('a b'),
    {
      kind: 'matrix',
      rows: [
        [1.5, -0.5],
        [0, 1]
      ]
    },
    /weights 1.5, -0.5 for a/
  )
  refused(named('a b'), { kind: 'edges', edges: [['a', 'bb']] }, /found "bb", expected the name of a peer/)
})

test('a peer or a round that does not exist is refused', (t) => {
  const topology = createTopology({ peers: named('a b'), graph: { kind: 'ring' } })
  t.throws(() => topology.mixing(peerName('x'), 0), { instanceOf: RangeError })
  t.throws(() => topology.mixing(peerName('a'), -1), { instanceOf: RangeError })
})
