import { InputError, type Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import type { TaskFamily } from './family.js'
import { createLogisticFamily, createLogisticTask } from './logistic-task.js'
import { createQuadraticFamily, createQuadraticTask } from './quadratic-task.js'
import type { ShareOptions } from '@murmuration/data'
import { createSoftmaxFamily, createSoftmaxTask } from './softmax-task.js'

const peers = ['a', 'b', 'c']
const share: ShareOptions = {
  data: { kind: 'gaussians', samples: 200, features: 5 },
  testShare: 0.2,
  partition: { kind: 'dirichlet', alpha: 0.5 },
  peers,
  seed: 1
}
const digits: ShareOptions = { ...share, data: { kind: 'digits', samples: 120, size: 8 }, partition: { kind: 'label' } }

const regression = { share, l2: 0.1 }
const ofDigits = { share: digits, l2: 0.1 }
const quadratics = { peers, seed: 3, heterogeneity: 1, noise: 0.5, samples: 9 }

/** A family, and the task that a peer (or, without one, the union) would build for itself. */
const cases: readonly (readonly [string, () => Promise<TaskFamily>, (self?: string) => Promise<Task>])[] = [
  [
    'softmax',
    () => createSoftmaxFamily(ofDigits),
    (self) => createSoftmaxTask({ ...ofDigits, share: { ...digits, self } })
  ],
  [
    'logistic',
    () => createLogisticFamily(regression),
    (self) => createLogisticTask({ ...regression, share: { ...share, self } })
  ],
  [
    'quadratic',
    async () => createQuadraticFamily(quadratics),
    async (self) => createQuadraticTask({ ...quadratics, self })
  ]
]

function drawParameters({ schema }: TaskFamily): Float32Array {
  const random = createRandom(2, 'parameters')
  const length = schema.reduce((sum, { shape }) => sum + shape.reduce((product, extent) => product * extent, 1), 0)
  return Float32Array.from({ length }, () => random.normal())
}

const batchOf = ({ samples }: Task) => Uint32Array.from({ length: 40 }, (_, k) => (k * 7) % samples)

for (const [kind, create, alone] of cases) {
  test(`${kind}: every task of the family is the one that its peer would build for itself, bit by bit`, async (t) => {
    const family = await create()
    const x = drawParameters(family)
    for (const self of [...peers, undefined]) {
      const [task, single] = [self === undefined ? family.union : family.of(self), await alone(self)]
      t.deepEqual(task.schema, single.schema)
      t.deepEqual(task.about, single.about)
      t.is(task.samples, single.samples)
      t.deepEqual(await task.initialise(1).run(), await single.initialise(1).run())
      t.deepEqual(await task.gradient(x, batchOf(task)).run(), await single.gradient(x, batchOf(task)).run())
      t.deepEqual(await task.evaluate(x).run(), await single.evaluate(x).run())
    }
  })

  test(`${kind}: the union is the shards one after the other, in the order of the peers`, async (t) => {
    const family = await create()
    const x = drawParameters(family)
    let first = 0
    for (const task of family.peers.map((peer) => family.of(peer))) {
      const own = await task.gradient(x, batchOf(task)).run()
      const places = batchOf(task).map((place) => first + place)
      t.deepEqual(await family.union.gradient(x, places).run(), own)
      first += task.samples
    }
    t.is(family.union.samples, first)
  })

  test(`${kind}: a peer costs no memory but that of its gradient`, async (t) => {
    const family = await create()
    const x = drawParameters(family)
    const before = process.memoryUsage().arrayBuffers
    const tasks = Array.from({ length: 200 }, () => family.of('b'))
    const built = process.memoryUsage().arrayBuffers
    for (const task of tasks) void task.gradient(x, Uint32Array.of(0)).run()
    const used = process.memoryUsage().arrayBuffers
    t.is(tasks.length, 200)
    t.true(built - before < 1000, `${built - before} bytes`)
    t.true(used - built <= 200 * (x.byteLength + 8), `${used - built} bytes`)
  })

  test(`${kind}: a peer that is not one of them is refused`, async (t) => {
    const family = await create()
    t.throws(() => family.of('x'), { instanceOf: InputError, message: '"x" is not among the 3 peers of the tasks' })
  })
}

test('ten thousand peers share what is drawn for them', async (t) => {
  const many = Array.from({ length: 10_000 }, (_, k) => `p${k}`)
  const data = { kind: 'gaussians', samplesPerPeer: 2, features: 3 } as const
  const family = await createLogisticFamily({
    share: { ...share, peers: many, partition: { kind: 'equal' }, data }
  })
  t.true(many.every((peer) => family.of(peer).samples === 2))
  t.is(family.union.samples, 20_000)
})

test('more peers than samples are refused', async (t) => {
  const many = Array.from({ length: 1000 }, (_, k) => `p${k}`)
  for (const create of [createSoftmaxFamily, createLogisticFamily]) {
    await t.throwsAsync(create({ share: { ...share, peers: many } }), {
      instanceOf: InputError,
      message: '160 training samples cannot be shared out among 1000 peers: at least one each is needed'
    })
  }
})

test('whose task is wanted makes no difference to a family', async (t) => {
  const family = await createLogisticFamily({ share: { ...share, self: 'b' } })
  t.is(family.union.samples, 160)
})
