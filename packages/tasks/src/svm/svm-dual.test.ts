import { type Gradient, InputError, type Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import fc from 'fast-check'
import { ShardTask } from '../shard-task.js'
import { startTaskWorker } from '../task-worker.js'
import { withGradientWeight } from '../sample-weights.js'
import { svmTaskModule } from '../modules.js'
import { createSvmTask } from '../svm-task.js'
import { type MarginLoss, marginLosses, Svm } from './svm.js'

interface Drawn {
  readonly seed: number
  readonly classes: number
  readonly loss: MarginLoss
  readonly l2: number
  readonly weightDecay: number
}

const count = 12
const inputs = 3

function drawTask({ seed, classes, loss, l2 }: Drawn): Task {
  const random = createRandom(seed, 'samples')
  const samples = {
    count,
    inputShape: [inputs],
    inputs: Float32Array.from({ length: count * inputs }, () => random.normal()),
    targetShape: [],
    targets: Float32Array.from({ length: count }, () => random.integer(classes)),
    classes
  }
  return new ShardTask(new Svm(samples, samples, { loss, l2 }), 0, count, () => ({}))
}

const all = Uint32Array.from({ length: count }, (_, sample) => sample)
const orderOf = (passes: number) => Uint32Array.from({ length: passes * count }, (_, k) => (5 * k) % count)

/** P at a point, with weight decay. */
function lossAt(task: Task, at: Float32Array, weightDecay: number): number {
  const { loss } = task.gradient(at, all).run() as Gradient
  return loss + (weightDecay / 2) * at.reduce((sum, value) => sum + value * value, 0)
}

const dualOf = (task: Task) => {
  if (task.dual === undefined) throw new Error('the task has no dual')
  return task.dual
}

/** One peer's steps from 0, each a few passes. */
async function ascend(task: Task, steps: number, weightDecay: number) {
  const dual = dualOf(task)
  const length = task.schema.reduce((sum, { shape }) => sum + shape.reduce((product, extent) => product * extent, 1), 0)
  let at = { vector: new Float32Array(length), a: new Float32Array(dual.width * count) }
  const found = []
  for (let step = 0; step < steps; step++) {
    const { vector, a, loss, gap } = await dual.step(at.vector, at.a, orderOf(4), { weightDecay }).run()
    found.push({ ...at, loss, gap })
    at = { vector: vector.slice(), a: a.slice() }
  }
  return found
}

const cases = fc.record({
  seed: fc.integer(),
  classes: fc.integer({ min: 2, max: 4 }),
  loss: fc.constantFrom(...marginLosses),
  l2: fc.constantFrom(0.05, 0.5),
  weightDecay: fc.constantFrom(0, 0.2)
})

test('the dual of an SVM: a peer alone reaches the optimum, and its gap says how far it is', async (t) => {
  await fc.assert(
    fc.asyncProperty(cases, async (drawn) => {
      const task = drawTask(drawn)
      const found = await ascend(task, 60, drawn.weightDecay)
      const end = found[found.length - 1]
      t.true(end.gap.value < 1e-4, `the gap at the end is ${end.gap.value}`)
      for (const { vector, loss, gap } of found) {
        t.true(Math.abs(loss - lossAt(task, vector, drawn.weightDecay)) < 1e-5, 'the loss is P')
        t.true(loss - end.loss <= gap.value + 1e-5, `${loss - end.loss} above the optimum, the gap is ${gap.value}`)
      }
    }),
    { numRuns: 20, seed: 3 }
  )
})

test('the dual of an SVM: the gap at another point is at most its bound', async (t) => {
  await fc.assert(
    fc.asyncProperty(cases, async (drawn) => {
      const task = drawTask(drawn)
      const { vector, a, gap } = (await ascend(task, 3, 0))[2]
      const random = createRandom(drawn.seed, 'points')
      for (const scale of [0.01, 0.3, 2]) {
        const at = vector.map((value) => value + scale * random.normal())
        const moved = await dualOf(task).step(at, a, new Uint32Array(0)).run()
        const norm = (x: Float32Array) => x.reduce((sum, value) => sum + value * value, 0)
        const penalty = (drawn.l2 * (norm(at) - norm(vector))) / dualOf(task).width
        const distance = Math.sqrt(norm(at.map((value, i) => value - vector[i])))
        const bound = gap.value + gap.slope * distance + gap.curvature * distance ** 2
        t.true(moved.gap.value - penalty <= bound + 1e-5, `${moved.gap.value - penalty}, bound ${bound}`)
      }
    }),
    { numRuns: 20, seed: 4 }
  )
})

test('the dual of an SVM: without a penalty there is none, and a weighed task has the weights in it too', async (t) => {
  const drawn = { seed: 1, classes: 2, loss: 'hinge', l2: 0.1, weightDecay: 0 } as const
  const zero = [new Float32Array(inputs + 1), new Float32Array(count), orderOf(1)] as const
  const none = dualOf(drawTask({ ...drawn, l2: 0 }))
  await t.throwsAsync(async () => none.step(...zero).run(), {
    instanceOf: InputError,
    message: /set l2 to a number above 0/
  })
  const task = drawTask(drawn)
  const other = [zero[0], zero[1], Uint32Array.of(0, count)] as const
  await t.throwsAsync(
    async () =>
      dualOf(task)
        .step(...other)
        .run(),
    { message: /expected samples below 12/ }
  )
  const weighed = await dualOf(withGradientWeight(task, 0.5))
    .step(...zero)
    .run()
  const vector = weighed.vector.slice()
  const expected = await dualOf(task)
    .step(...zero, { meanSamples: 2 * count })
    .run()
  t.deepEqual(vector, expected.vector)
})

test('the dual of an SVM in a thread of its own gives the same bits', async (t) => {
  const options = {
    localData: {
      data: { kind: 'gaussians', samples: 60, features: 4 },
      testFraction: 0.2,
      partition: { kind: 'equal' },
      peers: ['a', 'b'],
      self: 'b',
      seed: 1
    },
    l2: 0.01
  } as const
  const here = await createSvmTask(options)
  const worker = await startTaskWorker({ module: svmTaskModule, options })
  t.teardown(() => worker.close())
  const order = Uint32Array.from({ length: 48 }, (_, k) => k % 24)
  const v = new Float32Array(5).fill(0.1)
  const a = new Float32Array(new SharedArrayBuffer(96)).fill(0.2)
  const expected = await dualOf(here).step(v, a, order, { weightDecay: 0.1 }).run()
  const found = await dualOf(worker).step(v, a, order, { weightDecay: 0.1 }).run()
  t.deepEqual({ ...found, vector: [...found.vector] }, { ...expected, vector: [...expected.vector] })
})
