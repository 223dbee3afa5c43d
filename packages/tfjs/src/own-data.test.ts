import { InputError } from '@murmuration/core'
import type { ShareOptions } from '@murmuration/tasks'
import test from 'ava'
import { shareOut } from './own-data.js'

const options: ShareOptions = {
  data: { kind: 'digits', samples: 2 },
  testShare: 0.2,
  partition: { kind: 'equal' },
  peers: ['a', 'b'],
  seed: 1
}
const inputs = Float32Array.from({ length: 60 }, (_, index) => index)
const own = { inputs, inputShape: [2], targets: inputs.filter((_, index) => index % 2 === 0), targetShape: [] }

test('every sample is in one shard or in the test set, with its own target', (t) => {
  const [a, b] = ['a', 'b'].map((self) => shareOut(own, { ...options, self }))
  const all = [a.train, b.train, a.test]
  for (const { inputs, targets, count } of all) {
    for (let index = 0; index < count; index++) t.is(inputs[2 * index], targets[index])
  }
  t.deepEqual(
    all.map(({ count }) => count),
    [12, 12, 6]
  )
  t.is(new Set(all.flatMap(({ targets }) => [...targets])).size, 30)
  t.deepEqual(a.test, b.test)
})

test('the union holds the shards one after the other', (t) => {
  const { train } = shareOut(own, options)
  const shards = ['a', 'b'].map((self) => shareOut(own, { ...options, self }).train)
  t.deepEqual(
    [...train.targets],
    shards.flatMap(({ targets }) => [...targets])
  )
})

test('samples that do not fit are errors that say what is wrong', (t) => {
  const fails = (changed: object, message: RegExp) =>
    t.throws(() => shareOut({ ...own, ...changed }, options), { instanceOf: InputError, message })
  fails({ inputShape: [7] }, /60 input values/)
  fails({ targets: new Float32Array(29) }, /29 target values for 30 samples/)
  fails({ classes: 3 }, /no class numbers from 0 to 2/)
  t.throws(() => shareOut(own, { ...options, partition: { kind: 'dirichlet', alpha: 1 } }), {
    instanceOf: InputError,
    message: /use "equal"/
  })
})
