import test from 'ava'
import fc from 'fast-check'
import { farthest, normals, Pair } from './codecs.test.support.js'
import { parseCodec } from './parse.js'
import { countOf } from './top-k.js'

/** The places of the `count` largest |x|, without zeros, by sorting; of ties the lower places. */
function largestPlaces(x: Float32Array, count: number): number[] {
  const places = Array.from(x, (_, place) => place).sort((a, b) => Math.abs(x[b]) - Math.abs(x[a]) || a - b)
  return places
    .slice(0, count)
    .filter((place) => x[place] !== 0)
    .sort((a, b) => a - b)
}

/** A pair whose two references are zeros. */
function pairAtZero(t: Parameters<Pair['pass']>[0], fraction: number, length: number): Pair {
  const pair = new Pair(`top-k:${fraction}`, length)
  pair.pass(t, new Float32Array(length))
  return pair
}

const placesOf = (x: Float32Array) => Array.from(x, (_, place) => place).filter((place) => x[place] !== 0)

test('just the largest changes arrive, of ties the first', (t) => {
  const number = fc.oneof(
    fc.float({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 }),
    fc.constantFrom(0, -0, 1, -1, 2, 1e-30, 1e-45)
  )
  fc.assert(
    fc.property(
      fc.array(number, { minLength: 60, maxLength: 400 }).map((numbers) => Float32Array.from(numbers)),
      fc.constantFrom(0.01, 0.05, 0.2, 0.5),
      (x, fraction) => {
        const pair = pairAtZero(t, fraction, x.length)
        const got = pair.pass(t, x)
        const expected = largestPlaces(x, Math.ceil(fraction * x.length))
        t.is(pair.body.id, 12)
        // Next to a change of 1000, one of 1e-30 rounds to zero.
        const arrived = placesOf(got)
        t.true(arrived.every((place) => expected.includes(place)))
        t.deepEqual(
          arrived,
          expected.filter((place) => Math.abs(x[place]) > 1e-6 || arrived.includes(place))
        )
        t.true(arrived.every((place) => Math.abs(got[place] - x[place]) <= Math.abs(x[place]) * 2 ** -11 + 2 ** -26))
        t.is(new DataView(pair.body.content.buffer).getUint32(0, true), expected.length)
      }
    ),
    { numRuns: 200 }
  )
})

test('the same over many blocks, whatever bits the threshold has, with ties across blocks', (t) => {
  const length = 30_000
  const cases = [
    normals(length, 1),
    normals(length, 2).map((x) => 1 + x * 1e-6),
    new Float32Array(length).fill(-3),
    Float32Array.from({ length }, (_, k) => k % 3),
    Float32Array.from({ length }, (_, k) => (k === 29_999 ? 1 : 0)),
    normals(length, 3).map((x) => x * 2 ** -120)
  ]
  for (const [index, x] of cases.entries()) {
    for (const fraction of [0.001, 0.01, 0.3]) {
      const got = pairAtZero(t, fraction, length).pass(t, x)
      t.deepEqual(placesOf(got), largestPlaces(x, Math.ceil(fraction * length)), `case ${index}, ${fraction}`)
    }
  }
})

test('what changed since, and not the numbers themselves, decides', (t) => {
  const pair = new Pair('top-k:0.01', 100)
  const x = normals(100, 1).map((value) => 100 * value)
  pair.pass(t, x)
  const y = x.slice()
  y[17] += 0.5
  const got = pair.pass(t, y)
  t.true(Math.abs(got[17] - y[17]) < 2 ** -12)
  t.deepEqual(placesOf(got.map((value, index) => value - x[index])), [17])
})

test('a vector that stays the same arrives completely in the end, bit by bit, however different the sizes are', (t) => {
  for (const fraction of [0.01, 0.1, 0.4]) {
    const x = normals(2000, 5).map((value, index) => value * 10 ** ((index % 40) - 30))
    const pair = pairAtZero(t, fraction, x.length)
    let got: Float32Array = x
    for (let round = 0; round < 6 / fraction; round++) got = pair.pass(t, x)
    t.deepEqual(got, x, `${fraction}`)
    pair.pass(t, x)
    t.is(pair.body.bytes, 8 + 1, 'then nothing has to be sent')
  }
})

test('of a drifting vector, errors do not add up', (t) => {
  const pair = new Pair('top-k:0.1', 1000)
  const x = normals(1000, 1)
  pair.pass(t, x)
  for (let round = 0; round < 500; round++) {
    const drift = normals(1000, round, 0.01)
    drift.forEach((change, index) => (x[index] += change))
    // A number waits for at most about ten rounds, in which it drifts by less than a dozen standard deviations in
    // total.
    t.true(farthest(x, pair.pass(t, x)) < 0.2, `round ${round}`)
  }
})

test('no body is longer than the codec says, nor than raw float32', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1500 }), fc.constantFrom(0.001, 0.02, 0.1, 0.5, 1), (length, fraction) => {
      const pair = pairAtZero(t, fraction, length)
      const { id, bytes } = pair.encode(normals(length, length))
      t.true(bytes <= (id === 0 ? 4 * length : parseCodec(`top-k:${fraction}`).bytes(length)))
      t.true(bytes <= 4 * length)
    }),
    { numRuns: 100 }
  )
})

test('a fraction is rounded up, but not for what the product of two floating-point numbers adds', (t) => {
  t.is(countOf(0.07, 100), 7)
  t.is(countOf(0.07, 101), 8)
  t.is(countOf(1e-6, 1), 1)
  t.is(countOf(1, 12345), 12345)
  t.is(countOf(0.5, 0), 0)
})
