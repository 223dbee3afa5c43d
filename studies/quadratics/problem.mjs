// The graphs of the published runs, and their problems as tasks.
import { createQuadraticTask } from '@murmuration/tasks'
import { createTopology, mixingMatrix, sparseMatrix, topologyOf } from '@murmuration/topology'
import { publishedProblem } from './published-draws.mjs'

/** Edges of a chain, and of a binary tree whose root has one child. */
const edges = {
  chain: (names) => names.slice(1).map((name, place) => [names[place], name]),
  tree: (names) => names.slice(1).map((name, place) => [names[(place + 1) >> 1], name])
}

/** SGP takes two rounds of the one-peer exponential graph in each step. */
export function topologyFor(kind, peers) {
  if (kind === 'exponential') return doubled(createTopology({ peers, graph: { kind: 'one-peer-exponential' } }))
  return createTopology({ peers, graph: kind in edges ? { kind: 'edges', edges: edges[kind](peers) } : { kind } })
}

/** Two rounds in one: W_{2k+1} W_{2k}. */
function doubled(topology) {
  const { peers, period } = topology
  return topologyOf(
    peers,
    Array.from({ length: period % 2 === 0 ? period / 2 : period }, (_, round) => {
      const first = dense(topology, 2 * round)
      const second = dense(topology, 2 * round + 1)
      const rows = second.map((row) =>
        peers.map((_, column) => ({
          column,
          value: row.reduce((sum, weight, j) => sum + weight * first[j][column], 0)
        }))
      )
      return sparseMatrix(rows)
    })
  )
}

function dense(topology, round) {
  const { size, rowStarts, columns, values } = mixingMatrix(topology, round)
  return Array.from({ length: size }, (_, row) => {
    const out = new Array(size).fill(0)
    for (let place = rowStarts[row]; place < rowStarts[row + 1]; place++) out[columns[place]] = values[place]
    return out
  })
}

/** The task of each peer, by our own draws. */
export function ownTasks(peers, { mu, heterogeneity, distance, seed }) {
  const options = { peers, seed, heterogeneity, distance, smallestSingular: mu, largestSingular: 1, samples: 1 }
  return peers.map((self) => createQuadraticTask({ ...options, self }))
}

/**
 * The task of each peer, by the draws of the published runs. Moved, so that the optimum is at 0 and the start
 * `distance` away from it: no method knows where 0 is, and float32 is finest there.
 */
export function publishedTasks(peers, given) {
  const { hessians, offsets, optimum } = publishedProblem({ ...given, peers: peers.length, dimension: 10 })
  const average = hessians[0].map((_, place) => hessians.reduce((sum, each) => sum + each[place], 0) / peers.length)
  const start = Float32Array.from(optimum, (value) => -value)
  return peers.map((_, i) => quadraticTask(hessians[i], offsets[i], average, start))
}

/** (x − c)ᵀ H (x − c), and for the evaluation xᵀ H̄ x. */
function quadraticTask(hessian, centre, average, start) {
  const vector = new Float32Array(start.length)
  const offset = new Float64Array(start.length)
  const times = (matrix, x, i) => x.reduce((sum, value, j) => sum + matrix[i * x.length + j] * value, 0)
  const work = (kind, samples, run) => ({ kind, samples, run })
  return {
    schema: [{ name: 'x', shape: [start.length] }],
    samples: 1,
    about: {},
    initialise: () => work('initialise', 0, () => start.slice()),
    gradient: (x) =>
      work('gradient', 1, () => {
        for (let i = 0; i < x.length; i++) offset[i] = x[i] - centre[i]
        for (let i = 0; i < x.length; i++) vector[i] = 2 * times(hessian, offset, i)
        return { loss: 0, vector }
      }),
    evaluate: (x) => work('evaluate', 1, () => ({ loss: x.reduce((sum, xi, i) => sum + xi * times(average, x, i), 0) }))
  }
}
