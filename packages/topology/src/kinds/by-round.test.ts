import { peerName, type Topology } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { contraction, isSymmetric } from '../contraction.js'
import { createTopology } from '../create-topology.js'
import type { GraphDescription } from '../graph-description.js'
import { mixingMatrix } from '../mixing-topology.js'
import { applyMixing, type SparseMatrix, transpose } from '../sparse.js'
import { baseRounds } from './base-rounds.js'
import { equiDynamic } from './equi-dynamic.js'
import { equiStatic } from './equi-static.js'

const peersOf = (size: number) => Array.from({ length: size }, (_, k) => peerName(`p${String(k).padStart(5, '0')}`))
const build = (size: number, graph: GraphDescription): Topology => createTopology({ peers: peersOf(size), graph })
const matricesOf = (topology: Topology) =>
  Array.from({ length: topology.period }, (_, round) => mixingMatrix(topology, round))
const mostNeighbours = (topology: Topology) =>
  Math.max(
    ...matricesOf(topology).flatMap(({ size, rowStarts, columns }) =>
      Array.from(
        { length: size },
        (_, row) => columns.slice(rowStarts[row], rowStarts[row + 1]).filter((column) => column !== row).length
      )
    )
  )

/** ‖x − mean‖² at the start and after each round, from a random start; 1 at the start. */
function squaresOf(matrices: readonly SparseMatrix[], seed: number): number[] {
  const random = createRandom(seed)
  let x = Float64Array.from({ length: matrices[0].size }, () => random.normal())
  const squareOf = () => {
    const mean = x.reduce((sum, value) => sum + value, 0) / x.length
    return x.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  }
  const all = [squareOf()]
  for (const matrix of matrices) {
    x = Float64Array.from(applyMixing(matrix, x))
    all.push(squareOf())
  }
  return all.map((value) => value / all[0])
}

const squares = (topology: Topology, seed: number) => squaresOf(matricesOf(topology), seed)

const isDoublyStochastic = (topology: Topology) =>
  matricesOf(topology).every((matrix) =>
    [matrix, transpose(matrix)].every((each) =>
      applyMixing(each, new Float64Array(each.size).fill(1)).every((sum) => Math.abs(sum - 1) < 1e-9)
    )
  )

test('Base-(k + 1) averages exactly in its stated rounds, for every n up to 128 and k up to 4 (Takezawa 2023, Theorem 1)', (t) => {
  for (let degree = 1; degree <= 4; degree++) {
    for (let size = 1; size <= 128; size++) {
      const name = `${size} peers, k ${degree}`
      const rounds = baseRounds(size, degree)
      const start = Float64Array.from({ length: size }, (_, node) => ((node * 7) % 11) - 3)
      const mean = start.reduce((sum, value) => sum + value, 0) / size
      let x = start
      for (const edges of rounds) {
        const next = x.slice()
        const degrees = new Uint8Array(size)
        for (const { a, b, weight } of edges) {
          next[a] += weight * (x[b] - x[a])
          next[b] += weight * (x[a] - x[b])
          degrees[a]++
          degrees[b]++
        }
        x = next
        t.true(Math.max(...degrees) <= degree, name)
      }
      for (const value of x) t.true(Math.abs(value - mean) < 1e-12, name)
      t.true(
        rounds.length <= Math.max(1, (2 * Math.log(size)) / Math.log(degree + 1) + 2 + 1e-9),
        `${name}: ${rounds.length} rounds`
      )
    }
  }
})

test('the mixing of Base-(k + 1) is that of its edges: symmetric, with k neighbours at most, and exact after a period', (t) => {
  for (const [size, degree] of [
    [1, 1],
    [7, 1],
    [22, 2],
    [50, 4],
    [127, 3]
  ]) {
    const topology = build(size, { kind: 'base-graph', degree })
    t.true(mostNeighbours(topology) <= degree)
    t.true(isDoublyStochastic(topology) && matricesOf(topology).every(isSymmetric))
    t.true(contraction(topology).perPeriod < 1e-9)
  }
})

test('Base-2 of 5 and 6 peers takes the rounds of the paper’s figures; of 2^p peers p', (t) => {
  const rounds = (size: number, degree = 1) => build(size, { kind: 'base-graph', degree }).period
  t.deepEqual(
    [2, 8, 64, 5, 6].map((size) => rounds(size)),
    [1, 3, 6, 5, 4]
  )
  t.deepEqual([rounds(27, 2), rounds(12, 2), rounds(25, 4)], [3, 3, 2])
})

test('a hypercube matching is exact after log₂ n rounds of one meeting each', (t) => {
  for (const size of [2, 4, 16, 128]) {
    const topology = build(size, { kind: 'hypercube-matching' })
    t.deepEqual([topology.period, mostNeighbours(topology), contraction(topology).perPeriod], [Math.log2(size), 1, 0])
  }
  t.throws(() => build(6, { kind: 'hypercube-matching' }), { message: /power of two/ })
})

test('a Moshpit grid without empty cells is exact after a round along each dimension, and keeps the mean otherwise', (t) => {
  for (const [side, dimensions] of [
    [4, 2],
    [3, 3],
    [2, 4]
  ]) {
    const topology = build(side ** dimensions, { kind: 'moshpit-grid', side, dimensions, seed: 1 })
    t.deepEqual([topology.period, mostNeighbours(topology)], [dimensions, side - 1])
    t.true(contraction(topology).perPeriod < 1e-9)
  }
  const holed = build(12, { kind: 'moshpit-grid', side: 4, dimensions: 2, seed: 1 })
  t.true(isDoublyStochastic(holed))
  t.true(contraction(holed).perPeriod > 0.01)
})

