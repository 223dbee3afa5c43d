/** The schema fields that training files and scenarios share. */
import { optimiserSettings, optimisers } from '@murmuration/algorithms'
import { knownSetNames } from '@murmuration/data/peer'
import { nearest, fraction, waitingTime } from '@murmuration/files'
import { backendChoices } from '@murmuration/tfjs'
import { codecWords, expectedParameter, isCodec } from '@murmuration/vectors'
import * as z from 'zod'
import { algorithmSchema, inputJson } from './algorithm-choice.js'
import { insteadOf, removedFields } from './removed-fields.js'
import { mappingSuchAs } from './schema-words.js'
import { membershipSchema } from './membership-schema.js'
import { stopSchema } from './stop-choice.js'
import { storeSchema } from './store-choice.js'
import { kinds, taskSchema } from './task-choice.js'

const positive = z.number().positive()
const whole = z.int().min(0)
const atLeastOne = z.int().min(1)

const path = z.string().min(1)
/** SHA-256: one of all files, or that of each file by its name. */
export const checksums = z.union([z.string(), z.record(z.string(), z.string())]).meta({
  description: 'SHA-256 of all files, as "murmur checksum" prints it, or of each file by its name: { file: hex }'
})
const imageSize = atLeastOne
  .max(4096)
  .optional()
  .meta({ description: 'For a folder of images: the edge, in pixels, of the square to which all are scaled' })

const tableColumns = {
  target: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "For tables: the name of the target's column, or first or last" }),
  ignore: z
    .array(z.string())
    .min(1)
    .optional()
    .meta({ description: 'For tables: the names of columns that are not read' })
}

/** The number of samples in {@link drawnData} unless a file gives one. */
export const drawnDigits = 5000
/** The same for sentences: windows of a text. */
export const drawnSentences = 2000

/** The error for data that are neither a known name nor a mapping. */
const expectedMapping = { error: mappingSuchAs('{ path: ./samples.csv }') }

const drawnData = [
  z.strictObject(
    {
      digits: z.int().min(100).max(1e6).default(drawnDigits).meta({ description: 'The number of images' }),
      size: z.int().min(1).max(28).default(28).meta({ description: 'The edge of an image in pixels' })
    },
    expectedMapping
  ),
  z.strictObject(
    {
      gaussians: z.int().min(10).max(1e7).default(4601).meta({ description: 'The number of samples, in two classes' }),
      features: atLeastOne.max(1e6).default(57).meta({ description: 'Numbers per sample' })
    },
    expectedMapping
  ),
  z.strictObject(
    {
      sentences: z
        .int()
        .min(10)
        .max(1e6)
        .default(drawnSentences)
        .meta({ description: "The number of samples; each has as many characters as the task's context" })
    },
    expectedMapping
  )
] as const

const data = z.union([
  z.literal(['digits', 'gaussians', 'sentences', ...knownSetNames]),
  z.strictObject(
    {
      path: z.union([path, z.array(path).min(1)]),
      sha256: checksums.optional(),
      size: imageSize,
      ...tableColumns,
      ...insteadOf(['file', 'files', 'folder', 'url'], 'path: ./samples.csv'),
      scale: z.literal('standard').optional().meta({
        description: 'For tables: standard scales each column of the inputs to mean 0 and standard deviation 1'
      })
    },
    expectedMapping
  ),
  ...drawnData
])

const partition = z.union([
  z.literal(['equal', 'label', 'local']),
  z.strictObject({ dirichlet: positive }),
  z.strictObject({ local: z.literal(['per-sample', 'per-peer']) })
])

/** The fraction of the samples in the test split. */
const testFraction = fraction().refine((test) => test > 0 && test < 1, 'more than 0 % and less than 100 %')

/** The fraction of the samples in the test split if a file does not give one. */
export const defaultTest = 0.2

const test = z.union([
  testFraction,
  z.strictObject({
    path: z.union([path, z.array(path).min(1)]),
    sha256: checksums.optional(),
    size: imageSize,
    ...tableColumns
  })
])

const decay = z.union([
  z.literal(['constant', 'cosine']),
  z.strictObject({ at: z.array(atLeastOne).min(1), factor: positive })
])

const optimiserNames = optimisers.map(({ name }) => name) as [string, ...string[]]

