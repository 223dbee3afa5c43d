import { z } from 'zod'
import { createLogisticTaskSet, logisticTaskModule } from './logistic-task.js'
import { taskRecord } from './record.js'

export const logisticRecord = taskRecord({
  kind: 'logistic',
  description: 'Logistic regression: convex, two classes, such as data: gaussians',
  options: z.strictObject({}),
  learnsFromData: true,
  needs: { classes: 2 },
  module: logisticTaskModule,
  given: (_, localData) => ({ localData }),
  taskSet: (_, localData) => createLogisticTaskSet({ localData }),
  // Two classes with the logits 0 and z have the probabilities 1 − σ(z) and σ(z).
  network: (_, parameters) => ({
    model: { kind: 'mlp', hidden: [] },
    parameters: Float32Array.from({ length: 2 * parameters.length }, (_, k) => (k % 2 === 0 ? 0 : parameters[k >> 1]))
  }),
  parameters: (_, data) => (data.kind === 'gaussians' ? (data.features ?? 57) + 1 : undefined)
})
