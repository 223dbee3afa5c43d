/** CocktailSGD against its rule, implemented again in float64. */
import test from 'ava'
import { maskOf, repeated, sum, testOracle } from './recursion.js'

testOracle(test, {
  title: 'CocktailSGD sends the largest of the drawn, in 3 bits, to the server of their shard and back (Wang 2023)',
  name: 'cocktail-sgd',
  graph: { kind: 'complete' },
  options: { random: 2 / 3, largest: 0.75, bits: 3 },
  peers: 2,
  recursion: async ({ rounds, rate, gradients, start }) => {
    // The largest two of each half of six numbers, in multiples of a third of the largest.
    const squeezed = (row: readonly number[]) =>
      [row.slice(0, 3), row.slice(3)].flatMap((shard) => {
        const [most, second] = shard.map(Math.abs).sort((a, b) => b - a)
        return shard.map((value) =>
          most === 0 || Math.abs(value) < second ? 0 : (Math.round((3 * value) / most) * most) / 3
        )
      })
    const first = { X: start, θ: start[0], e: start[0].map(() => 0) }
    const step = async ({ X, θ, e }: typeof first, k: number) => {
      const half = sum([1, X], [-rate(k), await gradients(X)])
      const mask = maskOf(k, [2, 3, 4, 5])
      const q = half.map((row) => squeezed(row.map((value, d) => (mask.includes(d) ? value - θ[d] : 0))))
      const all = e.map((value, d) => (q[0][d] + q[1][d]) / 2 + (mask.includes(d) ? value : 0))
      const Q = squeezed(all)
      return {
        X: half.map((row, i) => row.map((value, d) => value - q[i][d] + Q[d])),
        θ: θ.map((value, d) => value + Q[d]),
        e: e.map((value, d) => (mask.includes(d) ? all[d] - Q[d] : value))
      }
    }
    return repeated(rounds, first, step, ({ θ }) => [θ, θ])
  }
})
