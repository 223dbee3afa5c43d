import test from 'ava'
import { biasOf, chosen, type DualSample, extremesOf, isEliminated, pairOf, solved } from './dual-blocks.js'

const c = 2
const input = new Float32Array(0)
const sample = (at: number, y: number, alpha: number, f: number): DualSample => ({ at, y, alpha, f, input })
const numbersOf = (samples: readonly DualSample[]) => samples.map(({ at }) => at)

test('the most violating samples are those that may move, and the lower numbers of equal ones', (t) => {
  const samples = [
    sample(0, 1, c, -9), // may not rise
    sample(1, -1, 0, -9), // may not rise
    sample(2, 1, 0, -1),
    sample(3, -1, c, -1),
    sample(4, 1, 0, 9), // may not fall
    sample(5, -1, c, 9), // may not fall
    sample(6, 1, 1, 3),
    sample(7, -1, 0, 3)
  ]
  const extremes = extremesOf(samples, c)
  t.deepEqual([extremes.up?.at, extremes.low?.at, extremes.gap], [2, 6, 4])
  t.deepEqual(numbersOf(pairOf(extremes)), [2, 6])
  t.is(biasOf(extremes), -1)
})

test('without samples that may rise, or fall, nothing violates the conditions; the bias is that of the others', (t) => {
  const extremes = extremesOf([sample(0, 1, 0, -1), sample(1, 1, 0, -1)], c)
  t.deepEqual([extremes.up?.at, extremes.low, extremes.gap], [0, undefined, -Infinity])
  t.is(biasOf(extremes), 1)
})

test('a block has the most violating of both kinds, free ones of the last block, and the next in turns', (t) => {
  const y = Float64Array.of(1, 1, 1, 1, -1, -1, -1, -1)
  const alpha = Float64Array.of(0, 0, 1, 1, 0, 0, 1, 0)
  const f = Float64Array.of(-1, -1, 0, 0, 1, 1, 0, 2)
  const candidates = { active: Uint32Array.of(0, 1, 2, 3, 4, 5, 6, 7), y, alpha, f, c }
  t.deepEqual(chosen(candidates, 2, Uint32Array.of(2, 3)), [0, 7])
  t.deepEqual(chosen(candidates, 6, Uint32Array.of(0, 2, 3)), [0, 1, 2, 4, 5, 7], 'half of six, and ties to the first')
  t.deepEqual(chosen(candidates, 20, new Uint32Array()), [0, 1, 2, 3, 4, 5, 6, 7])
  t.deepEqual(chosen({ ...candidates, active: Uint32Array.of(3) }, 2, new Uint32Array()), [3])
})

test('only samples at a bound are eliminated, and only those that would have to pass all others', (t) => {
  const extremes = extremesOf([sample(0, 1, 1, -1), sample(1, -1, 1, 1)], c)
  for (const y of [1, -1]) for (const f of [-5, 5]) t.false(isEliminated(y, 1, f, c, extremes), 'a free one')
  // At its lower bound a sample of class 1 may rise, and one of class −1 fall.
  t.deepEqual([isEliminated(1, 0, 2, c, extremes), isEliminated(1, 0, -2, c, extremes)], [true, false])
  t.deepEqual([isEliminated(-1, 0, 2, c, extremes), isEliminated(-1, 0, -2, c, extremes)], [false, true])
  t.deepEqual([isEliminated(1, c, 2, c, extremes), isEliminated(1, c, -2, c, extremes)], [false, true])
  t.deepEqual([isEliminated(-1, c, 2, c, extremes), isEliminated(-1, c, -2, c, extremes)], [true, false])
  t.false(isEliminated(1, 0, 1, c, extremes), 'equal to the extreme')
})

/** K(a, b) = 1 for a = b, else 0: then the optimum of a pair of different classes is α = 1 each. */
const identity = (size: number) => Float64Array.from({ length: size * size }, (_, i) => (i % (size + 1) === 0 ? 1 : 0))

test('a small problem is solved within bounds, with Σ α y as it was, and the first of equal samples first', (t) => {
  const pair = [sample(0, 1, 0, -1), sample(1, -1, 0, 1)]
  t.deepEqual([...solved(pair, identity(2), c, 0)], [1, 1])
  t.deepEqual([...solved(pair, identity(2), 0.5, 0)], [0.5, 0.5], 'at C')
  const four = [...pair, sample(2, 1, 0, -1), sample(3, -1, 0, 1)]
  t.deepEqual([...solved(four, identity(4), c, 1.5)], [1, 1, 1, 1])
  t.deepEqual([...solved(four, identity(4), c, 2)], [0, 0, 0, 0], 'within the tolerance')
  const uneven = [sample(0, 1, 0, -1), sample(1, 1, 0, -1), sample(2, -1, 0, 1)]
  const alpha = solved(uneven, identity(3), c, 1e-12)
  t.true(Math.abs(alpha[0] + alpha[1] - alpha[2]) < 1e-12)
  // Maximises 2a + 2b … on a + b = d: a = b = 2/3, d = 4/3.
  for (const [i, expected] of [2 / 3, 2 / 3, 4 / 3].entries()) t.true(Math.abs(alpha[i] - expected) < 1e-6, `${alpha}`)
  const first = solved([sample(0, 1, 0, -1), sample(1, 1, 0, -1), sample(2, -1, 0, -0.5)], identity(3), c, 0.3)
  t.deepEqual([...first], [0.25, 0, 0.25], 'one step, of the first of two equal samples')
})

test('equal samples of different classes reach the bound', (t) => {
  const same = new Float64Array(4).fill(1)
  t.deepEqual([...solved([sample(0, 1, 0, -1), sample(1, -1, 0, 1)], same, c, 0)], [c, c])
})
