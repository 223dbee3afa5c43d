import { axpy } from '@murmuration/vectors'
import test from 'ava'
import { createLogisticTask } from './logistic-task.js'

const localData = {
  data: { kind: 'gaussians', samples: 5000 },
  testFraction: 0.2,
  partition: { kind: 'equal' },
  peers: ['a', 'b'],
  self: 'b',
  seed: 1
} as const

test('logistic regression learns nearly as much of two normal classes as there is to learn', async (t) => {
  const task = await createLogisticTask({ localData })
  const parameters = await task.initialise(1).run()
  for (let step = 0; step < 500; step++) {
    const batch = Uint32Array.from({ length: 32 }, (_, index) => (32 * step + index) % task.samples)
    const { vector } = await task.gradient(parameters, batch).run()
    axpy(parameters, -0.05, vector)
  }
  const { accuracy = 0 } = await task.evaluate(parameters).run()
  t.true(accuracy > 0.91 && accuracy < 0.955, `accuracy ${accuracy}`)
})

test('the logistic task says what it is, and works say how large they are', async (t) => {
  const task = await createLogisticTask({ localData, l2: 0.01 })
  t.deepEqual(task.schema, [
    { name: 'weights', shape: [57] },
    { name: 'bias', shape: [1] }
  ])
  t.deepEqual(task.about, {
    data: '4,000 samples of two normal classes in 57 dimensions, 2,000 for this peer, 1,000 to test',
    partition: 'shuffled equal parts for 2 peers, 2,000 samples each',
    model: 'logistic regression, 57 inputs, l2 0.01'
  })
  const parameters = await task.initialise(1).run()
  t.is(task.gradient(parameters, Uint32Array.of(1, 2, 3)).samples, 3)
  t.is(task.evaluate(parameters).samples, 1000)
})
