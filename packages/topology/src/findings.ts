import { shortList, type Topology } from '@murmuration/core'
import { distancesFrom, partsOf, reverseOf, unionOf } from './connectivity.js'
import { type Contraction, isSymmetric, roundsToConsensus } from './contraction.js'
import type { Graph } from './graphs.js'
import { mixingMatrix } from './mixing-topology.js'
import { rowOf, type SparseMatrix, transpose } from './sparse.js'
import { shownSum, sumTolerance } from './weights.js'

/** The result of one check of a topology. */
export interface Finding {
  readonly check:
    | 'connected'
    | 'row-sums'
    | 'non-negative'
    | 'self-weights'
    | 'doubly-stochastic'
    | 'symmetric'
    | 'consensus'
  /** 'error': training on it cannot work. 'warning': some algorithms are not made for it. */
  readonly level: 'ok' | 'warning' | 'error'
  /** A sentence. */
  readonly message: string
}

/** The checks that are quick at any size: all but 'consensus'. */
export function structureFindings(topology: Topology): readonly Finding[] {
  const names = topology.peers
  const matrices = Array.from({ length: topology.period }, (_, round) => mixingMatrix(topology, round))
  return [
    connected(unionGraph(topology), names),
    rowSums(matrices, names),
    nonNegative(matrices, names),
    selfWeights(matrices, names),
    doublyStochastic(matrices, names),
    symmetric(matrices)
  ]
}

/** Whether the peers reach consensus, and how soon. */
export function consensusFinding(contraction: Contraction): Finding {
  const check = 'consensus'
  const rounds = roundsToConsensus(contraction, 1e-3)
  if (contraction.perPeriod === 0) {
    return {
      check,
      level: 'ok',
      message: `Plain averaging is exact after ${contraction.period === 1 ? 'one round' : `${contraction.period} rounds`}.`
    }
  }
  if (Number.isFinite(rounds)) {
    return { check, level: 'ok', message: `Disagreement falls to a thousandth within ${rounds} rounds.` }
  }
  const oscillates = (contraction.eigenvalues?.last ?? 0) < -1 + 1e-9
  const reason = oscillates
    ? 'λₙ of W is −1, so that two groups swap their values forever: give peers a self weight above 0'
    : `one period leaves ${shownSum(contraction.perPeriod)} of it`
  const level = contraction.perPeriod > 1 + 1e-9 ? 'warning' : 'error'
  return { check, level, message: `Disagreement may never fade: ${reason}.` }
}

/**
 * The edges of all rounds of a period, as lists of senders for each receiver; numbers are indices into
 * `topology.peers`.
 */
export function unionGraph(topology: Topology): Graph {
  const indices = new Map(topology.peers.map((name, index) => [name, index]))
  const rounds = Array.from({ length: topology.period }, (_, round) =>
    topology.peers.map((peer) => topology.mixing(peer, round).receiveFrom.map(({ name }) => indices.get(name) ?? -1))
  )
  return unionOf(rounds)
}

function connected(graph: Graph, names: readonly string[]): Finding {
  const parts = partsOf(graph)
  if (parts.length > 1) {
    const list = parts.slice(0, 4).map((part) => shortList(part.map((index) => names[index])))
    return verdict(
      'connected',
      'error',
      `The peers fall into ${parts.length} parts that no edge joins: ${list.join(' | ')}.`
    )
  }
  const distances = distancesFrom(reverseOf(graph), 0)
  const distancesTo = distancesFrom(graph, 0)
  const unreached = names.filter((_, index) => distances[index] < 0)
  const unheard = names.filter((_, index) => distancesTo[index] < 0)
  if (unreached.length > 0)
    return verdict('connected', 'error', `Nothing of ${names[0]} ever reaches ${shortList(unreached)}.`)
  if (unheard.length > 0)
    return verdict('connected', 'error', `Nothing of ${shortList(unheard)} ever reaches ${names[0]}.`)
  return verdict('connected', 'ok', 'Every peer reaches every other.')
}

function rowSums(matrices: readonly SparseMatrix[], names: readonly string[]): Finding {
  const wrong = offOne(matrices, names)
  return wrong.length === 0
    ? verdict('row-sums', 'ok', 'The weights of each peer sum to 1.')
    : verdict('row-sums', 'error', `The weights of each peer must sum to 1, not ${shortList(wrong)}.`)
}

function nonNegative(matrices: readonly SparseMatrix[], names: readonly string[]): Finding {
  const below = names.filter((_, row) => matrices.some((matrix) => rowOf(matrix, row).some(({ value }) => value < 0)))
  return below.length === 0
    ? verdict('non-negative', 'ok', 'No weight is below 0.')
    : verdict('non-negative', 'error', `No weight may be below 0, as some of ${shortList(below)} are.`)
}

function selfWeights(matrices: readonly SparseMatrix[], names: readonly string[]): Finding {
  const withoutSelfWeight = names.filter((_, row) =>
    matrices.some((matrix) => !rowOf(matrix, row).some(({ column, value }) => column === row && value > 0))
  )
  return withoutSelfWeight.length === 0
    ? verdict('self-weights', 'ok', 'Each peer keeps a part of its own parameters.')
    : verdict(
        'self-weights',
        'warning',
        `${shortList(withoutSelfWeight)}: consensus is slower where a peer keeps nothing of its own parameters.`
      )
}

function doublyStochastic(matrices: readonly SparseMatrix[], names: readonly string[]): Finding {
  const wrong = offOne(matrices.map(transpose), names)
  if (wrong.length === 0) {
    return verdict(
      'doubly-stochastic',
      'ok',
      "Each peer's weights in all averages sum to 1, so that averaging preserves the mean."
    )
  }
  return verdict(
    'doubly-stochastic',
    'warning',
    `Averaging does not preserve the mean: each peer's weights in all averages must sum to 1, not ${shortList(wrong)}. ` +
      'Plain averaging favours some peers; "weights: metropolis" does not on undirected graphs.'
  )
}

function symmetric(matrices: readonly SparseMatrix[]): Finding {
  return matrices.every(isSymmetric)
    ? verdict('symmetric', 'ok', 'Neighbours give each other the same weight.')
    : verdict('symmetric', 'warning', 'W is not symmetric: only for algorithms that take directed topologies.')
}

/** `name (sum)` for each row that does not sum to 1 in some round. */
function offOne(matrices: readonly SparseMatrix[], names: readonly string[]): string[] {
  return names.flatMap((name, row) => {
    const sums = matrices.map((matrix) => rowOf(matrix, row).reduce((sum, { value }) => sum + value, 0))
    const wrong = sums.find((sum) => Math.abs(sum - 1) > sumTolerance)
    return wrong === undefined ? [] : [`${name} (${shownSum(wrong)})`]
  })
}

function verdict(check: Finding['check'], level: Finding['level'], message: string): Finding {
  return { check, level, message }
}
