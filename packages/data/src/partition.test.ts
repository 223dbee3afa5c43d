import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import fc from 'fast-check'
import { partition } from './partition.js'
import type { PartitionDescription } from './samples.js'

const classes = 5
const cases = fc.record({
  targets: fc.array(fc.integer({ min: 0, max: classes - 1 }), { minLength: 1, maxLength: 200 }),
  peers: fc.integer({ min: 1, max: 20 }),
  seed: fc.integer(),
  description: fc.oneof(
    fc.constant<PartitionDescription>({ kind: 'equal' }),
    fc.constant<PartitionDescription>({ kind: 'label' }),
    fc.double({ min: 1e-3, max: 100, noNaN: true }).map((alpha): PartitionDescription => ({ kind: 'dirichlet', alpha }))
  )
})

test('parts are disjoint, none is empty, and only the rest of an equal division is left out', (t) => {
  fc.assert(
    fc.property(cases, ({ targets, peers, seed, description }) => {
      fc.pre(targets.length >= peers)
      const parts = partition(targets, classes, description, peers, createRandom(seed))
      const all = parts.flatMap((part) => [...part])
      t.is(parts.length, peers)
      t.is(new Set(all).size, all.length)
      t.true(all.every((index) => index < targets.length))
      t.true(parts.every((part) => part.length > 0))
      if (description.kind === 'dirichlet') t.is(all.length, targets.length)
      else t.true(parts.every((part) => part.length === Math.floor(targets.length / peers)))
    })
  )
})

test('the same seed divides in the same way, another seed in another', (t) => {
  const targets = Array.from({ length: 100 }, (_, index) => index % 5)
  const parts = (seed: number) => partition(targets, 5, { kind: 'dirichlet', alpha: 0.5 }, 4, createRandom(seed))
  t.deepEqual(parts(1), parts(1))
  t.notDeepEqual(parts(1), parts(2))
})

test('sorted by label, each of five peers sees one of five balanced classes', (t) => {
  const targets = Array.from({ length: 100 }, (_, index) => index % 5)
  const parts = partition(targets, 5, { kind: 'label' }, 5, createRandom(1))
  t.deepEqual(
    parts.map((part) => new Set(part.map((index) => targets[index]))),
    [0, 1, 2, 3, 4].map((label) => new Set([label]))
  )
})

test('the smaller alpha, the fewer classes has a peer', (t) => {
  const targets = Array.from({ length: 4000 }, (_, index) => index % 10)
  const largestClass = (alpha: number) => {
    const parts = partition(targets, 10, { kind: 'dirichlet', alpha }, 8, createRandom(1))
    const most = parts.map((part) => {
      const counts = Array.from({ length: 10 }, (_, label) => part.filter((index) => targets[index] === label).length)
      return Math.max(...counts) / part.length
    })
    return most.reduce((sum, fraction) => sum + fraction, 0) / most.length
  }
  t.true(largestClass(0.05) > 0.5)
  t.true(largestClass(1000) < 0.13)
})

test('too few samples and an impossible alpha are refused with what was expected', (t) => {
  const random = createRandom(1)
  t.throws(() => partition([0, 0], 1, { kind: 'equal' }, 3, random), {
    instanceOf: InputError,
    message: /at least one for each/
  })
  t.throws(() => partition([0, 0], 1, { kind: 'dirichlet', alpha: 0 }, 2, random), {
    instanceOf: InputError,
    message: /partition\.alpha is 0/
  })
})
