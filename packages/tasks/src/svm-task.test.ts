import { axpy } from '@murmuration/vectors'
import { InputError } from '@murmuration/core'
import test from 'ava'
import { createSvmTask, createSvmTaskSet } from './svm-task.js'

const localData = {
  data: { kind: 'gaussians', samples: 5000 },
  testFraction: 0.2,
  partition: { kind: 'equal' },
  peers: ['a', 'b'],
  self: 'b',
  seed: 1
} as const

for (const loss of ['hinge', 'squared-hinge'] as const)
  test(`an SVM with the ${loss} learns nearly as much of two normal classes as there is to learn`, async (t) => {
    const task = await createSvmTask({ localData, loss, l2: 0.001 })
    const parameters = await task.initialise(1).run()
    for (let step = 0; step < 500; step++) {
      const batch = Uint32Array.from({ length: 32 }, (_, index) => (32 * step + index) % task.samples)
      axpy(parameters, -0.02, (await task.gradient(parameters, batch).run()).vector)
    }
    const { accuracy = 0 } = await task.evaluate(parameters).run()
    t.true(accuracy > 0.9 && accuracy < 0.955, `accuracy ${accuracy}`)
  })

test('the svm task says what it is, and its tensors say which features they belong to', async (t) => {
  const linear = await createSvmTask({ localData, l2: 0.01 })
  t.deepEqual(linear.schema, [
    { name: 'weights', shape: [57] },
    { name: 'bias', shape: [1] }
  ])
  t.is(linear.about.model, 'support vector machine, 57 inputs, squared-hinge, l2 0.01')
  const digits = { ...localData, data: { kind: 'digits', samples: 200, size: 8 } } as const
  const features = { fourier: 32, gamma: 0.5 }
  const several = await createSvmTask({ localData: digits, loss: 'hinge', l2: 0.01, features })
  t.deepEqual(several.schema, [
    { name: 'fourier-32-gamma-0.5-seed-1/weights', shape: [32, 10] },
    { name: 'bias', shape: [10] }
  ])
  t.is(
    several.about.model,
    'support vector machine, 32 random Fourier features of 64 inputs, gamma 0.5, 10 classes one against the rest, hinge, l2 0.01'
  )
})

test('all peers of an svm with Fourier features compute what the peer alone computes', async (t) => {
  const options = { localData, l2: 0.01, features: { fourier: 20, gamma: 0.1 } }
  const alone = await createSvmTask(options)
  const together = (await createSvmTaskSet(options)).of('b')
  const at = Float32Array.from({ length: 21 }, (_, i) => Math.sin(i))
  const batch = Uint32Array.of(3, 1, 4)
  t.deepEqual(await together.gradient(at, batch).run(), await alone.gradient(at, batch).run())
  t.deepEqual(await together.evaluate(at).run(), await alone.evaluate(at).run())
})

test('an svm with a kernel has the samples of all peers, whoever builds it, and one parameter for each', async (t) => {
  const options = { localData: { ...localData, data: { kind: 'gaussians', samples: 50 } }, kernel: 'linear' } as const
  const alone = await createSvmTask(options)
  const set = await createSvmTaskSet(options)
  const together = set.of('b')
  t.deepEqual(alone.schema, [
    { name: 'coefficients', shape: [40] },
    { name: 'bias', shape: [1] }
  ])
  t.is(alone.about.model, 'support vector machine, 57 inputs, kernel linear, C 1')
  t.is(alone.about.data, together.about.data)
  t.is(alone.samples, 20)
  t.is(typeof alone.fingerprints?.data, 'string')
  t.deepEqual(alone.kernel?.shardOf('b'), { first: 20, count: 20 })
  for (const index of [20, 39]) {
    t.deepEqual(alone.kernel?.sample(index), together.kernel?.sample(index))
    t.is(alone.kernel?.label(index), together.kernel?.label(index))
  }
  const at = Float32Array.from({ length: 41 }, (_, i) => Math.sin(i))
  t.deepEqual(await alone.evaluate(at).run(), await together.evaluate(at).run())
  t.throws(() => alone.gradient(at, Uint32Array.of(0)).run(), { instanceOf: InputError, message: /svm-blocks/ })
})

test('decision values of a kernel are sums over support vectors, and the objective is that of the dual', async (t) => {
  const options = {
    localData: { ...localData, data: { kind: 'gaussians', samples: 10 } },
    kernel: 'linear',
    c: 3
  } as const
  const task = await createSvmTask({ ...options, localData: { ...options.localData, peers: ['b'] } })
  const { kernel } = task
  if (kernel === undefined) return t.fail()
  const up = Array.from({ length: 8 }, (_, i) => i).find((i) => kernel.label(i) === 1) ?? 0
  const down = Array.from({ length: 8 }, (_, i) => i).find((i) => kernel.label(i) === -1) ?? 0
  const at = new Float32Array(9)
  at[up] = 0.5
  at[down] = -0.5
  at[8] = 0.25
  const w = kernel.sample(up).map((value, i) => (value - kernel.sample(down)[i]) / 2)
  const { measures } = await task.evaluate(at).run()
  t.is(measures?.supportVectors, 2)
  const square = w.reduce((sum, value) => sum + value * value, 0)
  t.true(Math.abs((measures?.objective ?? 0) - (1 - square / 2)) < 1e-5)
})

for (const [title, data, message] of [
  ['more than two classes', { kind: 'digits', samples: 50, size: 4 }, /10 classes, expected two/],
  ['samples that only one machine has', { kind: 'gaussians', samples: 50 }, /no machine has the samples of all peers/]
] as const)
  test(`an svm with a kernel refuses ${title}`, async (t) => {
    const partition = { kind: data.kind === 'digits' ? 'equal' : 'local' } as const
    const options = { localData: { ...localData, data, partition }, kernel: 'linear' } as const
    await t.throwsAsync(createSvmTask(options), { instanceOf: InputError, message })
  })

test('rows of a kernel that are kept give the same sums, and another sample of the same number is not taken for it', async (t) => {
  const options = { localData: { ...localData, data: { kind: 'gaussians', samples: 50 } }, kernel: 'linear' } as const
  const kernel = async () => (await createSvmTask(options)).kernel ?? t.fail()
  const [kept, fresh] = [await kernel(), await kernel()]
  if (kept === undefined || fresh === undefined) return
  const own = Uint32Array.from({ length: 20 }, (_, i) => 20 + i)
  const points = [20, 21, 22, 23].map((at) => ({ at, input: kept.sample(at) }))
  const factors = Float64Array.of(1, 0, -2, 0.5)
  const sumsOf = async (from: typeof kept, samples: Uint32Array, given = points) => {
    const sums = new Float64Array(20)
    const work = from.accumulate(given, factors, samples, sums, 20)
    await work.run()
    return [work.samples, sums]
  }
  const [rows, sums] = await sumsOf(kept, own)
  t.is(rows, 3, 'a factor 0 costs nothing')
  t.deepEqual(await sumsOf(kept, own), [0, sums])
  const some = own.slice(3, 9)
  t.deepEqual(await sumsOf(kept, some), await sumsOf(fresh, some))
  const others = points.map(({ at }) => ({ at, input: kept.sample(at + 5) }))
  t.deepEqual(await sumsOf(kept, own, others), await sumsOf(fresh, own, others))
})
