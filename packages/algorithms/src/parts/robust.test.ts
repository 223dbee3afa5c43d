import { InvariantError } from '@murmuration/core'
import test from 'ava'
import { Arena } from '@murmuration/engine'
import { coordinateMedian, krum, radiusWithin, trimmedMean } from './robust.js'

const arena = new Arena({ allocate: (length: number) => new Float32Array(length), free: () => {} })
const vector = (...values: number[]) => arena.adopt(Float32Array.from(values))

test('the trimmed mean leaves out the b largest and smallest of the others, element by element', (t) => {
  const others = [vector(100, 1), vector(2, 2), vector(3, -100)]
  t.deepEqual([...trimmedMean(1, vector(1, 1), others).values], [2, 1])
  t.throws(() => trimmedMean(2, vector(1, 1), others), { instanceOf: InvariantError })
})

test('the median of an even number is the mean of the two in the middle, element by element, over any length', (t) => {
  t.deepEqual([...coordinateMedian(vector(1, 1), [vector(5, 9), vector(2, -7)]).values], [2, 1])
  t.deepEqual([...coordinateMedian(vector(1, 1), [vector(3, -9)]).values], [2, -4])
  const long = (factor: number) => vector(...Array.from({ length: 1300 }, (_, k) => factor * k))
  t.deepEqual([...coordinateMedian(long(3), [long(1), long(2)]).values], [...long(2).values])
})

test('Krum takes the vector with the least sum of squares to its n − b − 2 nearest others (Blanchard 2017)', (t) => {
  const points = [
    [11, 9],
    [3, 12],
    [12, 10],
    [7, 8],
    [2, 9],
    [0, 6],
    [5, 0]
  ]
  const places = points.map((point) => vector(...point))
  // Of 7 with b = 2 it is by the 3 nearest the fifth; by 2 it would be the first, and by 4 the fourth.
  const scoreOf = (place: number, nearest: number) =>
    points
      .flatMap(([x, y], other) => (other === place ? [] : [(x - points[place][0]) ** 2 + (y - points[place][1]) ** 2]))
      .sort((left, right) => left - right)
      .slice(0, nearest)
      .reduce((sum, square) => sum + square)
  const best = [2, 3, 4].map((nearest) => {
    const scores = points.map((_, place) => scoreOf(place, nearest))
    return scores.indexOf(Math.min(...scores))
  })
  t.deepEqual(best, [0, 4, 3])
  t.is(krum(2, places), places[4])
  // Too few to tell which are wrong: 6 of the 2 b + 3 that are needed.
  t.is(krum(2, places.slice(1)), places[1])
  // Of 5 with b = 1, by the 2 nearest.
  const five = [vector(3, 5), vector(3, 10), vector(10, 7), vector(12, 8), vector(1, 7)]
  t.is(krum(1, five), five[4])
  const twins = [vector(1), vector(1), vector(4), vector(9), vector(-7)]
  t.is(krum(1, twins), twins[0], 'of equals the first')
})

test('the radius of CS+ does not depend on what liars send, and without any it is the farthest', (t) => {
  const all = [...[1.7, 1.2, 1, 1.5, 1.1, 1.6, 1.3, 1.4], 0, 0].map((length) => ({ length, weight: 1 / 11 }))
  for (const far of [2, 100, 1e6]) {
    const lies = all.map((each) => (each.length === 0 ? { ...each, length: far } : each))
    t.is(radiusWithin(2, 1 / 11, lies), 1.5)
    t.is(radiusWithin(0, 1 / 11, lies), far)
  }
  t.is(radiusWithin(2, 1 / 3, all.slice(0, 2)), 0, 'who may all lie move nobody')
})
