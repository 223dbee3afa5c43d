import test from 'ava'
import fc from 'fast-check'
import { VectorPool } from './vector-pool.js'

test('a vector that was given back is lent again', (t) => {
  const pool = new VectorPool(3)
  const first = pool.take()
  pool.give(first)
  t.is(pool.take(), first)
  t.is(first.length, 3)
})

test('nobody is ever lent a vector that somebody else has, whatever is given back and how often', (t) => {
  const pool = new VectorPool(1)
  const stranger = new Float32Array(1)
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(9)), { maxLength: 200 }), (steps) => {
      const held = new Set<Float32Array>()
      const past: Float32Array[] = [stranger]
      for (const [take, place] of steps) {
        const vector = take ? pool.take() : past[place % past.length]
        if (take) {
          t.false(held.has(vector) || vector === stranger)
          held.add(vector)
          past.push(vector)
        } else {
          pool.give(vector)
          held.delete(vector)
        }
      }
      for (const vector of held) pool.give(vector)
    })
  )
})
