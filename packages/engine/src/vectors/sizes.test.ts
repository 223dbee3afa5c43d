import { peerName } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import { maxGrowth, Sizes, tooFar } from './sizes.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)

test('a distance is too large to mix from 2^24 times the own norm and the other distances on, and never else', (t) => {
  const distance = fc.double({ min: 0, max: 1e15, noNaN: true })
  fc.assert(
    fc.property(fc.array(distance, { minLength: 1, maxLength: 5 }), distance, (all, norm) => {
      const distances = all.map((each, place) => ({ from: peerName(`p${place}`), distance: each }))
      const far = tooFar(distances, () => norm)
      const honest = distances.filter((each) => each.distance <= maxGrowth * Math.max(1, norm)).map(({ from }) => from)
      t.deepEqual(
        far.filter((each) => honest.includes(each.from)),
        []
      )
    })
  )
  const one = (size: number) => tooFar([{ from: b, distance: size }], () => 0.1).length
  t.deepEqual([1e7, 2e7, Number.NaN, Number.POSITIVE_INFINITY].map(one), [0, 1, 1, 1])
  const two = [b, c].map((from, place) => ({ from, distance: [1, 1e40][place] }))
  t.deepEqual(
    tooFar(two, () => 1).map(({ from, grade }) => [from, grade]),
    [[c, 'unusable']]
  )
  const graded = (size: number) => tooFar([{ from: b, distance: size }], () => 1).map(({ grade }) => grade)
  t.deepEqual([1e9, 1e15, 4e19].map(graded), [['large'], ['large'], ['unusable']])
  // Where all are as far away, it is this peer that is far from the others.
  const alike = [b, c].map((from) => ({ from, distance: 1e12 }))
  t.deepEqual(
    tooFar(alike, () => 1),
    []
  )
})

test('a vector is compared with the own ones and those of others; who sent the longest is suspected for 16 rounds', (t) => {
  let round = 0
  let own = 1
  const sizes = new Sizes({ round: () => round, size: () => own })
  const sent = (from: typeof a, size: number) => sizes.problemOf(from, Float32Array.of(size))?.reason
  t.deepEqual([sent(b, 10), sent(c, 100), sent(a, 1e7)], [undefined, undefined, undefined])
  t.deepEqual(
    sizes.suspects.map(({ from }) => from),
    [a]
  )
  t.regex(sent(a, 1e9) ?? '', /numbers of a size of 1e\+9, which cannot be computed with \(typical: 1\)/)
  t.regex(sent(a, Number.NaN) ?? '', /NaN or infinity/)
  own = 1000
  t.is(sent(a, 1e9), undefined)
  t.regex(sent(a, 2 ** 64) ?? '', /2e\+19/)
  // With frozen parameters of that size its models are as long.
  own = 1e30
  t.is(sent(a, 1e30), undefined)
  t.regex(sent(a, 1e38) ?? '', /1e\+38/)
  round = 17
  t.deepEqual(sizes.suspects, [])
})

test('a server that knows no scale takes what is no longer than 2^64, of whatever size the first is', (t) => {
  const sizes = new Sizes({ round: () => 0, size: () => 0 })
  t.is(sizes.problemOf(a, Float32Array.of(1e12)), undefined)
  t.is(sizes.problemOf(b, Float32Array.of(1e15)), undefined)
  t.not(sizes.problemOf(c, Float32Array.of(1e30)), undefined)
})
