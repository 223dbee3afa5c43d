import { axpy } from '@murmuration/vectors'
import test from 'ava'
import { createSoftmaxTask } from './softmax-task.js'

const localData = {
  data: { kind: 'digits', samples: 2500 },
  testFraction: 0.2,
  partition: { kind: 'equal' },
  peers: ['a'],
  self: 'a',
  seed: 1
} as const

test('softmax regression learns most digits, and not all, as it draws straight borders', async (t) => {
  const task = await createSoftmaxTask({ localData })
  const parameters = await task.initialise(1).run()
  for (let step = 0; step < 600; step++) {
    const batch = Uint32Array.from({ length: 32 }, (_, index) => (32 * step + index) % task.samples)
    const { vector } = await task.gradient(parameters, batch).run()
    axpy(parameters, -0.1, vector)
  }
  const { accuracy = 0, loss } = await task.evaluate(parameters).run()
  t.true(accuracy > 0.78 && accuracy < 0.92, `accuracy ${accuracy}`)
  t.true(loss < 0.8, `loss ${loss}`)
})

test('the softmax task says what it is, and works say how large they are', async (t) => {
  const task = await createSoftmaxTask({ localData, l2: 0.01 })
  t.deepEqual(task.schema, [
    { name: 'weights', shape: [784, 10] },
    { name: 'bias', shape: [10] }
  ])
  t.is(task.samples, 2000)
  t.is(task.about.model, 'softmax regression, 784 inputs, 10 classes, l2 0.01')
  t.is(task.about.data, '2,000 handwritten-like digits 28 × 28, 2,000 for this peer, 500 to test')
  const parameters = await task.initialise(1).run()
  t.is(task.gradient(parameters, Uint32Array.of(1, 2, 3)).samples, 3)
  t.is(task.evaluate(parameters).samples, 500)
})
