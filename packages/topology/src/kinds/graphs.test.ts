import test from 'ava'
import fc from 'fast-check'
import { peerName } from '@murmuration/core'
import { diameterOf, isStronglyConnected, partsOf, reverseOf } from '../connectivity.js'
import { type Graph, graphOf, graphOfEdges } from '../graphs.js'
import { complete } from './complete.js'
import { exponential } from './exponential.js'
import { hypercube } from './hypercube.js'
import { onePeerExponential } from './one-peer-exponential.js'
import { ring } from './ring.js'
import { star } from './star.js'
import { nearSquareRows, torus } from './torus.js'

const peers = (size: number) => Array.from({ length: size }, (_, place) => peerName(`p${place}`))
const graphsOf = (kind: { graphs?: typeof ring.graphs }, size: number) => kind.graphs?.({}, peers(size)) ?? []
const only = (kind: { graphs?: typeof ring.graphs }, size: number): Graph => graphsOf(kind, size)[0]
const grid = (rows: number, columns: number): Graph => torus.graphs?.({ rows, columns }, peers(rows * columns))[0] ?? []

const sizes = fc.integer({ min: 1, max: 40 })

test('in the undirected graphs each edge is in both lists', (t) => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 2, max: 6 }), fc.integer({ min: 2, max: 6 }), (size, rows, columns) => {
      const all = [only(ring, size), only(complete, size), only(star, size), grid(rows, columns)]
      for (const graph of all) t.deepEqual(reverseOf(graph), graph)
    })
  )
})

test('every named graph is connected, one round or all rounds together', (t) => {
  fc.assert(
    fc.property(sizes, (size) => {
      for (const graph of [only(ring, size), only(complete, size), only(star, size), only(exponential, size)]) {
        t.true(isStronglyConnected(graph))
      }
      const rounds = graphsOf(onePeerExponential, size)
      t.true(isStronglyConnected(graphOf(size, (node) => rounds.flatMap((graph) => graph[node]))))
    })
  )
})

test('diameters are those of the textbook', (t) => {
  t.is(diameterOf(only(ring, 9)), 4)
  t.is(diameterOf(only(complete, 9)), 1)
  t.is(diameterOf(only(star, 9)), 2)
  t.is(diameterOf(grid(4, 6)), 5)
  t.is(diameterOf(only(hypercube, 32)), 5)
})

test('a torus node has its neighbours above, below, left and right, around the edges', (t) => {
  t.deepEqual(grid(3, 4)[0], [1, 3, 4, 8])
  t.deepEqual(
    grid(2, 2),
    only(ring, 4).map((_, node) => [1, 0, 0, 1].map((a, k) => [a, [2, 3, 3, 2][k]])[node])
  )
})

test('near-square grids have the divisor nearest to the root', (t) => {
  t.deepEqual([16, 12, 36, 7, 1].map(nearSquareRows), [4, 3, 6, 1, 1])
})

test('a hypercube joins numbers that differ in one binary digit', (t) => {
  t.deepEqual(only(hypercube, 8)[5], [1, 4, 7])
})

test('in exponential graphs node 0 of 6 sends to 1, 2 and 4', (t) => {
  t.deepEqual(reverseOf(only(exponential, 6))[0], [1, 2, 4])
  t.deepEqual(
    graphsOf(onePeerExponential, 6).map((graph) => reverseOf(graph)[0]),
    [[1], [2], [4]]
  )
})

test('the period of one-peer exponential is the logarithm of the size, rounded up', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 300 }), (size) => {
      t.is(graphsOf(onePeerExponential, size).length, Math.ceil(Math.log2(size)))
    })
  )
})

test('parts are distinguished, and directions matter for being strongly connected', (t) => {
  t.deepEqual(
    partsOf(
      graphOfEdges(5, [
        [0, 3],
        [1, 4]
      ])
    ),
    [[0, 3], [1, 4], [2]]
  )
  t.false(isStronglyConnected([[], [0]]))
  t.true(isStronglyConnected([[1], [0]]))
})
