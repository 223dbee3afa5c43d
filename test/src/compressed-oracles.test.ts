/**
 * Algorithms that compress, and those that expect liars, against the recursions of their papers, implemented again in
 * float64.
 */
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { maskOf, type Matrix, meanOf, type Oracle, product, repeated, rowsOf, sum, testOracle } from './recursion.js'

/** The two, or `count`, numbers of each row that are farthest from 0, and zeros elsewhere. */
function largest(X: Matrix, count = 2): Matrix {
  return X.map((row) => {
    const least = row.map(Math.abs).sort((a, b) => b - a)[count - 1]
    return row.map((value) => (Math.abs(value) >= least ? value : 0))
  })
}

/**
 * In each row, the mean of those numbers that are not 0 and below their mean in place of each of them, and that of the
 * others.
 */
function twoLevels(X: Matrix): Matrix {
  const mean = (list: readonly number[]) => list.reduce((total, value) => total + value, 0) / list.length
  return X.map((row) => {
    const kept = row.filter((value) => value !== 0)
    const level = (isLow: boolean) => mean(kept.filter((value) => value < mean(kept) === isLow))
    return row.map((value) => (value === 0 ? 0 : level(value < mean(kept))))
  })
}

/** With periods of 3 rounds, β = 0.8 and α = 0.7. */
const sparseLoCo =
  (Q: (e: Matrix) => Matrix): Oracle['recursion'] =>
  async ({ rounds, rate, gradients, start }) => {
    const first = { X: start, θ: start, e: sum([0, start]) }
    const step = async ({ X, θ, e }: typeof first, k: number) => {
      const inner = sum([1, X], [-rate(k), await gradients(X)])
      if (k % 3 !== 2) return { X: inner, θ, e }
      const all = sum([0.8, e], [1, θ], [-1, inner])
      const q = Q(all)
      const next = sum([1, θ], [-0.7, meanOf(q)])
      return { X: next, θ: next, e: sum([1, all], [-1, q]) }
    }
    return repeated(rounds, first, step, ({ θ }) => θ)
  }

