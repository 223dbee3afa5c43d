import { z } from 'zod'
import type { NamedTensor } from '@murmuration/vectors'
import { linearNetwork } from './linear-network.js'
import { createLogisticTaskSet, logisticTaskModule } from './logistic-task.js'
import { taskRecord } from './record.js'

export const logisticRecord = taskRecord({
  kind: 'logistic',
  description: 'Logistic regression: convex, two classes, such as data: gaussians',
  options: z.strictObject({}),
  learnsFromData: true,
  needs: { classes: 2 },
  rate: 0.02,
  rateOfSmall: 0.1,
  module: logisticTaskModule,
  given: (_, localData) => ({ localData }),
  taskSet: (_, localData) => createLogisticTaskSet({ localData }),
  // Two classes with the logits 0 and z have the probabilities 1 − σ(z) and σ(z).
  network: (_, tensors) => linearNetwork(tensors.map(besideZeros)),
  parameters: (_, data) => (data.kind === 'gaussians' ? (data.features ?? 57) + 1 : undefined)
})

/** Weights `[inputs]` as `[inputs, 2]`, and the bias `[1]` as `[2]`, with zeros for the first class. */
function besideZeros({ name, shape, values }: NamedTensor): NamedTensor {
  const both = Float32Array.from({ length: 2 * values.length }, (_, k) => (k % 2 === 0 ? 0 : values[k >> 1]))
  return { name, shape: name === 'bias' ? [2] : [...shape, 2], values: both }
}
