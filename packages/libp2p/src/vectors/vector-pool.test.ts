import test from 'ava'
import { KernelMemory } from '@murmuration/vectors'
import fc from 'fast-check'
import { type Loan, VectorPool } from './vector-pool.js'

test('a released vector is reused', (t) => {
  const pool = new VectorPool(3)
  const first = pool.acquire()
  pool.release(first)
  t.is(pool.acquire(), first)
  t.is(first.length, 3)
})

test('reserved vectors are in kernel memory; further ones are counted and are not', (t) => {
  const memory = KernelMemory.shared()
  const pool = new VectorPool(3, memory)
  pool.reserve(2)
  pool.reserve(2)
  const first = pool.acquire()
  const second = pool.acquire()
  const third = pool.acquire()
  t.deepEqual(
    [first, second, third].map((vector) => KernelMemory.of(vector) === memory),
    [true, true, false]
  )
  t.is(pool.beyond, 1)
  pool.release(second)
  t.is(pool.acquire(), second)
  t.is(pool.beyond, 1)
})

test('a pinned vector is not reused before it is unpinned', (t) => {
  const pool = new VectorPool(3)
  const vector = pool.acquire()
  const first = pool.pin(vector)
  const second = pool.pin(vector)
  if (first === undefined || second === undefined) return t.fail()
  pool.release(vector)
  pool.unpin(first)
  t.not(pool.acquire(), vector)
  pool.unpin(second)
  t.is(pool.acquire(), vector)
})

test('pinning a range of a vector pins the vector', (t) => {
  const pool = new VectorPool(4)
  pool.reserve(2)
  const vectors = [pool.acquire(), pool.acquire(), pool.acquire(), pool.acquire(6)]
  for (const vector of vectors) {
    const loan = pool.pin(vector.subarray(1, 3))
    if (loan === undefined) return t.fail()
    t.is(loan.vector, vector)
    pool.release(vector)
    t.not(pool.acquire(vector.length), vector)
    pool.unpin(loan)
    t.is(pool.acquire(vector.length), vector)
  }
  t.is(pool.pin(new Float32Array(4).subarray(1)), undefined)
})

test('vectors of other lengths are reused; of many lengths, the most recently used are kept', (t) => {
  const pool = new VectorPool(1000)
  pool.reserve(2)
  const lengths = Array.from({ length: 50 }, (_, k) => 100 + k)
  const taken = lengths.map((length) => pool.acquire(length))
  for (const vector of taken) pool.release(vector)
  t.is(pool.beyond, 50)
  for (const vector of taken.slice(-10)) t.is(pool.acquire(vector.length), vector)
  t.is(pool.beyond, 50)
  t.not(pool.acquire(100), taken[0])
  t.is(pool.acquire(0).length, 0)
  t.is(pool.beyond, 51)
})

test('a vector in use or pinned is never handed out, whatever is released, however often', (t) => {
  const foreign = new Float32Array(1)
  const step = fc.tuple(fc.constantFrom('acquire', 'release', 'pin', 'unpin'), fc.nat(9))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.nat(4), (steps, reserved) => {
      const pool = new VectorPool(1)
      pool.reserve(reserved)
      const taken = new Set<Float32Array>()
      const pins = new Map<Float32Array, Loan[]>()
      const past: Float32Array[] = [foreign]
      for (const [act, place] of steps) {
        const vector = past[place % past.length]
        const pinned = pins.get(vector) ?? []
        if (act === 'acquire') {
          const acquired = pool.acquire()
          t.false(taken.has(acquired) || (pins.get(acquired) ?? []).length > 0 || acquired === foreign)
          taken.add(acquired)
          past.push(acquired)
        } else if (act === 'release') {
          pool.release(vector)
          taken.delete(vector)
        } else if (act === 'pin' && taken.has(vector)) {
          const loan = pool.pin(vector)
          if (loan !== undefined) pins.set(vector, [...pinned, loan])
        } else if (act === 'unpin' && pinned.length > 0) {
          pool.unpin(pinned[0])
          pins.set(vector, pinned.slice(1))
        }
      }
    })
  )
})
