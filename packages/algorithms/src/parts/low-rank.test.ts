import { createRandom } from '@murmuration/random'
import test from 'ava'
import { LowRank } from './low-rank.js'
import { Arena, tensorsOf, type Vector } from '@murmuration/engine'

const arena = new Arena({ allocate: (length) => new Float32Array(length), free: () => {} })
const vectorOf = (numbers: readonly number[]) => arena.adopt(Float32Array.from(numbers))

/** One step of power iteration from the first factors of a run. */
function approximated(factors: LowRank, M: Vector) {
  const P = factors.orthonormal(factors.left(M, factors.first(M)), 'left')
  const Q = factors.right(M, P)
  return { P, Q, product: factors.product(P, Q, M.length), rest: factors.rest(M, P, Q) }
}

test('a matrix of rank r is its product of factors of rank r, and what is no matrix travels whole', (t) => {
  const random = createRandom(1, 'matrix')
  const tensors = tensorsOf([
    { name: 'bias', shape: [3] },
    { name: 'kernel', shape: [2, 4, 5] },
    { name: 'none', shape: [0, 4] },
    { name: 'small', shape: [2, 3] }
  ])
  const [left, right] = [16, 10].map((length) => Array.from({ length }, () => random.normal()))
  const kernel = Array.from({ length: 40 }, (_, n) => {
    const i = Math.floor(n / 5)
    const j = n % 5
    return left[i] * right[j] + left[8 + i] * right[5 + j]
  })
  const M = vectorOf([1, 2, 3, ...kernel, 4, 5, 6, 7, 8, 9])
  const { P, Q, product, rest } = approximated(new LowRank(tensors, 2), M)
  t.deepEqual([P.length, Q.length], [3 + 2 * 8 + 6, 2 * 5])
  for (const [n, value] of M.values.entries()) t.true(Math.abs(product.values[n] - value) < 1e-5, `${n}`)
  for (const value of rest.values) t.true(Math.abs(value) < 1e-5)
  t.deepEqual([...product.values.subarray(0, 3), ...product.values.subarray(43)], [1, 2, 3, 4, 5, 6, 7, 8, 9])
  t.deepEqual([...rest.values.subarray(0, 3), ...rest.values.subarray(43)], Array<number>(9).fill(0))
})

test('an approximation and what it leaves out are at right angles: errors never grow', (t) => {
  for (let seed = 0; seed < 20; seed++) {
    const random = createRandom(seed, 'matrix')
    const M = vectorOf(Array.from({ length: 96 }, () => random.normal()))
    const { product, rest } = approximated(new LowRank(tensorsOf([{ name: 'm', shape: [12, 8] }]), 3), M)
    const square = ({ values }: Vector) => values.reduce((sum, value) => sum + value * value, 0)
    t.true(Math.abs(square(product) + square(rest) - square(M)) < 1e-4 * square(M), `seed ${seed}`)
  }
})

test('a column that says nothing new is 0, and is drawn anew in the next round', (t) => {
  const factors = new LowRank(tensorsOf([{ name: 'm', shape: [6, 5] }]), 2)
  const M = vectorOf(Array.from({ length: 30 }, (_, n) => Math.floor(n / 5) * (1 + (n % 5))))
  const { P, Q, rest } = approximated(factors, M)
  t.deepEqual([...P.values.subarray(6)], Array<number>(6).fill(0))
  for (const value of rest.values) t.true(Math.abs(value) < 1e-4)
  const next = factors.revived(Q)
  t.deepEqual(next.values.subarray(0, 5), Q.values.subarray(0, 5))
  t.deepEqual(next.values.subarray(5), factors.first(M).values.subarray(5))
})
