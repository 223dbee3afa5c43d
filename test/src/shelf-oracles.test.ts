/** Each algorithm against its paper's recursion, implemented again in float64. */
import type { GraphDescription } from '@murmuration/topology'
import test from 'ava'
import { lazy, type Matrix, meanOf, type Oracle, product, repeated, rowsOf, sum, testOracle } from './recursion.js'

/** The same weight for each participant. */
function evenly(isIn: readonly boolean[]): readonly number[] {
  const weight = 1 / isIn.filter(Boolean).length
  return isIn.map((is) => (is ? weight : 0))
}

/** Rows and columns sum to 1, and weights differ. */
const directed = [0, 1, 2, 3, 4].map((i) => [0, 1, 2, 3, 4].map((j) => [0.5, 0.3, 0.2, 0, 0][(j - i + 5) % 5]))

const matchings: GraphDescription = { kind: 'random-matching', rounds: 30, seed: 2 }

/** (x, w) ← P (x − γ g, w), with g at x / w. */
const pushSum: Oracle['recursion'] = async ({ topology, rounds, rate, gradients, start }) => {
  const biased = ({ X, w }: { X: Matrix; w: Matrix }) => X.map((row, i) => row.map((value) => value / w[i][0]))
  const step = async ({ X, w }: { X: Matrix; w: Matrix }, k: number) => {
    const P = rowsOf(topology, k)
    return { X: product(P, sum([1, X], [-rate(k), await gradients(biased({ X, w }))])), w: product(P, w) }
  }
  return repeated(rounds, { X: start, w: start.map(() => [1]) }, step, biased)
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
  ...[{ kind: 'matrix', rows: directed } as const, matchings].map((graph): Oracle => ({
    title: `gradient tracking on ${graph.kind} is x_{k+1} = W (x_k − γ y_k), y_{k+1} = W y_k + g_{k+1} − g_k, y_0 = g_0 (Nedić 2017)`,
    name: 'gradient-tracking',
    graph,
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const G0 = await gradients(start)
      const step = async ({ X, Y, G }: { X: Matrix; Y: Matrix; G: Matrix }, k: number) => {
        const W = rowsOf(topology, k)
        const next = product(W, sum([1, X], [-rate(k), Y]))
        const now = await gradients(next)
        return { X: next, Y: sum([1, product(W, Y)], [1, now], [-1, G]), G: now }
      }
      return repeated(rounds, { X: start, Y: G0, G: G0 }, step, ({ X }) => X)
    }
  })),
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
  // Where matchings change, one of five peers keeps all in each round.
  ...[{ kind: 'exponential' } as const, matchings].map((graph): Oracle => ({
    title: `overlap SGP on ${graph.kind} adds what was sent in the round before, and steps at x / w (Assran 2019, Algorithm 2, τ = 1)`,
    name: 'overlap-sgp',
    graph,
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const part = (k: number, isKept: boolean) =>
        rowsOf(topology, k).map((row, i) => row.map((weight, j) => (isKept === (i === j) ? weight : 0)))
      const none = { X: sum([0, start]), w: start.map(() => [0]) }
      const first: { X: Matrix; w: Matrix; under: { X: Matrix; w: Matrix } } = {
        X: start,
        w: start.map(() => [1]),
        under: none
      }
      const biased = ({ X, w }: { X: Matrix; w: Matrix }) => X.map((row, i) => row.map((value) => value / w[i][0]))
      const step = async ({ X, w, under }: typeof first, k: number) => {
        const kept = part(k, true)
        const before = part(Math.max(0, k - 1), false)
        const now = part(k, false)
        const half = sum([1, X], [-rate(k), await gradients(biased({ X, w }))])
        // The last round waits for everything in flight.
        const last = k + 1 === rounds ? 1 : 0
        return {
          X: sum([1, product(kept, half)], [1, product(before, under.X)], [last, product(now, half)]),
          w: sum([1, product(kept, w)], [1, product(before, under.w)], [last, product(now, w)]),
          under: { X: half, w }
        }
      }
      return repeated(rounds, first, step, biased)
    }
  })),
  {
    title: 'push-sum by running sums is push-sum where nothing is lost (Hadjicostis 2016)',
    name: 'robust-push-sum',
    graph: { kind: 'exponential' },
    recursion: pushSum
  },
  {
    title: 'NoLoCo: δ ← α δ + β W Δ + β (W θ − θ), θ ← θ + δ after H steps (Kolehmainen 2025, the authors’ code)',
    name: 'noloco',
    options: { period: 3, momentum: 0.4, outerRate: 0.6 },
    graph: matchings,
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const first = { X: start, θ: start, δ: sum([0, start]) }
      const step = async ({ X, θ, δ }: typeof first, k: number) => {
        const inner = sum([1, X], [-rate(k), await gradients(X)])
        if (k % 3 !== 2) return { X: inner, θ, δ }
        const W = rowsOf(topology, k)
        const δ1 = sum([0.4, δ], [0.6, product(W, sum([1, inner], [-1, θ]))], [0.6, product(W, θ)], [-0.6, θ])
        const next = sum([1, θ], [1, δ1])
        return { X: next, θ: next, δ: δ1 }
      }
      return repeated(rounds, first, step, ({ θ }) => θ)
    }
  },
  {
    title: 'overlap merge adds Σ_j W_ij (y_j − y_i) to what H steps from y came to, and at the end of the run',
    name: 'overlap-merge',
    options: { period: 3 },
    graph: matchings,
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const step = async ({ X, Y: before }: { X: Matrix; Y: Matrix }, k: number) => {
        const Y = k % 3 === 0 ? X : before
        const next = sum([1, X], [-rate(k), await gradients(X)])
        if (k % 3 !== 2 && k + 1 < rounds) return { X: next, Y }
        return { X: sum([1, next], [1, product(rowsOf(topology, k - (k % 3)), Y)], [-1, Y]), Y }
      }
      return repeated(rounds, { X: start, Y: start }, step, ({ X }) => X)
    }
  },
  {
    title: 'Hop without backup workers is D-PSGD, x_{k+1} = W x_k − γ_k g_k, whoever is ahead (Luo 2019)',
    name: 'hop',
    options: { backup: 0 },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const step = async (X: Matrix, k: number) => sum([1, product(W, X)], [-rate(k), await gradients(X)])
      return repeated(rounds, start, step, (X) => X)
    }
  },
  {
    title:
      'DivShare: after H steps the mean of a peer’s own and of what others sent last (Biswas 2025, the authors’ code)',
    name: 'divshare',
    graph: { kind: 'ring' },
    // An exchange every 12 ms, and links of 10 ms: messages arrive one exchange later.
    options: { period: 12, fragments: 4, receivers: 2 },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const step = async ({ X, sent }: { X: Matrix; sent?: Matrix }, k: number) => {
        const half = sum([1, X], [-rate(k), await gradients(X)])
        if (k % 12 !== 11) return { X: half, sent }
        const mixed = sent && sum([1 / 3, half], [1, product(W, sent)], [-1 / 3, sent])
        return { X: mixed ?? half, sent: half }
      }
      return repeated(rounds, { X: start }, step, ({ X }) => X)
    }
  },
  {
    title:
      'Moshpit SGD takes a step, and then the mean over its row of the grid, whatever the weights (Ryabinin 2021, Algorithm 1)',
    name: 'moshpit',
    graph: { kind: 'moshpit-grid', side: 3, dimensions: 2, seed: 1 },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const means = [0, 1].map((round) => rowsOf(topology, round).map((row) => evenly(row.map((weight) => weight > 0))))
      const step = async (X: Matrix, k: number) => product(means[k % 2], sum([1, X], [-rate(k), await gradients(X)]))
      return repeated(rounds, start, step, (X) => X)
    }
  },
  {
    title:
      'late gossip steps, mixes in every fourth round and in the last quarter of them, and ends with the mean (Zhu 2026)',
    name: 'late-gossip',
    options: { period: 4, late: 0.25 },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const step = async (X: Matrix, k: number) => {
        const half = sum([1, X], [-rate(k), await gradients(X)])
        if (k === rounds - 1) return X.map(() => meanOf(half)[0])
        return k % 4 === 3 || k >= 18 ? product(W, half) : half
      }
      return repeated(rounds, start, step, (X) => X)
    }
  },
  {
    title:
      'RelaySGD averages all models, each as many rounds old as it has edges to go less one, and the start before that (Vogels 2021)',
    name: 'relay-sgd',
    graph: { kind: 'edges', edges: [0, 1, 2, 3].map((k): [string, string] => [`p0${k}`, `p0${k + 1}`]) },
    recursion: async ({ rounds, rate, gradients, start }) => {
      const all: Matrix[] = []
      const step = async (X: Matrix, k: number) => {
        all[k] = sum([1, X], [-rate(k), await gradients(X)])
        const modelAt = (i: number, j: number) => (all[k - Math.max(0, Math.abs(i - j) - 1)] ?? start)[j]
        return X.map((row, i) => row.map((_, d) => X.reduce((total, _, j) => total + modelAt(i, j)[d], 0) / X.length))
      }
      return repeated(rounds, start, step, (X) => X)
    }
  },
  {
    title:
      'RelaySum/Grad applies every gradient everywhere, as many rounds late as it has edges to go less one (Vogels 2021)',
    name: 'relay-sgd',
    options: { sums: 'gradients' },
    graph: { kind: 'edges', edges: [0, 1, 2, 3].map((k): [string, string] => [`p0${k}`, `p0${k + 1}`]) },
    recursion: async ({ rounds, rate, gradients, start }) => {
      const all: Matrix[] = []
      const step = async (X: Matrix, k: number) => {
        all[k] = await gradients(X)
        const sumAt = (i: number, d: number) =>
          X.reduce((total, _, j) => total + (all[k - Math.max(0, Math.abs(i - j) - 1)]?.[j][d] ?? 0), 0)
        return X.map((row, i) => row.map((value, d) => value - (rate(k) / X.length) * sumAt(i, d)))
      }
      return repeated(rounds, start, step, (X) => X)
    }
  },
  {
    title: 'local SGD takes the mean after every H steps, and after the last one (Stich 2019, Algorithm 1)',
    name: 'local-sgd',
    options: { period: 5 },
    recursion: async ({ rounds, rate, gradients, start }) => {
      const step = async (X: Matrix, k: number) => {
        const half = sum([1, X], [-rate(k), await gradients(X)])
        return k % 5 === 4 || k === rounds - 1 ? meanOf(half) : half
      }
      return repeated(rounds, start, step, (X) => X)
    }
  },
  {
    title: 'Gossip-PGA steps and mixes, and takes the exact mean in every H-th round (Chen 2021, Algorithm 1)',
    name: 'gossip-pga',
    options: { period: 4 },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const step = async (X: Matrix, k: number) => {
        const half = sum([1, X], [-rate(k), await gradients(X)])
        return k % 4 === 3 ? meanOf(half) : product(W, half)
      }
      return repeated(rounds, start, step, (X) => X)
    }
  },
  {
    title:
      'DiLoCo takes Nesterov’s step from θ on the mean of θ − x, and goes on from there (Douillard 2023, Algorithm 1)',
    name: 'diloco',
    options: { period: 5, outer: { name: 'sgd', rate: 0.6, momentum: 0.7, nesterov: true } },
    recursion: async ({ rounds, rate, gradients, start }) => {
      const first = { X: start, θ: start, v: sum([0, start]) }
      const step = async ({ X, θ, v }: typeof first, k: number) => {
        const inner = sum([1, X], [-rate(k), await gradients(X)])
        if (k % 5 !== 4 && k !== rounds - 1) return { X: inner, θ, v }
        const Δ = meanOf(sum([1, θ], [-1, inner]))
        const velocity = sum([0.7, v], [1, Δ])
        const next = sum([1, θ], [-0.6, Δ], [-0.6 * 0.7, velocity])
        return { X: next, θ: next, v: velocity }
      }
      return repeated(rounds, first, step, ({ θ }) => θ)
    }
  },
  {
    title: 'SGP steps at x / w, and (x, w) ← P (x, w) (Assran 2019, Algorithm 1)',
    name: 'sgp',
    graph: matchings,
    recursion: pushSum
  },
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

for (const oracle of oracles) testOracle(test, oracle)
