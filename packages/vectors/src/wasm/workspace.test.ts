import test from 'ava'
import fc from 'fast-check'
import { allFinite, squaredDistance, weightedSum } from '../arithmetic.js'
import { KernelMemory } from './memory.js'
import { maxOperands, type Operand } from './workspace.js'
import { workspaceFor } from './workspaces.js'

const here = KernelMemory.shared()
const there = KernelMemory.shared()
const kinds = ['plain', 'shared', 'here', 'there'] as const
type Kind = (typeof kinds)[number]

/** A vector of this kind, which begins in the middle of a longer one. */
function place(kind: Kind, values: Float32Array, offset: number): Float32Array {
  const length = offset + values.length + 3
  const bytes = 4 * length
  const memory = kind === 'here' ? here : there
  const whole =
    kind === 'plain'
      ? new Float32Array(length)
      : kind === 'shared'
        ? new Float32Array(new SharedArrayBuffer(bytes))
        : memory.vector(length)
  if (whole === undefined) throw new Error('there is no memory for this test')
  const vector = whole.subarray(offset, offset + values.length)
  vector.set(values)
  return vector
}

const special = [
  NaN,
  Infinity,
  -Infinity,
  0,
  -0,
  1e-45,
  -1e-45,
  1.1e-38,
  -3e-39,
  3.4028234663852886e38,
  1,
  -1,
  16777217
]

/** Numbers of all magnitudes; with `wild`, some are not finite. */
function numbers(length: number, seed: number, wild: boolean): Float32Array {
  let state = seed * 2 + 1
  const draw = (): number => (state = (Math.imul(state, 747796405) + 2891336453) >>> 0) / 2 ** 32
  return Float32Array.from({ length }, () => {
    const value = draw() < 0.2 ? special[Math.floor(draw() * special.length)] : (draw() - 0.5) * 2 ** (draw() * 60 - 30)
    return wild || Number.isFinite(value) ? value : 1
  })
}

/** The first element whose bits differ; all NaN are equal. */
function difference(found: Float32Array, expected: Float32Array): string | undefined {
  const at = expected.findIndex((value, index) => !Object.is(value, found[index]))
  return at < 0 && found.length === expected.length ? undefined : `${found[at]} at ${at}, not ${expected[at]}`
}

const placement = fc.record({
  kind: fc.constantFrom(...kinds),
  offset: fc.integer({ min: 0, max: 17 }),
  seed: fc.nat(1e6)
})
/** In half of the runs everything lies in one memory, so that nothing is copied. */
const placements = (count: number) =>
  fc
    .tuple(fc.boolean(), fc.array(placement, { minLength: count, maxLength: count }))
    .map(([together, all]) => (together ? all.map((one) => ({ ...one, kind: 'here' as const })) : all))
const lengths = fc.oneof(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 1000, max: 20_000 }))
const ranges = lengths.chain((length) =>
  fc.tuple(fc.nat(length), fc.nat(length), fc.boolean()).map(([a, b, whole]) => ({
    length,
    from: whole ? 0 : Math.min(a, b),
    to: whole ? length : Math.max(a, b)
  }))
)
const weight = fc.oneof(
  fc.double({ min: -2, max: 2, noNaN: true }),
  fc.constantFrom(0, -0, 1 / 3, 1e300, Infinity, NaN)
)
const settings = { numRuns: 150 }

function sumReference(xs: readonly Float32Array[], weights: readonly number[], i: number): number {
  let sum = 0
  for (const [t, x] of xs.entries()) sum += weights[t] * x[i]
  return Math.fround(sum)
}

test('weighted sums have the same bits in every memory, over any range, also over a term', (t) => {
  const cases = fc.integer({ min: 1, max: 9 }).chain((count) =>
    fc.record({
      range: ranges,
      places: placements(count + 1),
      over: fc.integer({ min: -9, max: count - 1 }),
      weights: fc.array(weight, { minLength: count, maxLength: count })
    })
  )
  fc.assert(
    fc.property(cases, ({ range: { length, from, to }, places, over, weights }) => {
      const values = places.map(({ seed }) => numbers(length, seed, true))
      const vectors = places.map(({ kind, offset }, k) => place(kind, values[k], offset))
      const terms = weights.map((one, k) => ({ weight: one, vector: vectors[k] }))
      const out = over < 0 ? vectors[weights.length] : vectors[over].subarray()
      const expected = out.slice()
      for (let i = from; i < to; i++) expected[i] = sumReference(values.slice(0, -1), weights, i)
      t.is(weightedSum(out, terms, from, to), out)
      t.is(difference(out, expected), undefined)
    }),
    settings
  )
})

