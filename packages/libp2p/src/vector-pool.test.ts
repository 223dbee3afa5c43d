import test from 'ava'
import { VectorMemory } from '@murmuration/vectors'
import fc from 'fast-check'
import { VectorPool } from './vector-pool.js'

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
  pool.hold(vector)
  pool.hold(vector)
  pool.give(vector)
  pool.release(vector)
  t.not(pool.take(), vector)
  pool.release(vector)
  t.is(pool.take(), vector)
})

test('nobody is ever lent a vector that somebody else has or that is held, whatever is given back and how often', (t) => {
  const stranger = new Float32Array(1)
  const step = fc.tuple(fc.constantFrom('take', 'give', 'hold', 'release'), fc.nat(9))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.nat(4), (steps, reserved) => {
      const pool = new VectorPool(1)
      pool.reserve(reserved)
      const taken = new Set<Float32Array>()
      const holds = new Map<Float32Array, number>()
      const past: Float32Array[] = [stranger]
      for (const [act, place] of steps) {
        const vector = past[place % past.length]
        const held = holds.get(vector) ?? 0
        if (act === 'take') {
          const lent = pool.take()
          t.false(taken.has(lent) || (holds.get(lent) ?? 0) > 0 || lent === stranger)
          taken.add(lent)
          past.push(lent)
        } else if (act === 'give') {
          pool.give(vector)
          taken.delete(vector)
        } else if (act === 'hold' && taken.has(vector)) {
          pool.hold(vector)
          holds.set(vector, held + 1)
        } else if (act === 'release' && held > 0) {
          pool.release(vector)
          holds.set(vector, held - 1)
        }
      }
    })
  )
})
