/** DiLoCo in few bits against its recursion, written anew in float64. */
import test from 'ava'
import { type Matrix, meanOf, repeated, sum, testOracle } from './recursion.js'

testOracle(test, {
  title: 'DiLoCo in few bits steps along C(mean C(θ − x + e)), and e keeps what either C leaves out',
  name: 'quantised-diloco',
  options: { period: 3, bits: 4, outer: { name: 'sgd', rate: 0.7, momentum: 0 } },
  recursion: async ({ rounds, rate, gradients, start }) => {
    const first = { X: start, θ: start, e: sum([0, start]) }
    const n = start.length
    const step = async ({ X, θ, e }: typeof first, k: number) => {
      const inner = sum([1, X], [-rate(k), await gradients(X)])
      if (k % 3 !== 2) return { X: inner, θ, e }
      const all = sum([1, θ], [-1, inner], [1, e])
      const q = inSevenths(all)
      const mean = meanOf(q)
      const back = inSevenths(mean)
      const lost = sum([n, mean], [-n, back]).map((row, i) =>
        row.map((v, d) => (ownerOf(d, row.length, n) === i ? v : 0))
      )
      const next = sum([1, θ], [-0.7, back])
      return { X: next, θ: next, e: sum([1, all], [-1, q], [1, lost]) }
    }
    return repeated(rounds, first, step, ({ θ }) => θ)
  }
})

/** Whose segment a number is in, of n that are as long as can be. */
function ownerOf(place: number, length: number, n: number): number {
  return Array.from({ length: n }, (_, owner) => Math.floor(((owner + 1) * length) / n)).findIndex((end) => place < end)
}

/** Each segment in multiples of a seventh of its largest number, the nearest ones: 4 bits with the sign. */
function inSevenths(X: Matrix): Matrix {
  const n = X.length
  return X.map((row) => {
    const owners = row.map((_, place) => ownerOf(place, row.length, n))
    return row.map((value, place) => {
      const segment = row.filter((_, other) => owners[other] === owners[place])
      const unit = Math.max(...segment.map(Math.abs)) / 7
      return unit > 0 ? unit * Math.round(value / unit) : 0
    })
  })
}
