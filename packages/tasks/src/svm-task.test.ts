import { axpy } from '@murmuration/vectors'
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
