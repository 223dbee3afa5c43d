/**
 * Algorithms on rows that offer other weights than the graph's, as repaired rows do, against their papers' recursions
 * in float64: an edge counts by the smaller of the weights that its ends offer.
 */
import { CounterRandom, createRandom } from '@murmuration/random'
import test from 'ava'
import { type Matrix, type Oracle, product, repeated, rowsOf, smaller, sum, testOracle } from './recursion.js'

/** Less than the graph gives: 1/4 or 1/3 by default, and 1/5 where all five are neighbours. Two peers have its row. */
const offers = [0.1, 0.15, undefined, 0.05, undefined]

/** `Σ_j W_ij s_ij (x_j − x_i)`, with a factor `s_ij` of each difference, by the lengths of the peer's differences. */
function pulls(W: Matrix, X: Matrix, factor: (lengths: readonly number[], j: number, i: number) => number): Matrix {
  return X.map((own, i) => {
    const differences = X.map((row) => row.map((value, d) => value - own[d]))
    const lengths = differences.map((row) => Math.hypot(...row))
    const weights = W[i].map((weight, j) => (i === j || weight === 0 ? 0 : weight * factor(lengths, j, i)))
    return own.map((_, d) => weights.reduce((total, weight, j) => total + weight * differences[j][d], 0))
  })
}

const clip = (length: number, τ: number) => (length > τ ? τ / length : 1)

/** n of each number of x in round k: ⌊x / u + ρ⌋, with ρ from every other draw; those between are for the check. */
function stepsOf(X: Matrix, k: number, u: number): Matrix {
  const random = new CounterRandom(createRandom(k, 'remainders').integer(2 ** 32)).at(0, 0)
  const draws = Array.from({ length: 2 * X[0].length }, () => random.next() / 2 ** 32)
  const ρ = X[0].map((_, d) => draws[2 * d])
  return X.map((row) => row.map((value, d) => Math.floor(value / u + ρ[d])))
}

/** Moniqua with 6 bits, θ = 12 and γ_c = 0.7: x_i + γ_c Σ_j W_ij u (n_j − n_i) − γ g(x_i). */
const moniqua: Oracle['recursion'] = async ({ topology, rounds, rate, gradients, start }) => {
  const W = smaller(rowsOf(topology))
  const u = 12 / (2 ** 6 / 2 - 1)
  const step = async (X: Matrix, k: number) => {
    const n = stepsOf(X, k, u)
    return sum([1, X], [0.7 * u, product(W, n)], [-0.7 * u, n], [-rate(k), await gradients(X)])
  }
  return repeated(rounds, start, step, (X) => X)
}

const oracles: readonly Oracle[] = [
  ...[undefined, offers].map((given): Oracle => ({
    title: `Moniqua with ${given === undefined ? 'the weights of the graph' : 'offers'} is x_i + γ_c Σ_j W_ij (x̂_j − x̂_i) − γ g_i (Lu 2020, Algorithm 1)`,
    name: 'moniqua',
    options: { bits: 6, theta: 12, consensus: 0.7 },
    ...(given && { offers: given }),
    recursion: moniqua
  })),
  {
    title: 'D-PSGD with offers is x_{k+1} = W x_k − γ g_k (Lian 2017, Algorithm 1)',
    name: 'dpsgd',
    offers,
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = smaller(rowsOf(topology))
      const step = async (X: Matrix, k: number) => sum([1, product(W, X)], [-rate(k), await gradients(X)])
      return repeated(rounds, start, step, (X) => X)
    }
  },
  {
    title: 'ClippedGossip with offers clips at the distance of the second farthest (He 2022, equation 3)',
    name: 'clipped-gossip',
    offers,
    graph: { kind: 'complete' },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = smaller(rowsOf(topology))
      const step = async (X: Matrix, k: number) => {
        const half = sum([1, X], [-rate(k), await gradients(X)])
        const factor = (lengths: readonly number[], j: number, i: number) =>
          clip(lengths[j], lengths.filter((_, other) => other !== i).sort((a, b) => b - a)[1])
        return sum([1, half], [1, pulls(W, half, factor)])
      }
      return repeated(rounds, start, step, (X) => X)
    }
  },
  {
    title: 'CS+ with offers clips where the neighbours within weigh at most all less twice the heaviest (Gaucher 2025)',
    name: 'cs-plus',
    options: { b: 1 },
    offers,
    graph: { kind: 'complete' },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = smaller(rowsOf(topology))
      const step = async (X: Matrix, k: number) => {
        const half = sum([1, X], [-rate(k), await gradients(X)])
        const factor = (lengths: readonly number[], j: number, i: number) => {
          const others = lengths.flatMap((length, l) => (l === i ? [] : [{ length, weight: W[i][l] }]))
          const weightOf = (list: typeof others) => list.reduce((total, { weight }) => total + weight, 0)
          const most = weightOf(others) - 2 * Math.max(...others.map(({ weight }) => weight)) + 1e-9
          const radii = others.map(({ length }) => length)
          const τ = radii.filter((radius) => weightOf(others.filter(({ length }) => length <= radius)) <= most)
          return clip(lengths[j], Math.max(0, ...τ))
        }
        return sum([1, half], [1, pulls(W, half, factor)])
      }
      return repeated(rounds, start, step, (X) => X)
    }
  }
]

for (const oracle of oracles) testOracle(test, oracle)
