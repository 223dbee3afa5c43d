import { NeighboursMissingError, peerName } from '@murmuration/core'
import { Arena, type NodeKernel } from '@murmuration/engine'
import test from 'ava'
import { messageLength, readSamples, writtenSamples } from './dual-messages.js'
import { DualNumbers, dualStart, rounded } from './dual-state.js'

const [a, b] = ['a', 'b'].map(peerName)
const width = 2

/** Peer a has the samples 0 to 2, b 3 and 4. */
const kernel: NodeKernel = {
  c: 1,
  width,
  shardOf: (peer) => (peer === a ? { first: 0, count: 3 } : { first: 3, count: 2 }),
  sample: (index) => Float32Array.of(index, 0.1),
  label: (index) => (index % 2 === 0 ? 1 : -1),
  among: async () => {},
  accumulate: async () => {}
}

function numbers(self = b): DualNumbers {
  const arena = new Arena({ allocate: (length) => new Float32Array(length), free: () => {} })
  const zero = arena.compute(6, (out) => out.fill(0))
  const node = { self, kernel, options: {}, rounds: 1, first: 0, tensors: [], peers: () => [a, b] }
  return new DualNumbers(dualStart(zero, node, 0), node)
}

test('samples arrive as they were written, with f in float64', (t) => {
  const mine = numbers()
  mine.f[1] = rounded(1 / 3)
  const message = writtenSamples([0, 1], 2, mine, kernel, messageLength(3, kernel))
  const theirs = numbers(a)
  theirs.coefficients[4] = -0.5
  const { active, samples } = readSamples(b, message, theirs, kernel)
  t.is(active, 2)
  t.deepEqual(
    samples.map(({ at, y, alpha, f }) => [at, y, alpha, f]),
    [
      [3, -1, 0, 1],
      [4, 1, 0.5, rounded(1 / 3)]
    ]
  )
  t.true(Math.abs(rounded(1 / 3) - 1 / 3) < 1e-15)
  t.deepEqual(samples[1].input, Float32Array.of(4, 0.1))
})

for (const [title, index, value] of [
  ['more active samples than it has', 0, 3],
  ['a fraction of samples', 1, 1.5],
  ['more samples than are active', 1, 3],
  ["another peer's sample", 2, 2],
  ['a sample that does not exist', 2, 5],
  ['a sample twice', 2 + 6, 3],
  ['another class', 3, 0]
] as const)
  test(`a message is refused, and its sender is named: ${title}`, (t) => {
    const message = writtenSamples([0, 1], 2, numbers(), kernel, messageLength(2, kernel))
    message[index] = value
    const error = t.throws(() => readSamples(b, message, numbers(a), kernel), { instanceOf: NeighboursMissingError })
    t.deepEqual(error?.missing, [b])
    t.regex(error?.message ?? '', /^b sent .*, which cannot be used$/)
  })
