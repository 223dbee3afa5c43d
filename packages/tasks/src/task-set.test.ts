import { InputError, type Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import type { TaskSet } from './task-set.js'
import { createLogisticTaskSet, createLogisticTask } from './logistic-task.js'
import { createQuadraticTaskSet, createQuadraticTask } from './quadratic-task.js'
import type { LocalDataOptions } from '@murmuration/data'
import { createSoftmaxTaskSet, createSoftmaxTask } from './softmax-task.js'

const peers = ['a', 'b', 'c']
const localData: LocalDataOptions = {
  data: { kind: 'gaussians', samples: 200, features: 5 },
  testFraction: 0.2,
  partition: { kind: 'dirichlet', alpha: 0.5 },
  peers,
  seed: 1
}
const digits: LocalDataOptions = {
  ...localData,
  data: { kind: 'digits', samples: 120, size: 8 },
  partition: { kind: 'label' }
}

const regression = { localData, l2: 0.1 }
const ofDigits = { localData: digits, l2: 0.1 }
const quadratics = { peers, seed: 3, heterogeneity: 1, noise: 0.5, samples: 9 }

/** A task set, and the task that a peer (or, without one, the union) would build for itself. */
const cases: readonly (readonly [string, () => Promise<TaskSet>, (self?: string) => Promise<Task>])[] = [
  [
    'softmax',
    () => createSoftmaxTaskSet(ofDigits),
    (self) => createSoftmaxTask({ ...ofDigits, localData: { ...digits, self } })
  ],
  [
    'logistic',
    () => createLogisticTaskSet(regression),
    (self) => createLogisticTask({ ...regression, localData: { ...localData, self } })
  ],
  [
    'quadratic',
    async () => createQuadraticTaskSet(quadratics),
    async (self) => createQuadraticTask({ ...quadratics, self })
  ]
]

function drawParameters({ schema }: TaskSet): Float32Array {
  const random = createRandom(2, 'parameters')
  const length = schema.reduce((sum, { shape }) => sum + shape.reduce((product, extent) => product * extent, 1), 0)
  return Float32Array.from({ length }, () => random.normal())
}

const batchOf = ({ samples }: Task) => Uint32Array.from({ length: 40 }, (_, k) => (k * 7) % samples)

for (const [kind, create, alone] of cases) {
  test(`${kind}: every task of the task set is the one that its peer would build for itself, bit by bit`, async (t) => {
    const taskSet = await create()
    const x = drawParameters(taskSet)
    for (const self of [...peers, undefined]) {
      const task = self === undefined ? taskSet.union : taskSet.of(self)
      const single = await alone(self)
      t.deepEqual(task.schema, single.schema)
      t.deepEqual(task.about, single.about)
      t.is(task.samples, single.samples)
      t.deepEqual(await task.initialise(1).run(), await single.initialise(1).run())
      t.deepEqual(await task.gradient(x, batchOf(task)).run(), await single.gradient(x, batchOf(task)).run())
      t.deepEqual(await task.evaluate(x).run(), await single.evaluate(x).run())
    }
  })

  test(`${kind}: the union is the shards one after the other, in the order of the peers`, async (t) => {
    const taskSet = await create()
    const x = drawParameters(taskSet)
    let first = 0
    for (const task of taskSet.peers.map((peer) => taskSet.of(peer))) {
      const own = await task.gradient(x, batchOf(task)).run()
      const places = batchOf(task).map((place) => first + place)
      t.deepEqual(await taskSet.union.gradient(x, places).run(), own)
      first += task.samples
    }
    t.is(taskSet.union.samples, first)
  })

  test(`${kind}: a peer costs no memory but that of its gradient`, async (t) => {
    const taskSet = await create()
    const x = drawParameters(taskSet)
    const before = process.memoryUsage().arrayBuffers
    const tasks = Array.from({ length: 200 }, () => taskSet.of('b'))
    const built = process.memoryUsage().arrayBuffers
    for (const task of tasks) void task.gradient(x, Uint32Array.of(0)).run()
    const used = process.memoryUsage().arrayBuffers
    t.is(tasks.length, 200)
    t.true(built - before < 1000, `${built - before} bytes`)
    t.true(used - built <= 200 * (x.byteLength + 8), `${used - built} bytes`)
  })

  test(`${kind}: a peer that is not one of them is refused`, async (t) => {
    const taskSet = await create()
    t.throws(() => taskSet.of('x'), { instanceOf: InputError, message: '"x" is not among the 3 peers of the tasks' })
  })
}

test('ten thousand peers share what is drawn for them', async (t) => {
  const many = Array.from({ length: 10_000 }, (_, k) => `p${k}`)
  const data = { kind: 'gaussians', samplesPerPeer: 2, features: 3 } as const
  const taskSet = await createLogisticTaskSet({
    localData: { ...localData, peers: many, partition: { kind: 'equal' }, data }
  })
  t.true(many.every((peer) => taskSet.of(peer).samples === 2))
  t.is(taskSet.union.samples, 20_000)
})

test('more peers than samples are refused', async (t) => {
  const many = Array.from({ length: 1000 }, (_, k) => `p${k}`)
  for (const create of [createSoftmaxTaskSet, createLogisticTaskSet]) {
    await t.throwsAsync(create({ localData: { ...localData, peers: many } }), {
      instanceOf: InputError,
      message: 'found 160 training samples for 1000 peers, expected at least one for each'
    })
  }
})

test('a task set does not depend on the peer whose task is requested', async (t) => {
  const taskSet = await createLogisticTaskSet({ localData: { ...localData, self: 'b' } })
  t.is(taskSet.union.samples, 160)
})
