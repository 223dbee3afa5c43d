import { testTask } from '@murmuration/contract'
import {
  createKnowledgeGraphTask,
  createMatrixFactorisationTask,
  createQuadraticTask,
  createSoftmaxTask,
  createSvmTask,
  createWordVectorsTask,
  startTaskWorker,
  taskRecords
} from '@murmuration/tasks'
import { cnnRecord, createTfjsTask, mlpRecord } from '@murmuration/tfjs'
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
const text = { ...localData, data: { kind: 'sentences', samples: 40 }, context: 12 } as const
const gpt = { kind: 'gpt', layers: 1, width: 16, heads: 2 } as const
const smooth = { kind: 'mlp', hidden: [12], activation: 'tanh' } as const

testTask(test, { name: 'quadratics', create: async () => createQuadraticTask(quadratic) })
const ratings = { users: 40, items: 20, ratings: 400, rank: 3, noise: 0.1, zipf: 1, l2: 0.05 }
testTask(test, {
  name: 'matrix factorisation',
  create: () => createMatrixFactorisationTask({ peers, self: 'b', seed: 4, ...ratings })
})
const graph = { entities: 20, rules: 1, rank: 4, negatives: 3, adversarial: 0, clustered: true, ranked: 50 }
for (const [scoring, l2, n3] of [
  ['complex', 0, 0.1],
  ['rescal', 0.1, 0]
] as const)
  testTask(test, {
    name: `a knowledge graph, ${scoring}`,
    create: () => createKnowledgeGraphTask({ peers, self: 'b', seed: 4, ...graph, scoring, l2, n3 })
  })
const words = { minCount: 1, words: 30, length: 400, synonyms: 3, rank: 4, window: 2, negatives: 3, subsample: 0.1 }
testTask(test, { name: 'word vectors', create: () => createWordVectorsTask({ peers, self: 'b', seed: 4, ...words }) })
testTask(test, { name: 'softmax regression', create: () => createSoftmaxTask({ localData }) })
const svm = { localData, loss: 'hinge', l2: 0.1, features: { fourier: 24, gamma: 0.02 } } as const
testTask(test, { name: 'an SVM of Fourier features', create: () => createSvmTask(svm) })
testTask(test, { name: 'an MLP in TensorFlow.js', create: () => createTfjsTask({ localData, model: smooth }) })
testTask(test, { name: 'a GPT in TensorFlow.js', create: () => createTfjsTask({ localData: text, model: gpt }) })
testTask(test, { name: 'a CNN in TensorFlow.js', create: () => createTfjsTask({ localData, model: { kind: 'cnn' } }) })

for (const { kind, module, options, needs, given } of [mlpRecord, cnnRecord, ...taskRecords]) {
  const data = needs?.classes === 2 ? ({ kind: 'gaussians', samples: 120 } as const) : localData.data
  const described = { module, options: given(options.parse({}) as never, { ...localData, data }) }
  testTask(test, { name: `${kind}, in a thread of its own`, create: () => startTaskWorker(described) })
}
