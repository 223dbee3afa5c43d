import test from 'ava'
import { VectorMemory } from '@murmuration/vectors'
import fc from 'fast-check'
import { type Loan, VectorPool } from './vector-pool.js'

test('a vector that was given back is lent again', (t) => {
  const pool = new VectorPool(3)
  const first = pool.take()
  pool.give(first)
  t.is(pool.take(), first)
  t.is(first.length, 3)
})

test('reserved vectors lie in one memory for kernels, and those beyond are counted and are not', (t) => {
  const memory = new VectorMemory()
  const pool = new VectorPool(3, memory)
  pool.reserve(2)
  pool.reserve(2)
  const [first, second, third] = [pool.take(), pool.take(), pool.take()]
  t.deepEqual(
    [first, second, third].map((vector) => VectorMemory.of(vector) === memory),
    [true, true, false]
  )
  t.is(pool.beyond, 1)
  pool.give(second)
  t.is(pool.take(), second)
  t.is(pool.beyond, 1)
})

test('a vector that frames are still to be written from is not lent again before they are', (t) => {
  const pool = new VectorPool(3)
  const vector = pool.take()
  const [first, second] = [pool.hold(vector), pool.hold(vector)]
  if (first === undefined || second === undefined) return t.fail()
  pool.give(vector)
  pool.release(first)
  t.not(pool.take(), vector)
  pool.release(second)
  t.is(pool.take(), vector)
})

test('to hold a range of a vector is to hold the vector, wherever it lies', (t) => {
  const pool = new VectorPool(4)
  pool.reserve(2)
  const vectors = [pool.take(), pool.take(), pool.take(), pool.take(6)]
  for (const vector of vectors) {
    const loan = pool.hold(vector.subarray(1, 3))
    if (loan === undefined) return t.fail()
    t.is(loan.vector, vector)
    pool.give(vector)
    t.not(pool.take(vector.length), vector)
    pool.release(loan)
    t.is(pool.take(vector.length), vector)
  }
  t.is(pool.hold(new Float32Array(4).subarray(1)), undefined)
})

test('vectors of other lengths are lent again, and of many lengths those that were used last are kept', (t) => {
  const pool = new VectorPool(1000)
  pool.reserve(2)
  const lengths = Array.from({ length: 50 }, (_, k) => 100 + k)
  const taken = lengths.map((length) => pool.take(length))
  for (const vector of taken) pool.give(vector)
  t.is(pool.beyond, 50)
  for (const vector of taken.slice(-10)) t.is(pool.take(vector.length), vector)
  t.is(pool.beyond, 50)
  t.not(pool.take(100), taken[0])
  t.is(pool.take(0).length, 0)
  t.is(pool.beyond, 51)
})

test('nobody is ever lent a vector that somebody else has or that is held, whatever is given back and how often', (t) => {
  const stranger = new Float32Array(1)
  const step = fc.tuple(fc.constantFrom('take', 'give', 'hold', 'release'), fc.nat(9))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.nat(4), (steps, reserved) => {
      const pool = new VectorPool(1)
      pool.reserve(reserved)
      const taken = new Set<Float32Array>()
      const holds = new Map<Float32Array, Loan[]>()
      const past: Float32Array[] = [stranger]
      for (const [act, place] of steps) {
        const vector = past[place % past.length]
        const held = holds.get(vector) ?? []
        if (act === 'take') {
          const lent = pool.take()
          t.false(taken.has(lent) || (holds.get(lent) ?? []).length > 0 || lent === stranger)
          taken.add(lent)
          past.push(lent)
        } else if (act === 'give') {
          pool.give(vector)
          taken.delete(vector)
        } else if (act === 'hold' && taken.has(vector)) {
          const loan = pool.hold(vector)
          if (loan !== undefined) holds.set(vector, [...held, loan])
        } else if (act === 'release' && held.length > 0) {
          pool.release(held[0])
          holds.set(vector, held.slice(1))
        }
      }
    })
  )
})
