import { type TaskRecord, taskRecord } from '@murmuration/tasks'
import { z } from 'zod'
import { tfjsTaskModule } from './lazy.js'

/** A multilayer perceptron. */
export const mlpRecord: TaskRecord = taskRecord({
  kind: 'mlp',
  description: 'A multilayer perceptron with ReLU, over TensorFlow.js',
  options: z.strictObject({
    hidden: z.array(z.int().min(1)).min(1).default([128]).meta({ description: 'The width of each hidden layer' })
  }),
  learnsFromData: true,
  firstRate: 0.2,
  module: tfjsTaskModule,
  given: ({ hidden }, localData) => ({ localData, model: { kind: 'mlp', hidden } }),
  network: ({ hidden }, parameters) => ({ model: { kind: 'mlp', hidden }, parameters })
})

/** A small convolutional network. */
export const cnnRecord: TaskRecord = taskRecord({
  kind: 'cnn',
  description: 'A small convolutional network for pictures, over TensorFlow.js',
  options: z.strictObject({}),
  learnsFromData: true,
  needs: { hasImages: true },
  firstRate: 0.05,
  module: tfjsTaskModule,
  given: (_, localData) => ({ localData, model: { kind: 'cnn' } }),
  network: (_, parameters) => ({ model: { kind: 'cnn' }, parameters })
})
