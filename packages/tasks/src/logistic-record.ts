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
  parameters: (_, data) => (data.kind === 'gaussians' ? (data.features ?? 57) + 1 : undefined)
})
