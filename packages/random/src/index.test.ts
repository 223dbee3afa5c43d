import test from 'ava'
import { createRandom } from './index.js'

const many = (draw: () => number, count = 20_000) => Array.from({ length: count }, draw)
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

test('the same seed and purposes give the same draws', (t) => {
  const left = createRandom(7, 'a', 'batches')
  const right = createRandom(7, 'a').stream('batches')
  t.deepEqual(
    many(() => left.uniform(), 100),
    many(() => right.uniform(), 100)
  )
})

test('a stream does not depend on what its parent has drawn', (t) => {
  const parent = createRandom(7)
  const before = parent.stream('x').uniform()
  parent.uniform()
  t.is(parent.stream('x').uniform(), before)
})

test('seeds and purposes give different streams, also where their texts join to the same', (t) => {
  const first = [createRandom(1, 'ab'), createRandom(1, 'a', 'b'), createRandom(2, 'ab'), createRandom(1)].map((r) =>
    r.uniform()
  )
  t.is(new Set(first).size, 4)
})

test('the draws are pinned: a change of them changes every published run', (t) => {
  const random = createRandom(1, 'pinned')
  t.deepEqual([random.integer(1000), random.integer(1000), random.integer(1000)], [412, 780, 84])
})

test('uniform draws have mean 1/2 and variance 1/12', (t) => {
  const random = createRandom(3)
  const draws = many(() => random.uniform())
  t.true(draws.every((draw) => draw >= 0 && draw < 1))
  t.true(Math.abs(mean(draws) - 0.5) < 0.01)
  t.true(Math.abs(mean(draws.map((draw) => (draw - 0.5) ** 2)) - 1 / 12) < 0.003)
})

test('normal draws have mean 0, variance 1 and fourth moment 3', (t) => {
  const random = createRandom(4)
  const draws = many(() => random.normal(), 100_000)
  t.true(Math.abs(mean(draws)) < 0.02)
  t.true(Math.abs(mean(draws.map((draw) => draw ** 2)) - 1) < 0.02)
  t.true(Math.abs(mean(draws.map((draw) => draw ** 4)) - 3) < 0.15)
})

test('shuffle puts each item in each place equally often', (t) => {
  const random = createRandom(5)
  const places = Array.from({ length: 4 }, () => [0, 0, 0, 0])
  for (let k = 0; k < 8000; k++) {
    for (const [place, item] of random.shuffle([0, 1, 2, 3]).entries()) places[item][place]++
  }
  t.true(places.flat().every((count) => Math.abs(count - 2000) < 200))
})

test('impossible seeds and random numbers are refused', (t) => {
  t.throws(() => createRandom(0.5), { instanceOf: RangeError })
  t.throws(() => createRandom(1).integer(0), { instanceOf: RangeError })
})
