import { problem } from '@murmuration/core'
import * as z from 'zod'
import { quadraticTaskModule } from './modules.js'
import { taskRecord } from './record.js'

const positive = z.number().positive()
const atLeastOne = z.int().min(1)

export const quadraticRecord = taskRecord({
  kind: 'quadratic',
  description: 'Random quadratics with a known optimum; the loss is the distance in f from it',
  options: z.strictObject({
    dimension: atLeastOne.max(1e4).default(10).meta({ description: 'Parameters; building costs peers × dimension³' }),
    heterogeneity: z.number().min(0).default(0).meta({ description: 'ζ², how much the peers differ' }),
    noise: z.number().min(0).default(0).meta({ description: 'Noise of the gradient of one sample, root mean square' }),
    distance: z.number().min(0).default(10).meta({ description: 'Distance of the start from the optimum' }),
    smallestSingular: positive.default(0.5).meta({ description: 'The smallest singular value of every A_i' }),
    largestSingular: positive.default(1).meta({ description: 'The largest singular value of every A_i' }),
    samples: atLeastOne.max(1e6).default(64).meta({ description: 'Samples of each peer; 2 or more with noise' })
  }),
  learnsFromData: false,
  rate: 0.1,
  module: quadraticTaskModule,
  given: (options, { peers, self, seed }) => ({ ...options, peers, seed, ...(self === undefined ? {} : { self }) }),
  taskSet: async (options, { peers, seed }) =>
    (await import('./quadratic-task.js')).createQuadraticTaskSet({ ...options, peers, seed }),
  parameters: ({ dimension }) => dimension,
  problems: ({ smallestSingular, largestSingular, noise, samples }) => {
    const tooLarge = `found ${smallestSingular}, expected at most largestSingular, ${largestSingular}`
    const tooFew = 'found 1, expected at least 2, since noise is the difference of samples'
    return [
      ...(smallestSingular > largestSingular ? [problem(['smallestSingular'], tooLarge)] : []),
      ...(noise > 0 && samples < 2 ? [problem(['samples'], tooFew)] : [])
    ]
  }
})
