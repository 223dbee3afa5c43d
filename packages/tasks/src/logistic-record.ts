import * as z from 'zod'
import { twoClassNetwork } from './linear-network.js'
import { logisticTaskModule } from './modules.js'
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
  taskSet: async (_, localData) => (await import('./logistic-task.js')).createLogisticTaskSet({ localData }),
  network: (_, tensors) => twoClassNetwork(tensors),
  parameters: (_, data) => (data.kind === 'gaussians' ? (data.features ?? 57) + 1 : undefined)
})
