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
const localData = {
  data: { kind: 'digits', samples: 120 },
  testFraction: 0.2,
  partition: { kind: 'equal' },
  peers,
  self: 'a',
  seed: 4
} as const
const quadratic = { peers, self: 'a', seed: 4, heterogeneity: 1, noise: 0.5 }
const smooth = { kind: 'mlp', hidden: [12], activation: 'tanh' } as const

testTask(test, { name: 'quadratics', create: async () => createQuadraticTask(quadratic) })
testTask(test, { name: 'softmax regression', create: () => createSoftmaxTask({ localData }) })
testTask(test, { name: 'an MLP in TensorFlow.js', create: () => createTfjsTask({ localData, model: smooth }) })
testTask(test, { name: 'a CNN in TensorFlow.js', create: () => createTfjsTask({ localData, model: { kind: 'cnn' } }) })

for (const [name, module, options] of [
  ['quadratics', quadraticTaskModule, quadratic],
  ['softmax regression', softmaxTaskModule, { localData }],
  ['an MLP in TensorFlow.js', tfjsTaskModule, { localData, model: smooth }]
] as const) {
  testTask(test, { name: `${name}, in a thread of its own`, create: () => startTaskWorker({ module, options }) })
}
