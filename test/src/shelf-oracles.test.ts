/** Each algorithm against its paper's recursion, written anew in float64. */
import { type Algorithm, algorithms } from '@murmuration/algorithms'
import { createTopology, type GraphDescription } from '@murmuration/topology'
import test from 'ava'
import {
  difference,
  givenOf,
  lazy,
  type Matrix,
  meanOf,
  modelsOf,
  peersOf,
  product,
  quadraticsOf,
  type Recursion,
  rowsOf,
  sum
} from './recursion.js'

const recordOf = (name: string) => algorithms.find((each) => each.name === name) as Algorithm
const rate = (round: number) => 0.3 / (1 + round / 10)

interface Oracle {
  readonly title: string
  readonly name: string
  readonly options?: Readonly<Record<string, unknown>>
  readonly graph?: GraphDescription
  readonly recursion: Recursion
}

/** Repeats a step from the state that it came to; `of` gives the models. */
async function repeated<S>(
  rounds: number,
  start: S,
  step: (state: S, k: number) => Promise<S>,
  of: (state: S) => Matrix
) {
  const all: Matrix[] = []
  let state = start
  for (let k = 0; k < rounds; k++) {
    state = await step(state, k)
    all.push(of(state))
  }
  return all
}

const oracles: readonly Oracle[] = [
  {
    title: 'D² is x_{k+1} = W (2 x_k − x_{k−1} − γ_k g_k + γ_{k−1} g_{k−1}) (Tang 2018, Algorithm 1)',
    name: 'd2',
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const G0 = await gradients(start)
      const first = { X: start, before: undefined as Matrix | undefined, G: G0, γ: rate(0) }
      const step = async ({ X, before, G, γ }: typeof first, k: number) => {
        const now = await gradients(X)
        const inner =
          before === undefined ? sum([1, X], [-rate(k), now]) : sum([2, X], [-1, before], [-rate(k), now], [γ, G])
        return { X: product(W, inner), before: X, G: now, γ: rate(k) }
      }
      return repeated(rounds, first, step, ({ X }) => X)
    }
  },
  {
    title: 'exact diffusion adapts, corrects and combines with (I + W) / 2 (Yuan 2019, equations 7 to 9)',
    name: 'exact-diffusion',
    graph: { kind: 'star' },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const half = lazy(rowsOf(topology))
      const step = async ({ X, ψ }: { X: Matrix; ψ: Matrix }, k: number) => {
        const next = sum([1, X], [-rate(k), await gradients(X)])
        return { X: product(half, sum([1, next], [1, X], [-1, ψ])), ψ: next }
      }
      return repeated(rounds, { X: start, ψ: start }, step, ({ X }) => X)
    }
  },
  {
    title: 'EXTRA is x_{k+2} = (I + W) x_{k+1} − W̃ x_k − γ_{k+1} g_{k+1} + γ_k g_k (Shi 2015, equation 2.13)',
    name: 'extra',
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const G0 = await gradients(start)
      const X1 = sum([1, product(W, start)], [-rate(0), G0])
      const rest = await repeated(
        rounds - 1,
        { X: X1, before: start, G: G0 },
        async ({ X, before, G }, k) => {
          const now = await gradients(X)
          const next = sum(
            [1, X],
            [1, product(W, X)],
            [-1, product(lazy(W), before)],
            [-rate(k + 1), now],
            [rate(k), G]
          )
          return { X: next, before: X, G: now }
        },
        ({ X }) => X
      )
      return [X1, ...rest]
    }
  },
  ...[false, true].map((nesterov): Oracle => ({
    title: `QG-DSGDm${nesterov ? '-N' : ''} steps along β m̂ + g, and m̂ follows (x_k − x_{k+1}) / γ (Lin 2021, Algorithm 1)`,
    name: 'qg-dsgdm',
    options: { momentum: 0.8, memory: 0.7, nesterov },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const zero = sum([0, start])
      const step = async ({ X, m }: { X: Matrix; m: Matrix }, k: number) => {
        const G = await gradients(X)
        const buffer = sum([0.8, m], [1, G])
        const along = nesterov ? sum([1, G], [0.8, buffer]) : buffer
        const next = product(W, sum([1, X], [-rate(k), along]))
        return { X: next, m: sum([0.7, m], [0.3 / rate(k), X], [-0.3 / rate(k), next]) }
      }
      return repeated(rounds, { X: start, m: zero }, step, ({ X }) => X)
    }
  })),
  {
    title: 'SlowMo is u ← β u + (x_{t,0} − x_{t,τ}) / γ, x_{t+1,0} = x_{t,0} − α γ u (Wang 2020, Algorithm 1)',
    name: 'slowmo',
    options: { period: 4, momentum: 0.5, slowRate: 0.9 },
    recursion: ({ rounds, rate, gradients, start }) => {
      const first = { X: start, outer: start, u: sum([0, start]) }
      const step = async ({ X, outer, u }: typeof first, k: number) => {
        const half = sum([1, X], [-rate(k), await gradients(X)])
        if (k % 4 !== 3) return { X: half, outer, u }
        const slow = sum([0.5, u], [1 / rate(k), outer], [-1 / rate(k), meanOf(half)])
        const next = sum([1, outer], [-0.9 * rate(k), slow])
        return { X: next, outer: next, u: slow }
      }
      return repeated(rounds, first, step, ({ X }) => X)
    }
  }
]

const ring: GraphDescription = { kind: 'ring' }

for (const { title, name, options, graph = ring, recursion } of oracles) {
  test(title, async (t) => {
    const topology = createTopology({ peers: peersOf(5), graph })
    const tasks = quadraticsOf(topology, 3)
    const given = givenOf(topology, tasks, rate, 24)
    const { by, round, peer } = difference(
      await modelsOf(recordOf(name), given, tasks, options),
      await recursion(given)
    )
    t.true(by < 2e-5, `${by} in round ${round} at peer ${peer}`)
  })
}
