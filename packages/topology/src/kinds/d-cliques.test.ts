import { peerName } from '@murmuration/core'
import test from 'ava'
import { isStronglyConnected } from '../connectivity.js'
import { dCliques } from './d-cliques.js'

const peers = (size: number) => Array.from({ length: size }, (_, place) => peerName(`p${place}`))
const graphOf = (count: number, size: number, between: 'ring' | 'complete') =>
  dCliques.graphs?.({ size, between }, peers(count))[0] ?? []

/** The other members of a node's clique where there are `cliques`. */
const mates = (node: number, count: number, cliques: number) =>
  Array.from({ length: count }, (_, other) => other).filter(
    (other) => other !== node && other % cliques === node % cliques
  )

test('of data sorted by label each clique has every label as often as all peers do (Bellet, Kermarrec and Lavoie 2022)', (t) => {
  const count = 100
  const labels = 10
  const cliques = 10
  const graph = graphOf(count, labels, 'ring')
  const labelOf = (node: number) => Math.floor((node * labels) / count)
  for (const node of graph.keys()) {
    const clique = mates(node, count, cliques)
    t.true(clique.every((other) => graph[node].includes(other)))
    t.deepEqual(
      [node, ...clique].map(labelOf).sort((a, b) => a - b),
      Array.from({ length: labels }, (_, label) => label)
    )
  }
})

test('between cliques there is an edge to the next, or to each other, and no peer has two while another has none', (t) => {
  for (const [between, edges] of [
    ['ring', 10],
    ['complete', 45]
  ] as const) {
    const graph = graphOf(100, 10, between)
    const outside = graph.map((sources, node) => sources.filter((source) => source % 10 !== node % 10).length)
    t.is(
      outside.reduce((sum, count) => sum + count, 0),
      2 * edges
    )
    t.is(Math.max(...outside), 1)
    t.true(isStronglyConnected(graph))
  }
})

test('cliques of any number of peers are connected: peers that are left over make some of them larger', (t) => {
  for (let count = 1; count <= 30; count++)
    for (const size of [2, 3, 7])
      for (const between of ['ring', 'complete'] as const) {
        const graph = graphOf(count, size, between)
        t.true(isStronglyConnected(graph), `${count} peers in cliques of ${size}`)
        t.true(count < size || Math.min(...graph.map(({ length }) => length)) >= size - 1)
      }
})
