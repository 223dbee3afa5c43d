import { problem } from '@murmuration/core'
import { type TaskRecord, taskRecord } from '@murmuration/tasks/peer'
import * as z from 'zod'
import { maxContext } from './gpt/size.js'
import { tfjsTaskModule } from './lazy.js'

/** A multilayer perceptron. */
export const mlpRecord: TaskRecord = taskRecord({
  kind: 'mlp',
  description: 'A multilayer perceptron with ReLU, over TensorFlow.js',
  options: z.strictObject({
    hidden: z.array(z.int().min(1)).min(1).default([128]).meta({ description: 'The width of each hidden layer' })
  }),
  learnsFromData: true,
  rate: 0.01,
  rateOfSmall: 0.2,
  module: tfjsTaskModule,
  given: ({ hidden }, localData) => ({ localData, model: { kind: 'mlp', hidden } }),
  network: ({ hidden }, tensors) => ({ model: { kind: 'mlp', hidden }, tensors })
})

/** A small convolutional network. */
export const cnnRecord: TaskRecord = taskRecord({
  kind: 'cnn',
  description: 'A small convolutional network for images, over TensorFlow.js',
  options: z.strictObject({}),
  learnsFromData: true,
  needs: { hasImages: true },
  rate: 0.01,
  rateOfSmall: 0.05,
  module: tfjsTaskModule,
  given: (_, localData) => ({ localData, model: { kind: 'cnn' } }),
  network: (_, tensors) => ({ model: { kind: 'cnn' }, tensors })
})

/** A small GPT of characters. */
export const gptRecord: TaskRecord = taskRecord({
  kind: 'gpt',
  description: 'A small GPT that learns a text, character by character, over TensorFlow.js',
  options: z.strictObject({
    layers: z.int().min(1).max(64).default(2).meta({ description: 'Blocks of attention and perceptron' }),
    width: z.int().min(1).max(4096).default(64).meta({ description: 'Numbers per character; a multiple of heads' }),
    heads: z.int().min(1).max(64).default(4).meta({ description: 'Heads of each attention' }),
    context: z
      .int()
      .min(1)
      .max(maxContext)
      .default(64)
      .meta({ description: 'Characters per sample, and the maximum that it sees of a prompt' })
  }),
  learnsFromData: true,
  needs: { isText: true },
  rate: 0.05,
  module: tfjsTaskModule,
  given: ({ context, ...size }, localData) => ({
    localData: { ...localData, context },
    model: { kind: 'gpt', ...size }
  }),
  network: ({ layers, width, heads }, tensors) => ({ model: { kind: 'gpt', layers, width, heads }, tensors }),
  problems: ({ width, heads }) =>
    width % heads === 0 ? [] : [problem(['width'], `found ${width}, expected a multiple of heads, which is ${heads}`)]
})
