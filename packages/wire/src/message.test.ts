import test from 'ava'
import { pooledVectorWire, vectorWire } from './message.js'

test('a message is copied with its own vector', (t) => {
  const vector = Float32Array.of(1, Number.NaN, -0)
  const message = { kind: 3, round: 7, part: 4, epoch: 6, field: 1, numbers: [0.1], offset: 2, vector }
  for (const wire of [vectorWire, pooledVectorWire()]) {
    const copy = wire.copy(message)
    t.deepEqual(copy, message)
    t.not(copy.vector, message.vector)
  }
})

test('released memory is reused for the next vector of the same length, and only once', (t) => {
  const { allocate, free, recycle, copy } = pooledVectorWire()
  const one = allocate(3)
  const two = allocate(3)
  t.not(one, two)
  free(one)
  recycle({ kind: 0, round: 0, vector: two })
  const other = allocate(2)
  t.is(other.length, 2)
  const next = [allocate(3), copy({ kind: 0, round: 0, vector: Float32Array.of(1, 2, 3) }).vector]
  t.true(next[0] !== next[1] && next.every((vector) => vector === one || vector === two))
  t.deepEqual([...next[1]], [1, 2, 3])
  const fresh = allocate(3)
  t.false(next.includes(fresh))
  t.deepEqual([...fresh], [0, 0, 0])
})
