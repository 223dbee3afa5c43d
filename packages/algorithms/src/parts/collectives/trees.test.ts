import test from 'ava'
import fc from 'fast-check'
import { chunksOfTrees, piecesOf } from './trees.js'

const star = { root: 0, into: [-1, 0], out: [-1, 0] }
const treesOf = (...weights: readonly number[]) => weights.map((weight) => ({ ...star, weight }))

test('pieces are as long as the weights say, to the number, by largest remainder', (t) => {
  const lengths = (length: number, ...weights: readonly number[]) =>
    piecesOf({ offset: 5, length }, treesOf(...weights)).map((piece) => piece.length)
  t.deepEqual(lengths(10, 1, 1, 2), [3, 2, 5])
  t.deepEqual(lengths(10, 0.3, 0.3, 0.3), [4, 3, 3])
  t.deepEqual(lengths(2, 1, 1, 5), [0, 0, 2])
  t.deepEqual(lengths(0, 1, 2), [0, 0])
})

test('chunks cover all ranges once, none is empty, and the trees take turns', (t) => {
  const ranges = fc.array(fc.nat(50), { minLength: 1, maxLength: 3 })
  const weights = fc.array(fc.double({ min: 0.01, max: 100, noNaN: true }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(ranges, weights, fc.integer({ min: 1, max: 40 }), (lengths, all, count) => {
      let offset = 0
      const cut = lengths.map((length) => ({ offset: (offset += length) - length, length }))
      const chunks = chunksOfTrees(cut, treesOf(...all), count)
      const inOrder = chunks.map(({ range }) => range).sort((left, right) => left.offset - right.offset)
      let end = 0
      for (const range of inOrder) {
        if (range.offset !== end || range.length === 0) return false
        end += range.length
      }
      return end === offset && chunks.every(({ index }, place) => index === place)
    })
  )
  const [first, second] = chunksOfTrees([{ offset: 0, length: 8 }], treesOf(1, 1), 4)
  t.deepEqual([first.range.offset, second.range.offset], [0, 4])
})
