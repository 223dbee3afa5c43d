import { createRandom } from '@murmuration/random'
import test from 'ava'
import fc from 'fast-check'
import { reverseOf } from '../connectivity.js'
import { type Graph, graphOf } from '../graphs.js'
import { drawErdosRenyi } from './erdos-renyi.js'
import { drawRegular } from './random-regular.js'
import { drawSmallWorld } from './small-world.js'

const edges = (graph: Graph) => graph.reduce((sum, sources) => sum + sources.length, 0) / 2
const isSimple = (graph: Graph) =>
  graph.every((sources, node) => !sources.includes(node) && new Set(sources).size === sources.length)

test('in a random regular graph each node has the degree asked for, without loops or double edges', (t) => {
  const feasible = fc
    .tuple(fc.integer({ min: 2, max: 24 }), fc.integer({ min: 1, max: 23 }), fc.integer())
    .filter(([size, degree]) => degree < size && (size * degree) % 2 === 0)
  let drawn = 0
  fc.assert(
    fc.property(feasible, ([size, degree, seed]) => {
      const graph = drawRegular(size, degree, createRandom(seed))
      if (graph === undefined) return
      drawn++
      t.true(isSimple(graph))
      t.true(graph.every((sources) => sources.length === degree))
      t.deepEqual(reverseOf(graph), graph)
    }),
    { numRuns: 200 }
  )
  t.true(drawn > 100, 'dead ends are rare')
})

test('all three pairings of four nodes are drawn equally often', (t) => {
  const counts = new Map<number, number>()
  for (let seed = 0; seed < 3000; seed++) {
    const partner = drawRegular(4, 1, createRandom(seed))?.[0][0] ?? -1
    counts.set(partner, (counts.get(partner) ?? 0) + 1)
  }
  t.deepEqual([...counts.keys()].sort(), [1, 2, 3])
  t.true([...counts.values()].every((count) => Math.abs(count - 1000) < 120))
})

test('Erdős–Rényi graphs have the expected number of edges, evenly spread over the pairs', (t) => {
  const size = 30
  const probability = 0.2
  const draws = 400
  const perPair = new Map<string, number>()
  let total = 0
  for (let seed = 0; seed < draws; seed++) {
    const graph = drawErdosRenyi(size, probability, createRandom(seed))
    t.true(isSimple(graph))
    total += edges(graph)
    for (const [a, sources] of graph.entries())
      for (const b of sources) perPair.set(`${a} ${b}`, (perPair.get(`${a} ${b}`) ?? 0) + 1)
  }
  // Five standard deviations of the binomial distribution.
  const pairs = (size * (size - 1)) / 2
  t.true(Math.abs(total / draws - pairs * probability) < 5 * Math.sqrt((pairs * probability * 0.8) / draws))
  t.is(perPair.size, 2 * pairs)
  t.true([...perPair.values()].every((count) => Math.abs(count - draws * probability) < 5 * Math.sqrt(draws * 0.16)))
})

test('with probability 1 every pair is an edge', (t) => {
  t.deepEqual(
    drawErdosRenyi(7, 1, createRandom(1)),
    graphOf(7, () => Array(7).keys())
  )
})

test('rewiring keeps the number of edges; without it a small world is the lattice', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 7, max: 30 }),
      fc.constantFrom(2, 4, 6),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer(),
      (size, neighbours, rewire, seed) => {
        const graph = drawSmallWorld(size, neighbours, rewire, createRandom(seed))
        t.true(isSimple(graph))
        t.is(edges(graph), (size * neighbours) / 2)
        t.deepEqual(reverseOf(graph), graph)
      }
    )
  )
  t.deepEqual(
    drawSmallWorld(9, 2, 0, createRandom(1)),
    graphOf(9, (node) => [(node + 1) % 9, (node + 8) % 9])
  )
  t.deepEqual(
    drawSmallWorld(9, 4, 0, createRandom(1)),
    graphOf(9, (node) => [1, 2, 7, 8].map((hop) => (node + hop) % 9))
  )
})

test('the more is rewired the less is left of the lattice', (t) => {
  const left = (rewire: number) =>
    drawSmallWorld(200, 4, rewire, createRandom(1)).flatMap((sources, node) =>
      sources.filter((source) => [1, 2, 198, 199].includes((source - node + 200) % 200))
    ).length / 800
  t.true(Math.abs(left(0.1) - 0.9) < 0.05)
  t.true(left(1) < 0.1)
})