/** A codec's name, or `auto`. */
const codec = z.string().superRefine((name, context) => {
  const words = [...codecWords, 'auto']
  if (name === 'auto' || isCodec(name)) return
  const message = expectedParameter(name) ?? `one of ${words.join(', ')}${nearest(name, words)}`
  context.addIssue({ code: 'custom', message })
})

const optimiser = z
  .union([z.enum(optimiserNames).transform((name) => ({ name })), z.looseObject({})])
  .pipe(optimiserSettings)
  .meta(inputJson(() => z.union([z.enum(optimiserNames), optimiserSettings]), 'optimiser'))

/** The fields of `rate:`. */
export const rateFields = {
  initial: positive.meta({ description: 'The rate after the warm-up; that of the task when absent' }),
  warmup: whole.meta({
    description:
      'Rounds over which the rate grows to the initial one: 0 when absent, or with the rate of the task 20, at most 5 % of the rounds'
  }),
  decay: decay.meta({
    description: 'constant; cosine, down to 0 at the last round; or { at: [200, 300], factor: 0.1 }'
  }),
  scale: z.enum(['none', 'peers', '1/peers']).meta({
    description:
      'peers: the rate times the number of peers, since the joint batch grows with it (Goyal et al. 2017). 1/peers: divided by it, for servers that take a step with every single gradient'
  })
}

const rate = z
  .strictObject(
    {
      initial: rateFields.initial.optional(),
      warmup: rateFields.warmup.optional(),
      decay: rateFields.decay.default('cosine'),
      scale: rateFields.scale.default('none')
    },
    { error: mappingSuchAs('{ initial: 0.1 }') }
  )
  .prefault({})
  .meta({ description: 'The learning rate' })

/** The maximum number of rounds of a run. */
export const maxRounds = 1e9

/** Fields that may differ between methods, without defaults. */
export const methodFields = {
  batch: atLeastOne.max(1e6).meta({ description: 'Samples per peer and gradient' }),
  optimiser: optimiser.meta({
    description: 'How a step uses a gradient: sgd, adam or adamw, or { name: sgd, momentum: 0.9 }'
  }),
  codec: codec.meta({
    description: `How vectors are encoded on the links: ${codecWords.join(', ')}; auto chooses one for each link by its measured speed`
  })
}

