import { z } from 'zod'
import { sharedPartition, testShare, trainingSchema } from '../training/training-file.js'
import { mappingSuchAs } from './schema-words.js'

const positive = z.number().positive()
const atLeastOne = z.int().min(1)

/** As in training files, and drawn digits that are smaller. */
const data = z.union([
  z.literal('digits'),
  z.strictObject({
    digits: z.int().min(100).max(1e6).default(5000).meta({ description: 'How many' }),
    size: z.int().min(1).max(28).default(28).meta({ description: 'The edge of a picture in pixels' })
  }),
  z.strictObject({
    path: z.string().min(1).meta({ description: 'A folder, a file or an URL' }),
    sha256: z.record(z.string(), z.string()).optional().meta({ description: 'By file name; needed for an URL' })
  })
])

/** As in training files. */
const split = {
  test: testShare.prefault('20 %').meta({ description: 'The share of the samples that is held back for testing' }),
  partition: sharedPartition
    .default('equal')
    .meta({ description: 'How the samples are shared out: equal, label, { dirichlet: alpha }' })
}

const softmax = z
  .strictObject({
    kind: z.literal('softmax'),
    data: data
      .default('digits')
      .meta({ description: 'digits (drawn, embedded), { digits: 2000, size: 8 } or { path: folder, file or URL }' }),
    ...split
  })
  .meta({ description: 'Softmax regression: convex, one class of several' })

const logistic = z
  .strictObject({
    kind: z.literal('logistic'),
    features: atLeastOne.max(1e6).default(57).meta({ description: 'Numbers of a sample' }),
    samples: z.int().min(10).max(1e7).default(4601).meta({ description: 'Of all peers together, with the test set' }),
    ...split
  })
  .meta({ description: 'Logistic regression with two classes, on data that is drawn' })

const quadratic = z
  .strictObject({
    kind: z.literal('quadratic'),
    dimension: atLeastOne.max(1e4).default(10).meta({ description: 'Parameters; building costs peers × dimension³' }),
    heterogeneity: z.number().min(0).default(0).meta({ description: 'ζ², how much the peers differ' }),
    noise: z.number().min(0).default(0).meta({ description: 'Of the gradient of one sample, root mean square' }),
    distance: z.number().min(0).default(10).meta({ description: 'Of the start from the optimum' }),
    smallestSingular: positive.default(0.5).meta({ description: 'The smallest singular value of every A_i' }),
    largestSingular: positive.default(1).meta({ description: 'The largest' }),
    samples: atLeastOne.max(1e6).default(64).meta({ description: 'Of each peer; 2 or more where there is noise' })
  })
  .meta({ description: 'Random quadratics with a known optimum; the loss is the distance in f from it' })

const { model: modelWords, data: trainingData, loss, test: trainingTest } = trainingSchema.shape

const model = z
  .strictObject({
    kind: z.literal('model'),
    model: modelWords,
    data: trainingData,
    loss,
    test: trainingTest.unwrap().prefault('20 %').meta({ description: 'As in training files' }),
    partition: sharedPartition.default('equal').meta({
      description: 'How the samples are shared out: equal, label, { dirichlet: alpha }'
    })
  })
  .meta({ description: 'A model as in training files, with TensorFlow.js: mlp, cnn, or { module: ./my-task.js }' })

/** What is learned. */
export const taskSchema = z
  .discriminatedUnion('kind', [softmax, logistic, quadratic, model], { error: mappingSuchAs('{ kind: softmax }') })
  .meta({ description: 'What is learned: { kind: softmax | logistic | quadratic | model } with its options' })

export type ScenarioTask = z.output<typeof taskSchema>

/** How many parameters a task has, where that is known before its data is read. */
export function parametersOf(task: ScenarioTask): number | undefined {
  switch (task.kind) {
    case 'softmax': {
      if (task.data === 'digits') return (28 * 28 + 1) * 10
      return 'path' in task.data ? undefined : (task.data.size ** 2 + 1) * 10
    }
    case 'logistic':
      return task.features + 1
    case 'quadratic':
      return task.dimension
    case 'model':
      return undefined
  }
}