test('in random matchings each peer meets one at most, all pairs occur about as often, and the squares halve and a little', (t) => {
  const size = 16
  const topology = build(size, { kind: 'random-matching', rounds: 2000, seed: 1 })
  t.is(mostNeighbours(topology), 1)
  const met = topology.peers.map(
    (peer) =>
      Array.from({ length: 2000 }, (_, k) => topology.mixing(peer, k)).filter(
        ({ receiveFrom }) => receiveFrom[0]?.name === topology.peers[0]
      ).length
  )
  // 2,000 / 15 each; five standard deviations are 56.
  for (const count of met.slice(1)) t.true(Math.abs(count - 2000 / 15) < 56, `${count}`)
  // A pair removes half of its difference: the expected factor is 1 − n / (2 (n − 1)).
  const falls = Array.from(
    { length: 200 },
    (_, seed) => squares(build(size, { kind: 'random-matching', rounds: 1, seed }), seed)[1]
  )
  const mean = falls.reduce((sum, value) => sum + value, 0) / falls.length
  t.true(Math.abs(mean - (1 - size / (2 * (size - 1)))) < 0.04, `${mean}`)
})

/** The largest |λ| of a circulant matrix except that of the mean: λ_j = Σ_d w_d e^(2 π i d j / n). */
function circulantRate({ size, rowStarts, columns, values }: SparseMatrix): number {
  let largest = 0
  for (let j = 1; j < size; j++) {
    let real = 0
    let imaginary = 0
    for (let place = 0; place < rowStarts[1]; place++) {
      const angle = (2 * Math.PI * columns[place] * j) / size
      real += values[place] * Math.cos(angle)
      imaginary += values[place] * Math.sin(angle)
    }
    largest = Math.max(largest, Math.hypot(real, imaginary))
  }
  return largest
}

test('EquiStatic of 5 ln n distances contracts no worse for 5,000 peers than for 300, directed or not (Song 2022, Theorems 1 and 2)', (t) => {
  for (const directed of [true, false]) {
    const rateOf = (size: number, seed: number) => {
      const options = { shifts: Math.round(5 * Math.log(size)), directed, seed }
      return circulantRate(equiStatic.weights?.matrices(options, peersOf(size))[0] as SparseMatrix)
    }
    const [small, , large] = [300, 1000, 5000].map(
      (size) => [1, 2, 3].map((seed) => rateOf(size, seed)).sort((a, b) => a - b)[1]
    )
    t.true(large <= small * 1.05 && large < 0.65, `${small} of 300 peers, ${large} of 5,000`)
    const topology = build(60, { kind: 'equi-static', shifts: 8, directed, seed: 1 })
    t.true(isDoublyStochastic(topology))
    t.true(Math.abs(contraction(topology).perRound - circulantRate(matricesOf(topology)[0])) < 1e-6)
  }
})

test('EquiDyn loses as much per round of 5,000 peers as of 300: directed 1 − 2 η (1 − η) of the squares on average (Song 2022, Theorem 3)', (t) => {
  const rounds = 20
  for (const directed of [true, false]) {
    const rates = [300, 5000].map((size) => {
      const ends = [1, 2, 3].map(
        (seed) =>
          squaresOf(equiDynamic.weights?.matrices({ eta: 0.5, directed, rounds, seed }, peersOf(size)) ?? [], seed)[
            rounds
          ]
      )
      return ends.sort((a, b) => a - b)[1] ** (1 / rounds)
    })
    t.true(rates[1] <= rates[0] * 1.05, `${directed}: ${rates}`)
    if (directed)
      t.true(
        rates.every((rate) => rate < 0.5 * 1.1),
        `${rates}`
      )
    const small = build(15, { kind: 'equi-dynamic', eta: 0.5, directed, rounds: 20, seed: 2 })
    t.true(isDoublyStochastic(small) && mostNeighbours(small) === 1)
    if (!directed) t.true(matricesOf(small).every(isSymmetric))
  }
})

test('in an epidemic every peer sends to as many, and averages evenly with all that it receives', (t) => {
  const topology = build(20, { kind: 'epidemic', degree: 3, rounds: 50, seed: 1 })
  for (const peer of topology.peers) {
    for (let round = 0; round < 50; round++) {
      const { selfWeight, receiveFrom, sendTo } = topology.mixing(peer, round)
      t.is(sendTo.length, 3)
      for (const { weight } of receiveFrom) t.is(weight, 1 / (1 + receiveFrom.length))
      t.true(Math.abs(selfWeight - 1 / (1 + receiveFrom.length)) < 1e-12)
    }
  }
  t.true(squares(topology, 1)[50] < 1e-12)
})

test('what is drawn by round is drawn anew in each round, and the same for the same seed', (t) => {
  const text = (seed: number, round: number) =>
    JSON.stringify(build(12, { kind: 'random-matching', rounds: 4, seed }).mixing(peerName('p00000'), round))
  t.true(new Set([0, 1, 2, 3].map((round) => text(1, round))).size > 1)
  t.is(text(1, 5), text(1, 1))
})
