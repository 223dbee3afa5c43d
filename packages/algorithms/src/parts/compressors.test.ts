import { createRandom } from '@murmuration/random'
import { distance, norm } from '@murmuration/vectors'
import test from 'ava'
import fc from 'fast-check'
import { compress, compressorSettings, contractionOf } from './compressors.js'
import { Arena } from '@murmuration/engine'

const arena = new Arena({ allocate: (length) => new Float32Array(length), free: () => {} })
const vectorOf = (numbers: Float32Array) => arena.compute(numbers.length, (out) => out.set(numbers))
const settingsOf = (given: object) => compressorSettings.parse(given)

/** Draws of its own in each round. */
const nodeOf = (seed: number, tensors: readonly { offset: number; length: number }[]) => ({
  tensors,
  random: (purpose: string, round: number) => createRandom(seed, purpose, String(round))
})
const wholeOf = ({ length }: Float32Array) => nodeOf(1, [{ offset: 0, length }])

const draws = createRandom(5)
const samples: readonly Float32Array[] = [
  Float32Array.from({ length: 200 }, () => draws.normal()),
  Float32Array.from({ length: 200 }, () => draws.normal() ** 5),
  Float32Array.from({ length: 200 }, (_, k) => (k === 7 ? 1 : 0)),
  Float32Array.from({ length: 200 }, () => 1),
  new Float32Array(200),
  Float32Array.of(3)
]

const settings = [
  { name: 'top-k', fraction: 0.1 },
  { name: 'top-k', fraction: 0.1, bits: 1 },
  { name: 'top-k', fraction: 0.1, bits: 2 },
  { name: 'random-k', fraction: 0.1 },
  { name: 'qsgd', levels: 2 },
  { name: 'qsgd', levels: 16 },
  { name: 'sign' }
].map(settingsOf)

for (const each of settings) {
  test(`E ‖Q(v) − v‖² ≤ (1 − ω) ‖v‖²: ${JSON.stringify(each)}`, (t) => {
    for (const [place, sample] of samples.entries()) {
      const rounds = 400
      let mean = 0
      for (let k = 0; k < rounds; k++) {
        const { values } = compress(each, vectorOf(sample), wholeOf(sample), 'test', k)
        mean += distance(values, sample) ** 2 / rounds
      }
      const bound = (1 - contractionOf(each, sample.length)) * norm(sample) ** 2
      // A tolerance of 0.1 for random draws: a single number is kept once in ten rounds, and four standard deviations
      // of that are 0.06.
      const slack = each.name === 'top-k' || each.name === 'sign' ? 1e-6 : 0.1
      t.true(mean <= bound * (1 + slack) + 1e-6, `sample ${place}: ${mean} above ${bound}`)
    }
  })
}

for (const each of [
  { name: 'random-k', fraction: 0.2, unbiased: true },
  { name: 'qsgd', levels: 3, unbiased: true }
].map(settingsOf)) {
  test(`the mean over the draws is v where nothing is scaled down: ${JSON.stringify(each)}`, (t) => {
    const [sample] = samples
    const rounds = 2000
    const mean = new Float32Array(sample.length)
    for (let k = 0; k < rounds; k++) {
      const { values } = compress(each, vectorOf(sample), wholeOf(sample), 'test', k)
      for (let i = 0; i < mean.length; i++) mean[i] += values[i] / rounds
    }
    t.true(distance(mean, sample) < 0.12 * norm(sample), `${distance(mean, sample) / norm(sample)}`)
  })
}

test('each tensor is compressed alone: the largest of each are kept, and a norm is that of a tensor', (t) => {
  const v = Float32Array.of(1, 2, 3, 4, 100, 300, 200, 400)
  const node = nodeOf(1, [
    { offset: 0, length: 4 },
    { offset: 4, length: 4 }
  ])
  t.deepEqual(
    [...compress(settingsOf({ name: 'top-k', fraction: 0.25 }), vectorOf(v), node, 'test', 0).values],
    [0, 0, 0, 4, 0, 0, 0, 400]
  )
  t.deepEqual(
    [...compress(settingsOf({ name: 'sign' }), vectorOf(v), node, 'test', 0).values],
    [2.5, 2.5, 2.5, 2.5, 250, 250, 250, 250]
  )
})

