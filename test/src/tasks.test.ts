import { testTask } from '@murmuration/contract'
import {
  createQuadraticTask,
  createSoftmaxTask,
  quadraticTaskModule,
  softmaxTaskModule,
  startTaskWorker
} from '@murmuration/tasks'
import { createTfjsTask, tfjsTaskModule } from '@murmuration/tfjs'
import test from 'ava'

const peers = ['a', 'b']
const share = {
  data: { kind: 'digits', samples: 120 },
  testShare: 0.2,
  partition: { kind: 'equal' },
  peers,
  self: 'a',
  seed: 4
} as const
const quadratic = { peers, self: 'a', seed: 4, heterogeneity: 1, noise: 0.5 }
const smooth = { kind: 'mlp', hidden: [12], activation: 'tanh' } as const

testTask(test, { name: 'quadratics', create: async () => createQuadraticTask(quadratic) })
testTask(test, { name: 'softmax regression', create: () => createSoftmaxTask({ share }) })
testTask(test, { name: 'an MLP in TensorFlow.js', create: () => createTfjsTask({ share, model: smooth }) })
testTask(test, { name: 'a CNN in TensorFlow.js', create: () => createTfjsTask({ share, model: { kind: 'cnn' } }) })

for (const [name, module, options] of [
  ['quadratics', quadraticTaskModule, quadratic],
  ['softmax regression', softmaxTaskModule, { share }],
  ['an MLP in TensorFlow.js', tfjsTaskModule, { share, model: smooth }]
] as const) {
  testTask(test, { name: `${name}, in a thread of its own`, create: () => startTaskWorker({ module, options }) })
}