test('more terms than a kernel takes are summed all the same', (t) => {
  const values = Array.from({ length: maxOperands + 1 }, (_, k) => numbers(2000, k, false))
  const weights = values.map((_, k) => 1 / (k + 1))
  for (const kind of ['plain', 'here'] as const) {
    for (const count of [maxOperands - 1, maxOperands, maxOperands + 1]) {
      const terms = values.slice(0, count).map((x, k) => ({ weight: weights[k], vector: place(kind, x, 0) }))
      const few = Float32Array.from({ length: 2000 }, (_, i) => sumReference(values.slice(0, count), weights, i))
      t.is(difference(weightedSum(place(kind, new Float32Array(2000), 0), terms), few), undefined)
    }
  }
})

test('squares are summed in the order that is written down, in every memory and over any range', (t) => {
  fc.assert(
    fc.property(ranges, placements(2), fc.boolean(), ({ length, from, to }, places, wild) => {
      const [x, y] = places.map(({ kind, offset, seed }) => place(kind, numbers(length, seed, wild), offset))
      const s = [0, 0, 0, 0, 0, 0, 0, 0]
      for (let i = from; i < to; i++) s[(i - from) % 8] += (x[i] - y[i]) ** 2
      t.is(squaredDistance(x, y, from, to), s[0] + s[1] + (s[2] + s[3]) + (s[4] + s[5] + (s[6] + s[7])))
    }),
    settings
  )
})

test('one NaN or infinity is found wherever it is, in every memory', (t) => {
  for (const kind of kinds) {
    for (const length of [1024, 1025, 1039, 4096, 9001]) {
      const x = place(kind, new Float32Array(length).fill(-3.4028234663852886e38), 5)
      t.true(allFinite(x))
      for (let at = 0; at < length; at++) {
        x[at] = [NaN, Infinity, -Infinity][at % 3]
        if (allFinite(x)) t.fail(`${x[at]} at ${at} of ${length}, ${kind}`)
        x[at] = 1e-45
      }
      t.true(allFinite(x))
    }
  }
})

test('kernels compute whole steps, and leave what is behind them as it is', (t) => {
  for (let length = 0; length <= 70; length++) {
    for (const kind of kinds) {
      const values = [numbers(length, length, true), numbers(length, length + 100, true)]
      const [x, y] = values.map((value) => place(kind, value, 3))
      const out = place(kind, new Float32Array(length).fill(7), 1)
      const operands: Operand[] = [
        { vector: out, use: 'write' },
        { vector: x, use: 'read', factor: 0.3 },
        { vector: y, use: 'read', factor: -0.7 }
      ]
      t.is(workspaceFor(operands)?.run('sum', operands, 0, length), length - (length % 16))
      const expected = Float32Array.from({ length }, (_, i) =>
        i < length - (length % 16) ? sumReference(values, [0.3, -0.7], i) : 7
      )
      t.is(difference(out, expected), undefined)
    }
  }
})

test('vectors of the last of the 4 GiB are summed like any other', (t) => {
  const memory = KernelMemory.shared()
  const first = memory.vector(5000)
  weightedSum(first ?? new Float32Array(0), [{ weight: 1, vector: new Float32Array(first?.length ?? 0).fill(2) }])
  const gap = memory.vector(2 ** 30 - memory.acquired / 4 - 5008)
  const last = memory.vector(5008)?.subarray(8)
  if (first === undefined || gap === undefined || last === undefined) {
    t.pass('there is not as much address space')
    return
  }
  t.is(memory.acquired, 2 ** 32)
  last.fill(4)
  weightedSum(last, [
    { weight: 0.5, vector: first },
    { weight: 0.5, vector: last }
  ])
  t.true(last.every((value) => value === 3))
  t.is(squaredDistance(first, last), 5000)
})

test('ranges that are not within the vectors are refused', (t) => {
  const x = new Float32Array(10)
  for (const [from, to] of [
    [-1, 5],
    [0, 11],
    [6, 5],
    [0.5, 5],
    [0, NaN]
  ]) {
    t.throws(() => weightedSum(x, [{ weight: 1, vector: x }], from, to), { name: 'InvariantError', message: /of 10/ })
    t.throws(() => squaredDistance(x, x, from, to), { name: 'InvariantError' })
  }
})
