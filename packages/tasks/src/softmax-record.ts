import * as z from 'zod'
import { linearNetwork } from './linear-network.js'
import { softmaxTaskModule } from './modules.js'
import { taskRecord } from './record.js'

export const softmaxRecord = taskRecord({
  kind: 'softmax',
  description: 'Softmax regression: convex, one class of several',
  options: z.strictObject({}),
  learnsFromData: true,
  rate: 0.02,
  rateOfSmall: 0.1,
  module: softmaxTaskModule,
  given: (_, localData) => ({ localData }),
  taskSet: async (_, localData) => (await import('./softmax-task.js')).createSoftmaxTaskSet({ localData }),
  network: (_, tensors) => linearNetwork(tensors),
  parameters: (_, data) => (data.kind === 'digits' ? ((data.size ?? 28) ** 2 + 1) * 10 : undefined)
})
