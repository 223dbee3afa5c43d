import test from 'ava'
import { allowedGrowth, growthOf, type MemorySample } from './memory.js'

const megabyte = 1e6
const allowed = allowedGrowth(50 * megabyte)

/** Samples in which every kind of memory is `bytes` of the index. */
function samples(count: number, bytes: (place: number) => number): MemorySample[] {
  return Array.from({ length: count }, (_, place) => {
    const value = bytes(place)
    return { rss: value, heapUsed: value, external: value, arrayBuffers: value }
  })
}

test('memory that goes up and down by two vectors does not grow', (t) => {
  const { heapUsed: _, ...vectors } = allowed
  const swinging = samples(40, (place) => (place % 3) * 50 * megabyte)
  t.deepEqual(growthOf(swinging, { ...vectors, heapUsed: 200 * megabyte }), [])
})

test('what is taken in the first quarter is no growth', (t) => {
  t.deepEqual(
    growthOf(
      samples(40, (place) => Math.min(place, 10) * 100 * megabyte),
      allowed
    ),
    []
  )
})

test('a vector lost in every second sample is growth, of each kind of memory', (t) => {
  const problems = growthOf(
    samples(40, (place) => Math.floor(place / 2) * 50 * megabyte),
    allowed
  )
  t.deepEqual(
    problems.map((problem) => problem.split(' ')[0]),
    ['rss', 'heapUsed', 'external', 'arrayBuffers']
  )
  t.is(problems[1], 'heapUsed grew from 450.0 MB to 950.0 MB, 8.4 MB allowed')
})

test('fewer than eight samples give no verdict', (t) => {
  const leak = (place: number) => place * 1e9
  t.deepEqual(growthOf(samples(7, leak), allowed), [])
  t.is(growthOf(samples(8, leak), allowed).length, 4)
})