test('as many are kept as the fraction says, rounded up; of ties the first; and a draw is that of its round and peer', (t) => {
  const ones = new Float32Array(10).fill(1)
  const kept = (given: object, seed: number, k: number) => [
    ...compress(settingsOf(given), vectorOf(ones), nodeOf(seed, [{ offset: 0, length: 10 }]), 'test', k).values
  ]
  t.deepEqual(kept({ name: 'top-k', fraction: 0.25 }, 1, 0), [1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
  const hundred = vectorOf(new Float32Array(100).fill(1))
  const seven = compress(settingsOf({ name: 'top-k', fraction: 0.07 }), hundred, wholeOf(hundred.values), 'test', 0)
  t.is(seven.values.filter((value) => value === 1).length, 7, 'the product is rounded up to just above 7')
  const random = { name: 'random-k', fraction: 0.3 }
  t.is(kept(random, 1, 0).filter((value) => value === 1).length, 3)
  t.deepEqual(kept(random, 1, 4), kept(random, 1, 4))
  t.true(new Set([0, 1, 2, 3].map((k) => kept(random, 1, k).join())).size > 1)
  t.true(new Set([1, 2, 3, 4].map((seed) => kept(random, seed, 0).join())).size > 1)
})

test('of the numbers kept, those in the same bin become their mean: 2^bits bins over 6σ, and what is beyond in the outermost', (t) => {
  const binned = (numbers: readonly number[], bits: number) => {
    const v = Float32Array.from(numbers)
    return [...compress(settingsOf({ name: 'top-k', fraction: 1, bits }), vectorOf(v), wholeOf(v), 'test', 0).values]
  }
  t.deepEqual(binned([1, 2, 3, 10, 11, 12], 1), [2, 2, 2, 11, 11, 11])
  // The mean is 0 and σ 11.4, so bins end at −17.1, 0 and 17.1.
  t.deepEqual(
    binned([-10, -20, -2, -4, 2, 4, 10, 20], 2),
    [-16 / 3, -20, -16 / 3, -16 / 3, 16 / 3, 16 / 3, 16 / 3, 20].map(Math.fround)
  )
  // 30 is 5.4 σ above the mean.
  const far = [...Array.from({ length: 29 }, () => 0.5), 30]
  t.deepEqual(binned(far, 2), far)
  t.deepEqual(binned([3], 2), [3])
  t.deepEqual(binned([0.1, 0.1, 0.1], 2), [0.1, 0.1, 0.1].map(Math.fround))
  t.deepEqual(binned([0, 0], 2), [0, 0])
  t.true(binned([1, NaN, 2], 2).some(Number.isNaN))
})

test('top-k in few bits is a projection of at most 2^bits levels: ‖v − Q(v)‖² = ‖v‖² − ‖Q(v)‖², with at least ‖v‖² / 2d left', (t) => {
  const list = fc.array(fc.float({ noNaN: true, min: -1000, max: 1000 }), { minLength: 1, maxLength: 80 })
  fc.assert(
    fc.property(
      list,
      fc.integer({ min: 1, max: 8 }),
      fc.float({ min: 0.125, max: 1, noNaN: true }),
      (v, bits, fraction) => {
        const sample = Float32Array.from(v, (value) => (Math.abs(value) < 1e-6 ? 0 : value))
        const given = settingsOf({ name: 'top-k', fraction, bits })
        const of = () => compress(given, vectorOf(sample), wholeOf(sample), 'test', 0).values
        const q = of()
        const whole = norm(sample) ** 2
        t.deepEqual(q, of())
        t.true(new Set(q.filter((value) => value !== 0)).size <= 2 ** bits)
        t.true(Math.abs(distance(q, sample) ** 2 - (whole - norm(q) ** 2)) <= 1e-5 * whole)
        t.true(norm(q) ** 2 >= contractionOf(given, sample.length) * whole * (1 - 1e-5))
      }
    )
  )
})
