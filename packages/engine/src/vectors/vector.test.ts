import { InvariantError } from '@murmuration/core'
import test from 'ava'
import { sliceLength } from './slices.js'
import { concat, map } from './operations.js'
import { Arena, type Keeper, linear, rangeOf, reach, type State } from './vector.js'

function memory() {
  const freed: Float32Array[] = []
  return {
    freed,
    allocate: (length: number) => new Float32Array(length),
    free: (one: Float32Array) => void freed.push(one)
  }
}

const keeping = (state: State): Keeper => ({ reach: (sweep) => reach(state, sweep) })

test('what neither a state nor a pin nor the round holds is released, and its use is an error', (t) => {
  const own = memory()
  const arena = new Arena(own)
  arena.inRound = true
  const [kept, pinned, lost] = [1, 2, 3].map((value) => arena.adopt(Float32Array.of(value)))
  arena.pin({ pinned }, 1)
  arena.keeper = keeping({ nested: { kept } })
  arena.sweep(false)
  t.is(own.freed.length, 0, 'the round is not over')
  arena.keeper = keeping({ nested: { kept } })
  arena.sweep(true)
  t.deepEqual(own.freed, [Float32Array.of(3)])
  t.deepEqual([kept.values[0], pinned.values[0]], [1, 2])
  t.throws(() => lost.values, { instanceOf: InvariantError, message: /used after its round/ })
  arena.pin({ pinned }, -1)
  arena.keeper = keeping({ kept })
  arena.sweep(true)
  t.throws(() => pinned.values, { instanceOf: InvariantError })
})

test('a range keeps the whole, and takes no memory of its own', (t) => {
  const own = memory()
  const arena = new Arena(own)
  const whole = arena.adopt(Float32Array.of(1, 2, 3, 4))
  const part = rangeOf(whole, { offset: 1, length: 2 })
  arena.keeper = keeping({ part })
  arena.sweep(true)
  t.deepEqual([...part.values], [2, 3])
  t.is(own.freed.length, 0)
  arena.keeper = keeping({})
  arena.sweep(true)
  t.is(own.freed.length, 1)
})

test('long vectors that are computed range by range, or when they are read, have the same bits', async (t) => {
  const length = 2 * sliceLength + 5
  const results = [false, true].map((isLazy) => {
    const arena = new Arena(memory(), isLazy)
    const x = arena.adopt(Float32Array.from({ length }, (_, i) => Math.sin(i)))
    const y = map((value, other) => value * other, x, linear([0.1, x], [3, x]))
    return { arena, vectors: [y, concat([rangeOf(x, { offset: 3, length: 7 }), y]), linear([2, y], [-1, x])] }
  })
  const [eager, lazy] = results
  t.true(lazy.vectors[2].isPending)
  let pauses = 0
  await lazy.arena.settle(async () => void pauses++)
  t.true(pauses >= 6)
  t.false(lazy.arena.hasPending)
  for (const [place, vector] of eager.vectors.entries()) t.deepEqual(lazy.vectors[place].values, vector.values)
})

test('what is to look at a vector does so once it is computed, and before anybody reads it', (t) => {
  const arena = new Arena(memory(), true)
  const x = arena.adopt(new Float32Array(sliceLength + 1).fill(1))
  const y = linear([2, x])
  y.whenDone((numbers) => {
    numbers[0] = 7
  })
  t.deepEqual([y.values[0], y.values[1]], [7, 2])
})
