import * as z from 'zod'
import type { MatrixFactorisationOptions } from './matrix-factorisation-task.js'
import { matrixFactorisationModule } from './modules.js'
import { taskRecord } from './record.js'

const count = (max: number) => z.int().min(1).max(max)

export const matrixFactorisationRecord = taskRecord({
  kind: 'matrix-factorisation',
  description:
    'Matrix factorisation with biases: a batch touches the rows of its users and items; drawn ratings, or a file',
  options: z.strictObject({
    file: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'ratings.csv of MovieLens; relative to the folder where the command runs' }),
    users: count(1e7).default(1000).meta({ description: 'Of drawn ratings' }),
    items: count(1e7).default(400).meta({ description: 'Of drawn ratings' }),
    ratings: count(1e8).default(20_000).meta({ description: 'Of drawn ratings; a tenth of them are for testing' }),
    rank: count(1000)
      .default(8)
      .meta({ description: 'Factors per user and item; drawn ratings are made from as many' }),
    noise: z.number().min(0).default(0.3).meta({ description: 'Standard deviation of the noise in drawn ratings' }),
    zipf: z
      .number()
      .min(0)
      .max(3)
      .default(1)
      .meta({ description: "Exponent of Zipf's law by which drawn items are rated; 0 for equal probabilities" }),
    l2: z.number().min(0).default(0.01).meta({ description: 'Weight of the squared factors and biases of each rating' })
  }),
  learnsFromData: false,
  hasRows: true,
  rate: 1,
  module: matrixFactorisationModule,
  given: (options, { peers, self, seed }) => given(options, peers, seed, self),
  taskSet: async (options, { peers, seed }) =>
    (await import('./matrix-factorisation-task.js')).createMatrixFactorisationTaskSet(given(options, peers, seed)),
  parameters: ({ file, users, items, rank }) => (file === undefined ? (users + items) * (rank + 1) : undefined)
})

function given(
  options: Omit<MatrixFactorisationOptions, 'peers' | 'self' | 'seed'>,
  peers: readonly string[],
  seed: number,
  self?: string
): MatrixFactorisationOptions {
  return { ...options, peers, seed, ...(self === undefined ? {} : { self }) }
}
