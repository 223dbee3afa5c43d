import { type PeerName, type Problem, problem, within } from '@murmuration/core'
import { edgeProblems, type UnknownPeer } from './edge-problems.js'
import type { GraphDescription, WeightRule } from './graph-description.js'
import { nearSquareRows } from './graphs.js'
import { shownSum, sumTolerance } from './weights.js'

/** More entries of `W` than this would not fit in the memory of a small machine. */
const entriesMax = 4_000_000

/**
 * What makes it impossible to build this graph with these weights over these peers; empty when nothing does. Paths begin
 * with 'graph' or 'weights'.
 *
 * @param unknownPeer - what to say of a name in an edge that no peer has
 */
export function graphProblems(
  graph: GraphDescription,
  weights: WeightRule | undefined,
  peers: readonly PeerName[],
  unknownPeer: UnknownPeer = (name) => `found "${name}", expected the name of a peer`
): Problem[] {
  return [...within(['graph'], shapeProblems(graph, weights, peers, unknownPeer)), ...ruleProblems(graph, weights)]
}

function shapeProblems(
  graph: GraphDescription,
  weights: WeightRule | undefined,
  peers: readonly PeerName[],
  unknownPeer: UnknownPeer
): Problem[] {
  const size = peers.length
  switch (graph.kind) {
    case 'complete':
      return size ** 2 > entriesMax
        ? [problem(['kind'], `found ${size} peers, expected at most ${Math.sqrt(entriesMax)} for a complete graph`)]
        : []
    case 'torus':
      return torusProblems(graph, size)
    case 'hypercube':
      return Number.isInteger(Math.log2(size))
        ? []
        : [problem(['kind'], `found ${size} peers, expected a power of two for a hypercube (${powersAround(size)})`)]
    case 'random-regular':
      return regularProblems(graph.degree, size)
    case 'erdos-renyi':
      return probabilityProblems(graph.probability, size)
    case 'small-world':
      return graph.neighbours % 2 === 0 && graph.neighbours < size
        ? []
        : [problem(['neighbours'], `found ${graph.neighbours}, expected an even number below ${size}, the peers`)]
    case 'edges':
      return edgeProblems(graph.edges, weights, peers, unknownPeer)
    case 'matrix':
      return matrixProblems(graph.rows, peers)
    default:
      return []
  }
}

function torusProblems(graph: GraphDescription & { kind: 'torus' }, size: number): Problem[] {
  const { rows, columns } = torusSides(graph, size)
  const whole = Number.isInteger(rows) && Number.isInteger(columns)
  if (whole && rows * columns === size && rows > 1 && columns > 1) return []
  const path = graph.rows !== undefined ? ['rows'] : graph.columns !== undefined ? ['columns'] : ['kind']
  const sides = `${Number(rows.toFixed(2))} x ${Number(columns.toFixed(2))}`
  return [problem(path, `found a torus of ${sides} for ${size} peers, expected rows x columns = ${size}, both above 1`)]
}

/** Rows and columns of a torus: as given, or one from the other, or nearly square. */
export function torusSides(graph: GraphDescription & { kind: 'torus' }, size: number) {
  const rows = graph.rows ?? (graph.columns !== undefined ? size / graph.columns : nearSquareRows(size))
  return { rows, columns: graph.columns ?? size / rows }
}

function probabilityProblems(probability: number, size: number): Problem[] {
  if (probability === 0) return [problem(['probability'], 'found 0, expected more: without edges nothing is connected')]
  return probability * size ** 2 > entriesMax
    ? [problem(['probability'], `found ${probability}, expected less: ${size} peers would have too many edges`)]
    : []
}

function regularProblems(degree: number, size: number): Problem[] {
  if (degree >= size) return [problem(['degree'], `found ${degree}, expected less than the ${size} peers`)]
  if ((degree * size) % 2 !== 0) {
    return [problem(['degree'], `found ${degree}, expected an even number since the ${size} peers are odd in number`)]
  }
  if (degree === 1 && size > 2)
    return [problem(['degree'], 'found 1, expected 2 or more: pairs alone are not connected')]
  return []
}

function matrixProblems(rows: readonly (readonly number[])[], peers: readonly PeerName[]): Problem[] {
  const size = peers.length
  if (rows.length !== size) return [problem(['rows'], `found ${rows.length} rows, expected ${size}, one for each peer`)]
  return rows.flatMap((row, index) => {
    const of = `the row of ${peers[index]}`
    if (row.length !== size) {
      return [problem(['rows', index], `found ${row.length} weights in ${of}, expected ${size}, one for each peer`)]
    }
    const sum = row.reduce((total, weight) => total + weight, 0)
    if (Math.abs(sum - 1) < sumTolerance) return []
    return [
      problem(['rows', index], `found the sum ${shownSum(sum)} in ${of}, expected 1 (fractions such as 1/3 are exact)`)
    ]
  })
}

function ruleProblems({ kind }: GraphDescription, weights: WeightRule | undefined): Problem[] {
  if (kind === 'edges' || weights === undefined || (weights === 'given') === (kind === 'matrix')) return []
  return kind === 'matrix'
    ? [problem(['weights'], `found "${weights}" beside a matrix, expected "given" or nothing`)]
    : [problem(['weights'], `found "given" for ${kind}, which gives no weights, expected "metropolis" or "uniform"`)]
}

function powersAround(size: number): string {
  const below = 2 ** Math.floor(Math.log2(size))
  return `${below} or ${2 * below}`
}