const oracles: readonly Oracle[] = [
  {
    title: 'CHOCO-SGD sends Q(x½ − x̂), adds it to all copies, and goes γ towards theirs (Koloskova 2019, Algorithm 2)',
    name: 'choco',
    options: { compressor: { name: 'top-k', fraction: 1 / 3 }, consensus: 0.3 },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const step = async ({ X, hat }: { X: Matrix; hat: Matrix }, k: number) => {
        const half = sum([1, X], [-rate(k), await gradients(X)])
        const next = sum([1, hat], [1, largest(sum([1, half], [-1, hat]))])
        return { X: sum([1, half], [0.3, product(W, next)], [-0.3, next]), hat: next }
      }
      return repeated(rounds, { X: start, hat: start }, step, ({ X }) => X)
    }
  },
  {
    title: 'CHOCO-SGD with a period takes H steps, and then exchanges (Singh 2020, Algorithm 1 without the trigger)',
    name: 'choco',
    options: { compressor: { name: 'top-k', fraction: 1 / 3 }, consensus: 0.3, period: 3 },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const step = async ({ X, hat }: { X: Matrix; hat: Matrix }, k: number) => {
        const half = sum([1, X], [-rate(k), await gradients(X)])
        if (k % 3 !== 2) return { X: half, hat }
        const next = sum([1, hat], [1, largest(sum([1, half], [-1, hat]))])
        return { X: sum([1, half], [0.3, product(W, next)], [-0.3, next]), hat: next }
      }
      return repeated(rounds, { X: start, hat: start }, step, ({ X }) => X)
    }
  },
  {
    title: 'SparseLoCo goes to θ − α mean Q(e), e ← β e + θ − x less what is sent (Sarfi 2025, Algorithm 1)',
    name: 'sparseloco',
    options: { period: 3, compressor: { name: 'top-k', fraction: 1 / 3 }, memory: 0.8, outerRate: 0.7 },
    recursion: sparseLoCo(largest)
  },
  {
    title: 'SparseLoCo in 1 bit sends, of the three largest numbers, the means of those above and below their mean',
    name: 'sparseloco',
    options: { period: 3, compressor: { name: 'top-k', fraction: 1 / 2, bits: 1 }, memory: 0.8, outerRate: 0.7 },
    recursion: sparseLoCo((e) => twoLevels(largest(e, 3)))
  },
  {
    title: 'GASLoC mixes y = θ + η (x − θ) and adds γ (y − y before); the mean takes Nesterov’s step (Cagnasso 2026)',
    name: 'gasloc',
    options: { period: 3, outerRate: 0.7, momentum: 0.4 },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const first = { X: start, θ: start, y: start }
      const step = async ({ X, θ, y }: typeof first, k: number) => {
        const inner = sum([1, X], [-rate(k), await gradients(X)])
        if (k % 3 !== 2) return { X: inner, θ, y }
        const ahead = sum([0.3, θ], [0.7, inner])
        const next = sum([1, product(W, ahead)], [0.4, ahead], [-0.4, y])
        return { X: next, θ: next, y: ahead }
      }
      return repeated(rounds, first, step, ({ θ }) => θ)
    }
  },
  {
    title: 'DCD-PSGD adds C(W x − γ g − x) to x everywhere (Tang 2018, Algorithm 1)',
    name: 'dcd-psgd',
    options: { compressor: { name: 'top-k', fraction: 1 / 3 } },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const step = async (X: Matrix, k: number) => {
        const half = sum([1, product(W, X)], [-rate(k), await gradients(X)])
        return sum([1, X], [1, largest(sum([1, half], [-1, X]))])
      }
      return repeated(rounds, start, step, (X) => X)
    }
  },
  {
    title:
      'DeepSqueeze sends C(x½ + δ), keeps what is left out, and goes η towards what others sent (Tang 2019, Algorithm 1)',
    name: 'deepsqueeze',
    options: { compressor: { name: 'top-k', fraction: 1 / 3 }, consensus: 0.3 },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const step = async ({ X, δ }: { X: Matrix; δ: Matrix }, k: number) => {
        const half = sum([1, X], [-rate(k), await gradients(X)])
        const v = sum([1, half], [1, δ])
        const c = largest(v)
        return { X: sum([1, half], [0.3, product(W, c)], [-0.3, c]), δ: sum([1, v], [-1, c]) }
      }
      return repeated(rounds, { X: start, δ: sum([0, start]) }, step, ({ X }) => X)
    }
  },
  {
    title:
      'PowerSGD steps along P̂ mean(Mᵀ P̂)ᵀ, M = g + e, and keeps e = M − P̂ (Mᵀ P̂)ᵀ (Vogels 2019, Algorithms 1 and 2)',
    name: 'power-sgd',
    options: { rank: 1 },
    schema: [{ name: 'matrix', shape: [3, 2] }],
    recursion: async ({ rounds, rate, gradients, start }) => {
      const random = createRandom(0, 'right factors')
      const first = { X: start, e: sum([0, start]), q: [random.normal(), random.normal()] }
      // Of 3 × 2 numbers, row by row: M v, and Mᵀ v.
      const times = (m: readonly number[], [a, b]: readonly number[]) => [0, 2, 4].map((i) => m[i] * a + m[i + 1] * b)
      const across = (m: readonly number[], p: readonly number[]) =>
        [0, 1].map((j) => p.reduce((total, value, i) => total + value * m[2 * i + j], 0))
      const outer = (p: readonly number[], q: readonly number[]) =>
        p.flatMap((value) => q.map((other) => value * other))
      const step = async ({ X, e, q }: typeof first, k: number) => {
        const M = sum([1, await gradients(X)], [1, e])
        const [p] = meanOf(M.map((m) => times(m, q)))
        const unit = p.map((value) => value / Math.hypot(...p))
        const own = M.map((m) => across(m, unit))
        const [mean] = meanOf(own)
        const direction = X.map(() => outer(unit, mean))
        const left = sum([1, M], [-1, own.map((each) => outer(unit, each))])
        return { X: sum([1, X], [-rate(k), direction]), e: left, q: [...mean] }
      }
      return repeated(rounds, first, step, ({ X }) => X)
    }
  },
  {
    title:
      'PowerGossip takes W_ij D V̂ V̂ᵀ off, D = X_i − X_j, and goes on from D V̂ on each edge (Vogels 2020, Algorithm 1)',
    name: 'power-gossip',
    options: { rank: 1 },
    schema: [{ name: 'matrix', shape: [3, 2] }],
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const random = createRandom(0, 'right factors')
      const drawn = [random.normal(), random.normal()]
      const edges = W.flatMap((row, i) => row.flatMap((weight, j) => (i < j && weight > 0 ? [{ i, j, weight }] : [])))
      const first = { X: start, V: edges.map(() => drawn) }
      const step = async ({ X, V }: typeof first, k: number) => {
        const half = sum([1, X], [-rate(k), await gradients(X)])
        const next = half.map((row) => [...row])
        const all = edges.map(({ i, j, weight }, n) => {
          const unit = V[n].map((value) => value / Math.hypot(...V[n]))
          const D = half[i].map((value, d) => value - half[j][d])
          const even = k % 2 === 0
          const v = even
            ? [0, 2, 4].map((at) => D[at] * unit[0] + D[at + 1] * unit[1])
            : [0, 1].map((c) => unit.reduce((total, value, r) => total + value * D[2 * r + c], 0))
          const [p, q] = even ? [v, unit] : [unit, v]
          for (let d = 0; d < 6; d++) {
            const change = weight * p[Math.floor(d / 2)] * q[d % 2]
            next[i][d] -= change
            next[j][d] += change
          }
          return v
        })
        return { X: next as Matrix, V: all }
      }
      return repeated(rounds, first, step, ({ X }) => X)
    }
  },
  {
    title: 'PowerGossip mixes a vector whole, in even rounds (Vogels 2020)',
    name: 'power-gossip',
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const step = async (X: Matrix, k: number) => {
        const half = sum([1, X], [-rate(k), await gradients(X)])
        return k % 2 === 0 ? product(W, half) : half
      }
      return repeated(rounds, start, step, (X) => X)
    }
  },
  {
    title: 'PowerSGD takes the mean of the gradients of a vector (Vogels 2019)',
    name: 'power-sgd',
    recursion: async ({ rounds, rate, gradients, start }) => {
      const step = async (X: Matrix, k: number) => sum([1, X], [-rate(k), meanOf(await gradients(X))])
      return repeated(rounds, start, step, (X) => X)
    }
  },
  {
    title: 'sparse gossip mixes the parameters in S_k, and no others (Beton 2025, with W in place of the mean)',
    name: 'sparse-gossip',
    options: { fraction: 0.5 },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const step = async (X: Matrix, k: number) => {
        const half = sum([1, X], [-rate(k), await gradients(X)])
        const mixed = product(W, half)
        const mask = maskOf(k, [3, 4, 5])
        return half.map((row, i) => row.map((value, d) => (mask.includes(d) ? mixed[i][d] : value)))
      }
      return repeated(rounds, start, step, (X) => X)
    }
  },
  ...[0.3, 1].map((λ): Oracle => ({
    title: `MoTEF with λ = ${λ}${λ === 1 ? ', which is BEER,' : ''} moves x, then v, then their copies (Islamov 2025, Algorithm 1)`,
    name: 'motef',
    options: { compressor: { name: 'top-k', fraction: 1 / 3 }, consensus: 0.3, momentum: λ },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const pull = (copies: Matrix) => sum([0.3, product(W, copies)], [-0.3, copies])
      const m0 = await gradients(start)
      const g0 = largest(m0)
      const first = { X: start, m: m0, v: m0, H: start, G: g0 }
      // As in the paper: x and H with the previous v, then m, v and G.
      const step = async ({ X, m, v, H, G }: typeof first, k: number) => {
        const X1 = sum([1, X], [1, pull(H)], [-rate(k), v])
        const H1 = sum([1, H], [1, largest(sum([1, X1], [-1, H]))])
        const m1 = sum([1 - λ, m], [λ, await gradients(X1)])
        const v1 = sum([1, v], [1, pull(G)], [1, m1], [-1, m])
        return { X: X1, m: m1, v: v1, H: H1, G: sum([1, G], [1, largest(sum([1, v1], [-1, G]))]) }
      }
      return repeated(rounds, first, step, ({ X }) => X)
    }
  })),
  {
    title: 'BRIDGE-M steps from the median of each coordinate (Fang 2022)',
    name: 'coordinate-median',
    graph: { kind: 'ring' },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const near = rowsOf(topology).map((row) => row.flatMap((weight, j) => (weight > 0 ? [j] : [])))
      const median = (values: number[]) => values.sort((a, b) => a - b)[1]
      const centre = (X: Matrix) => X.map((row, i) => row.map((_, d) => median(near[i].map((j) => X[j][d]))))
      const step = async (X: Matrix, k: number) => sum([1, centre(X)], [-rate(k), await gradients(X)])
      return repeated(rounds, start, step, (X) => X)
    }
  },
  ...[1, 2].map((b): Oracle => ({
    title: `BRIDGE-T with b = ${b} steps from the mean of the own values and the others’ without the ${b} largest and smallest (Fang 2022)`,
    name: 'trimmed-mean',
    options: { b },
    peers: 6,
    graph: { kind: 'complete' },
    recursion: async ({ rounds, rate, gradients, start }) => {
      const centre = (X: Matrix) =>
        X.map((own, i) =>
          own.map((value, d) => {
            const others = X.flatMap((row, j) => (i === j ? [] : [row[d]])).sort((left, right) => left - right)
            const kept = [value, ...others.slice(b, others.length - b)]
            return kept.reduce((total, each) => total + each, 0) / kept.length
          })
        )
      const step = async (X: Matrix, k: number) => sum([1, centre(X)], [-rate(k), await gradients(X)])
      return repeated(rounds, start, step, (X) => X)
    }
  })),
  {
    title: 'BRIDGE-K steps from the vector whose n − b − 2 nearest others are nearest (Blanchard 2017, Fang 2022)',
    name: 'krum',
    graph: { kind: 'complete' },
    recursion: async ({ rounds, rate, gradients, start }) => {
      const scoreOf = (X: Matrix, i: number) => {
        const squares = X.map((row) => row.reduce((total, value, d) => total + (value - X[i][d]) ** 2, 0))
        const [, nearest, next] = squares.sort((a, b) => a - b)
        return nearest + next
      }
      const step = async (X: Matrix, k: number) => {
        // Each takes itself if its score is as good as the best, otherwise the first best by name.
        const scores = X.map((_, j) => scoreOf(X, j))
        const best = scores.indexOf(Math.min(...scores))
        const chosen = X.map((own, i) => (scores[i] === scores[best] ? own : X[best]))
        return sum([1, chosen], [-rate(k), await gradients(X)])
      }
      return repeated(rounds, start, step, (X) => X)
    }
  },
  ...[0, 0.2].map((radius): Oracle => ({
    title: `ClippedGossip with ${radius === 0 ? 'the distance of the second farthest' : 'a given radius'} is x + Σ_j W_ij clip(x_j − x) (He 2022, equation 3)`,
    name: 'clipped-gossip',
    options: { radius },
    graph: { kind: 'complete' },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const clipped = (X: Matrix) =>
        X.map((own, i) => {
          const differences = X.map((row) => row.map((value, d) => value - own[d]))
          const lengths = differences.map((row) => Math.hypot(...row))
          const τ = radius || lengths.filter((_, j) => j !== i).sort((a, b) => b - a)[1]
          const scale = (j: number) => W[i][j] * (lengths[j] === 0 ? 1 : Math.min(1, τ / lengths[j]))
          return own.map((value, d) => differences.reduce((total, row, j) => total + scale(j) * row[d], value))
        })
      const step = async (X: Matrix, k: number) => clipped(sum([1, X], [-rate(k), await gradients(X)]))
      return repeated(rounds, start, step, (X) => X)
    }
  })),
  {
    title: 'CS+ clips at the largest distance within which all together weigh at most 1 − 2 b (Gaucher 2025)',
    name: 'cs-plus',
    options: { b: 1 },
    graph: { kind: 'complete' },
    recursion: async ({ topology, rounds, rate, gradients, start }) => {
      const W = rowsOf(topology)
      const step = async (X: Matrix, k: number) => {
        const half = sum([1, X], [-rate(k), await gradients(X)])
        return half.map((own, i) => {
          const differences = half.map((row) => row.map((value, d) => value - own[d]))
          const lengths = differences.map((row) => Math.hypot(...row))
          // All weights are 1 / n: n − 2 may be within τ, the peer itself included.
          const τ = [...lengths].sort((a, b) => a - b)[half.length - 3]
          const scale = (j: number) => W[i][j] * (lengths[j] === 0 ? 1 : Math.min(1, τ / lengths[j]))
          return own.map((value, d) => differences.reduce((total, row, j) => total + scale(j) * row[d], value))
        })
      }
      return repeated(rounds, start, step, (X) => X)
    }
  }
]

for (const oracle of oracles) testOracle(test, oracle)
