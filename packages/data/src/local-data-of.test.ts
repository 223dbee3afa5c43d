import { InputError } from '@murmuration/core'
import test from 'ava'
import { describeLocalData } from './about.js'
import type { Samples, SplitOptions } from './samples.js'
import { localDataOf } from './local-data.js'

const options: SplitOptions = { testFraction: 0.2, partition: { kind: 'equal' }, peers: ['a', 'b'], seed: 1 }

/** 30 samples; sample k has the input 2k, 2k + 1 and the target 2k. */
const inputs = Float32Array.from({ length: 60 }, (_, index) => index)
const targets = inputs.filter((_, index) => index % 2 === 0)
const samples: Samples = { count: 30, inputs, inputShape: [2], targets, targetShape: [] }

test('every sample is in one shard or in the test set, with its own target', (t) => {
  const [a, b] = ['a', 'b'].map((self) => localDataOf(samples, { ...options, self }))
  const all = [a.train, b.train, a.test]
  for (const { inputs, targets, count } of all) {
    t.deepEqual(
      [...inputs],
      [...targets].flatMap((target) => [target, target + 1])
    )
    t.is(targets.length, count)
  }
  t.deepEqual(
    all.map(({ count }) => count),
    [12, 12, 6]
  )
  t.is(new Set(all.flatMap(({ targets }) => [...targets])).size, 30)
  t.deepEqual(a.test, b.test)
})

test('the union holds the shards one after the other', (t) => {
  const { train } = localDataOf(samples, options)
  const shards = ['a', 'b'].map((self) => localDataOf(samples, { ...options, self }).train)
  t.deepEqual(
    [...train.targets],
    shards.flatMap(({ targets }) => [...targets])
  )
})

test('targets of several values stay with their inputs', (t) => {
  const { train, test } = localDataOf({ ...samples, targets: inputs, targetShape: [2] }, options)
  t.deepEqual(train.targets, train.inputs)
  t.deepEqual(test.targets, test.inputs)
})

test('sorted by label, the first peer has no label above any of the second', (t) => {
  const [first, second] = ['a', 'b'].map(
    (self) => localDataOf(samples, { ...options, self, partition: { kind: 'label' } }).train.targets
  )
  t.true(Math.max(...first) < Math.min(...second))
})

test('samples that cannot be divided so are refused', (t) => {
  const fails = (own: Partial<Samples>, wanted: Partial<SplitOptions>, message: RegExp) =>
    t.throws(() => localDataOf({ ...samples, ...own }, { ...options, ...wanted }), { instanceOf: InputError, message })
  fails({}, { partition: { kind: 'dirichlet', alpha: 1 } }, /partition "dirichlet" needs .* use "equal"/)
  fails({ targets: inputs, targetShape: [2] }, { partition: { kind: 'label' } }, /partition "label" needs/)
  fails({}, { self: 'c' }, /"c" is not among the peers, which are a, b/)
  fails({ count: 0, inputs: new Float32Array(), targets: new Float32Array() }, {}, /no samples, expected at least 2/)
})

const shapes: readonly (readonly [readonly number[], string])[] = [
  [[], 'single numbers'],
  [[1], 'rows of 1 number'],
  [[12], 'rows of 12 numbers'],
  [[3, 4], 'images 3 × 4'],
  [[2, 2, 3], 'images 2 × 2'],
  [[1, 2, 3, 2], 'samples 1 × 2 × 3 × 2']
]

for (const [inputShape, text] of shapes) {
  test(`a task's own samples of shape [${inputShape}] can be read as ${text}`, (t) => {
    const size = inputShape.reduce((product, extent) => product * extent, 1)
    const localData = localDataOf({ ...samples, inputs: new Float32Array(30 * size), inputShape }, options)
    t.is(describeLocalData(localData, options).data, `24 ${text} of the task's own, 6 to test`)
  })
}