/** Fields that training files and scenarios share. All have defaults. */
export const sharedFields = {
  task: taskSchema.prefault('mlp').meta({
    description: `What is learned: ${kinds.join(', ')}, with options { kind: mlp, hidden: [300] }, or { module: ./my-task.js }`
  }),
  backend: z
    .literal(['auto', ...backendChoices])
    .default('auto')
    .meta({
      description:
        'What computes models of TensorFlow.js: gpu (tfjs-node-gpu), node (tfjs-node), webgpu, wasm or cpu; auto is the first of gpu, node, wasm and cpu that loads. Machines may differ in it'
    }),
  data: data.default('digits').meta({
    description: `digits, gaussians or sentences (generated), with options { digits: 2000, size: 8 }; ${knownSetNames.join(', ')} (downloaded); or { path: folder, file or URL }`
  }),
  loss: z
    .literal(['cross-entropy', 'mean-squared-error'])
    .default('cross-entropy')
    .meta({ description: 'cross-entropy learns classes, mean-squared-error numbers' }),
  test: test.default(defaultTest).meta({
    description: 'The fraction of the samples in the test split, or a test set: { path, sha256: hex }'
  }),
  partition: partition.default('equal').meta({
    description:
      'How the samples are divided among the peers: equal, label or { dirichlet: alpha }; local if each machine has its own samples'
  }),
  dataSeed: whole.optional().meta({
    description:
      'The seed of generated data, the test split and the partition, for runs with other seeds on the same data; seed when absent'
  }),
  batch: methodFields.batch.default(32),
  accumulate: atLeastOne
    .max(1e4)
    .default(1)
    .meta({ description: 'The number of batches over which a gradient is averaged' }),
  optimiser: methodFields.optimiser.prefault({ name: 'sgd', momentum: 0.9 }),
  weightDecay: z
    .number()
    .min(0)
    .default(1e-4)
    .meta({ description: 'Times the parameters, added to the gradient. For adamw, see its decay' }),
  clip: positive
    .optional()
    .meta({ description: 'The maximum norm of a gradient; larger gradients are scaled down to it' }),
  rate,
  rounds: atLeastOne.max(maxRounds).default(400).meta({ description: 'Rounds of training; one step per peer each' }),
  codec: methodFields.codec.default('float32'),
  pipeline: z
    .strictObject({
      cuts: z
        .union([z.literal('auto'), z.array(atLeastOne).min(1)])
        .default('auto')
        .meta({
          description:
            'Before which layers the model is cut, by their numbers in the names of tensors, such as [3, 6]; auto makes stages of about as much computing each'
        }),
      splitSize: z
        .union([z.literal('auto'), atLeastOne])
        .default('auto')
        .meta({
          description: 'Samples of a micro-batch, a divisor of batch; auto is four micro-batches a stage, or fewer'
        }),
      schedule: z.literal(['1f1b', 'gpipe']).default('1f1b').meta({
        description: '1f1b: backward as early as possible, with fewer micro-batches in memory; gpipe: first all forward'
      })
    })
    .optional()
    .meta({ description: 'How a model is cut, where the topology file has stages' }),
  store: storeSchema.optional().meta({
    description:
      'The store that parameter services share: memory, for a single service; redis://host:6379; or mysql://user@host:3306/database. The password is read from MURMUR_STORE_PASSWORD. Simulated services always share one, as fast as that kind of store was measured'
  }),
  timeout: waitingTime()
    .default(30_000)
    .meta({ description: 'How long a peer waits for its neighbours in a round; 1 h in scenarios' }),
  seed: whole.default(1).meta({ description: 'Equal seeds give equal results' }),
  ...removedFields({
    model: 'task: mlp, cnn, softmax, … in place of model',
    patience: 'timeout in place of patience, or stop: { patience: 3 }',
    agreement: 'consensusTolerance in place of agreement, in training files',
    epochs:
      'rounds: 400 in place of epochs; in a round each peer takes one step, so an epoch has samples / (peers × batch) rounds',
    momentum: 'optimiser: { name: sgd, momentum: 0.9 } in place of momentum',
    dataset: 'data: digits, or data: { path: ./samples.csv }, in place of dataset'
  }),
  ...insteadOf(['learningRate', 'learning_rate', 'lr'], 'rate: { initial: 0.1 }'),
  ...insteadOf(['batchSize', 'batch_size'], 'batch: 32')
}

/** The content of a training file. An empty file is valid. */
export const trainingSchema = z
  .strictObject({
    ...sharedFields,
    algorithm: algorithmSchema.prefault('dpsgd').meta({
      description:
        'How the peers learn: the name of an algorithm (murmur algorithms lists them), { name: dpsgd, its options } or { module: ./mine.js }'
    }),
    membership: membershipSchema.prefault({}),
    stop: stopSchema.optional(),
    consensusTolerance: z.number().gt(0).lt(1).default(1e-5).meta({
      description:
        'The fraction of the disagreement at the end of training that may remain after the final averaging rounds'
    })
  })
  .meta({ title: 'Murmuration training file' })

/** A training file, checked. */
export type TrainingFile = z.output<typeof trainingSchema>

/** A training file, checked and complete. */
export type Training = Omit<TrainingFile, 'rate'> & {
  readonly rate: TrainingFile['rate'] & { readonly initial: number; readonly warmup: number }
}

/** The task, and its data. Paths are absolute. */
export type LearningTask = Pick<Training, 'task' | 'data' | 'loss' | 'test' | 'partition' | 'dataSeed'> &
  // A saved model does not say on what it was trained.
  Partial<Pick<Training, 'backend'>>

/** The JSON Schema of training files, for editors. */
export function trainingJsonSchema(): unknown {
  return z.toJSONSchema(trainingSchema, { io: 'input', unrepresentable: 'any' })
}

/** The factor for the learning rate with so many peers. */
export function scaleOf({ scale: kind }: Pick<Training['rate'], 'scale'>, peers: number): number {
  if (kind === 'none') return 1
  return kind === 'peers' ? peers : 1 / peers
}

/**
 * Whether gradients are weighted per sample or per peer, for local data; `undefined` for data that are divided among
 * the peers.
 */
export function localWeights({ partition }: Pick<Training, 'partition'>): 'per-sample' | 'per-peer' | undefined {
  if (partition === 'local') return 'per-sample'
  return typeof partition === 'object' && 'local' in partition ? partition.local : undefined
}
