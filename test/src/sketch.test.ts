import { createRandom } from '@murmuration/random'
import test from 'ava'
import { addToSketch, consensusDistance, sketch, sketchedConsensusDistance } from '@murmuration/vectors'

const seeds = Array.from({ length: 40 }, (_, seed) => seed + 1)

/** Vectors around a common one, at a distance of `spread`. */
function vectorsAround(seed: number, count: number, length: number, spread: number): Float32Array[] {
  const random = createRandom(seed, 'sketch')
  const centre = Float32Array.from({ length }, () => 10 * random.normal())
  return Array.from({ length: count }, () => centre.map((value) => value + spread * random.normal()))
}

test('over many seeds, the squared consensus distance is estimated without bias, and with the error that is promised', (t) => {
  const errors = seeds.map((seed) => {
    const vectors = vectorsAround(seed, 2, 5000, 0.1)
    const sketches = vectors.map((vector) => sketch(vector, seed))
    return (sketchedConsensusDistance(sketches) / consensusDistance(vectors)) ** 2 - 1
  })
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length
  const deviation = Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length)
  // Three standard errors of 40 draws.
  t.true(Math.abs(mean) < 3 * Math.sqrt(2 / 64 / seeds.length), `bias ${mean}`)
  t.true(deviation < 1.4 * Math.sqrt(2 / 64), `deviation ${deviation}`)
})

test('of more vectors the estimate is closer', (t) => {
  for (const seed of seeds.slice(0, 10)) {
    const vectors = vectorsAround(seed, 16, 2000, 3)
    const estimate = sketchedConsensusDistance(vectors.map((vector) => sketch(vector, seed)))
    const relative = estimate / consensusDistance(vectors)
    t.true(relative > 0.8 && relative < 1.2, `${relative} of the true one, seed ${seed}`)
  }
})

test('equal vectors are no distance apart, and one or none neither', (t) => {
  const x = Float32Array.of(1, -2, 3)
  t.is(sketchedConsensusDistance([sketch(x, 1), sketch(x, 1)]), 0)
  t.is(sketchedConsensusDistance([sketch(x, 1)]), 0)
  t.is(sketchedConsensusDistance([]), 0)
})

test('a few coordinates that are far apart are seen whatever the seed', (t) => {
  for (const seed of seeds) {
    const x = new Float32Array(10_000)
    const y = new Float32Array(10_000)
    y[seed] = 8
    t.true(Math.abs(sketchedConsensusDistance([sketch(x, seed), sketch(y, seed)]) - 4) < 1e-9)
  }
})

test('a sketch that is summed range by range has the same bits', (t) => {
  const [x] = vectorsAround(1, 1, 1000, 1)
  const sums = new Float64Array(64)
  for (let from = 0; from < x.length; from += 128) addToSketch(sums, x, 7, from, Math.min(x.length, from + 128))
  t.deepEqual(sums, sketch(x, 7))
})
