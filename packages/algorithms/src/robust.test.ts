import { InvariantError } from '@murmuration/core'
import test from 'ava'
import { Arena } from './node/vector.js'
import { coordinateMedian, trimmedMean } from './robust.js'

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
