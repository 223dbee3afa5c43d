import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { optimiserSettings, optimisers } from '@murmuration/algorithms'
import { InputError, within } from '@murmuration/core'
import { type KnownSetName, knownSetNames, type PartitionDescription } from '@murmuration/data'
import { duration, nearest, parseYamlFile, readText, share } from '@murmuration/files'
import { codecWords, expectedParameter, isCodec } from '@murmuration/vectors'
import { z } from 'zod'
import { algorithmSchema, choiceOf, inputJson, loadAlgorithm, optionsOf } from './algorithm-choice.js'

const positive = z.number().positive()
const whole = z.int().min(0)
const atLeastOne = z.int().min(1)

const model = z.union([
  z.literal(['mlp', 'cnn', 'softmax']),
  z.strictObject({ kind: z.literal('mlp'), hidden: z.array(atLeastOne).min(1) }),
  z.strictObject({ module: z.string().min(1), options: z.json().optional() })
])

const path = z.string().min(1)
const checksums = z.record(z.string(), z.string())

const data = z.union([
  z.literal(['digits', ...knownSetNames]),
  z.strictObject({ digits: z.int().min(100).max(1e6) }),
  z.strictObject({ path: z.union([path, z.array(path).min(1)]), sha256: checksums.optional() })
])

const dirichlet = z.strictObject({ dirichlet: positive })

/** How one data set is divided among the peers. */
export const sharedPartition = z.union([z.literal(['equal', 'label']), dirichlet])

const partition = z.union([
  z.literal(['equal', 'label', 'local']),
  dirichlet,
  z.strictObject({ local: z.literal(['per-sample', 'per-peer']) })
])

/** The fraction of the samples that is held back for testing. */
export const testShare = share().refine((test) => test > 0 && test < 1, 'more than 0 % and less than 100 %')

const test = z.union([testShare, z.strictObject({ path: z.union([path, z.array(path).min(1)]), sha256: checksums })])

const decay = z.union([
  z.literal(['constant', 'cosine']),
  z.strictObject({ at: z.array(atLeastOne).min(1), factor: positive })
])

const optimiserNames = optimisers.map(({ name }) => name) as [string, ...string[]]

/** The form of vectors on the links: a codec's name, or `auto`. */
export const codecSchema = z.string().superRefine((name, context) => {
  const words = [...codecWords, 'auto']
  if (name === 'auto' || isCodec(name)) return
  const message = expectedParameter(name) ?? `one of ${words.join(', ')}${nearest(name, words)}`
  context.addIssue({ code: 'custom', message })
})

/** `optimiser:` in files: a name, or a mapping with a name and options. */
export const optimiserSchema = z
  .union([z.enum(optimiserNames).transform((name) => ({ name })), z.looseObject({})])
  .pipe(optimiserSettings)
  .meta(inputJson(z.union([z.enum(optimiserNames), optimiserSettings])))

/** What a training file may hold. Everything has a default, so that an empty file is a training. */
export const trainingSchema = z.strictObject({
  model: model.default('mlp').meta({ description: 'What is learned: mlp, cnn, softmax, or { module: ./my-task.js }' }),
  data: data.default('digits').meta({
    description: `digits (drawn, embedded), ${knownSetNames.join(', ')} (fetched) or { path: folder, file or URL }`
  }),
  loss: z
    .literal(['cross-entropy', 'mean-squared-error'])
    .default('cross-entropy')
    .meta({ description: 'cross-entropy learns classes, mean-squared-error numbers' }),
  test: test.default(0.2).meta({
    description:
      'The share of the samples that is held back for testing, or a test set: { path, sha256: { file: hex } }'
  }),
  partition: partition.default('equal').meta({
    description:
      'How the samples are shared out: equal, label, { dirichlet: alpha }; or local, all samples of a machine are its own'
  }),
  algorithm: algorithmSchema.prefault('dpsgd').meta({
    description:
      'How: the name of an algorithm (murmur algorithms lists them), { name: dpsgd, its options } or { module: ./mine.js }'
  }),
  batch: atLeastOne.max(1e6).default(32).meta({ description: 'Samples per peer and gradient' }),
  accumulate: atLeastOne.max(1e4).default(1).meta({ description: 'How many batches a gradient is the mean of' }),
  optimiser: optimiserSchema
    .prefault({ name: 'sgd', momentum: 0.9 })
    .meta({ description: 'What a step makes of a gradient: sgd, adam or adamw, or { name: sgd, momentum: 0.9 }' }),
  weightDecay: z
    .number()
    .min(0)
    .default(1e-4)
    .meta({ description: 'Times the parameters, added to the gradient. Of adamw see its decay' }),
  clip: positive.optional().meta({ description: 'The longest gradient; longer ones are scaled down to it' }),
  rate: z
    .strictObject({ initial: positive.default(0.1), warmup: whole.default(0), decay: decay.default('cosine') })
    .prefault({})
    .meta({ description: 'The learning rate' }),
  rounds: atLeastOne.max(1e9).default(400).meta({ description: 'Rounds of training; one step per peer each' }),
  agreement: z.number().gt(0).lt(1).default(1e-5).meta({
    description: 'The share of the disagreement at the end of training that the closing rounds of averaging may leave'
  }),
  codec: codecSchema.default('float32').meta({
    description: `How vectors are written on the links: ${codecWords.join(', ')}, or auto, by the measured speed of each link`
  }),
  patience: duration().default(30_000).meta({ description: 'How long a peer waits for its neighbours in a round' }),
  seed: whole.default(1)
})

/** A training file, checked and complete. */
export type Training = z.output<typeof trainingSchema>

/** What the command line sets in place of the training file. */
export interface TrainingOverrides {
  /** `digits`, the name of a known data set, or a folder, file or URL with data. */
  readonly data?: string
  /** `equal`, `label`, `dirichlet:ALPHA`, `local` or `local:per-peer`. */
  readonly partition?: string
  /** The module of a task that the user wrote. */
  readonly task?: string
  /** The name of an algorithm, or the path of a module with one. */
  readonly algorithm?: string
}

/** The training that runs when no file is given. */
const defaultFile = fileURLToPath(new URL('../../training/digits.yaml', import.meta.url))

/** Reads a training file (the embedded default without `path`) and applies overrides. Paths come out absolute. */
export async function readTrainingFile(path: string | undefined, overrides: TrainingOverrides = {}): Promise<Training> {
  const file = path ?? defaultFile
  return parseTrainingFile(await readText(file), file, overrides)
}

/** As {@link readTrainingFile}, of a file's text. */
export async function parseTrainingFile(
  text: string,
  file: string,
  overrides: TrainingOverrides = {}
): Promise<Training> {
  const parsed = parseYamlFile(text, file, trainingSchema)
  const training = override(absolute(parsed.value, dirname(resolve(file))), overrides)
  const { algorithm } = training
  const { name } = await loadAlgorithm(algorithm)
  const options = optionsOf(algorithm)
  if (!options.ok) throw parsed.errorOf(within(['algorithm'], options.problems))
  const { module } = algorithm
  return { ...training, algorithm: { name, ...(module === undefined ? {} : { module }), ...options.value } }
}

/** `sgd momentum 0.9 nesterov`: what is 0 or off is left out. */
export function optimiserText({ name, ...options }: Training['optimiser']): string {
  const shown = Object.entries(options).filter(([, value]) => value !== false && value !== 0 && value !== undefined)
  return [name, ...shown.map(([option, value]) => (value === true ? option : `${option} ${String(value)}`))].join(' ')
}

/** Whether every peer's gradient counts alike, or every sample's; `undefined` where data is shared out. */
export function localWeights({ partition }: Pick<Training, 'partition'>): 'per-sample' | 'per-peer' | undefined {
  if (partition === 'local') return 'per-sample'
  return typeof partition === 'object' && 'local' in partition ? partition.local : undefined
}

/** How the data is shared out, for a task. */
export function partitionDescription({ partition }: Pick<Training, 'partition'>): PartitionDescription {
  if (typeof partition === 'string') return { kind: partition }
  return 'local' in partition ? { kind: 'local' } : { kind: 'dirichlet', alpha: partition.dirichlet }
}

/** The JSON Schema of training files, for editors. */
export function trainingJsonSchema(): unknown {
  return z.toJSONSchema(trainingSchema, { io: 'input', unrepresentable: 'any' })
}

/** Paths in a file are meant from where the file is. */
function absolute(training: Training, directory: string): Training {
  const { algorithm } = training
  return {
    ...training,
    algorithm:
      algorithm.module === undefined ? algorithm : { ...algorithm, module: resolve(directory, algorithm.module) },
    ...absolutePaths(training, directory)
  }
}

/** What is learned, from which data, with absolute paths. */
export function absolutePaths(
  { model, data, test }: Pick<Training, 'model' | 'data' | 'test'>,
  directory: string
): Pick<Training, 'model' | 'data' | 'test'> {
  return {
    model:
      typeof model === 'object' && 'module' in model ? { ...model, module: resolve(directory, model.module) } : model,
    data: typeof data === 'object' && 'path' in data ? { ...data, path: resolvePaths(directory, data.path) } : data,
    test: typeof test === 'object' ? { ...test, path: resolvePaths(directory, test.path) } : test
  }
}

/** Paths on the command line are meant from where the command is run. */
function override(training: Training, { algorithm, data, partition, task }: TrainingOverrides): Training {
  return {
    ...training,
    ...(algorithm === undefined ? {} : { algorithm: choiceOf(algorithm) }),
    ...(task === undefined ? {} : { model: { module: resolve(task) } }),
    ...(data === undefined ? {} : { data: dataOf(data, training.data) }),
    ...(partition === undefined ? {} : { partition: partitionOf(partition) })
  }
}

/** What is fetched needs checksums, which only the file can give. */
function dataOf(text: string, inFile: Training['data']): Training['data'] {
  if (text === 'digits' || isKnownSet(text)) return text
  const path = resolvePath('.', text)
  const sha256 = isUrl(text) && typeof inFile === 'object' && 'path' in inFile ? inFile.sha256 : undefined
  return sha256 === undefined ? { path } : { path, sha256 }
}

function isKnownSet(text: string): text is KnownSetName {
  return knownSetNames.some((name) => name === text)
}

function resolvePaths(directory: string, paths: string | readonly string[]): string | string[] {
  return typeof paths === 'string' ? resolvePath(directory, paths) : paths.map((each) => resolvePath(directory, each))
}

function resolvePath(directory: string, path: string): string {
  return isUrl(path) ? path : resolve(directory, path)
}

function isUrl(path: string): boolean {
  return /^https?:\/\//.test(path)
}

function partitionOf(text: string): Training['partition'] {
  if (text === 'equal' || text === 'label' || text === 'local') return text
  if (text === 'local:per-peer') return { local: 'per-peer' }
  const alpha = Number(/^dirichlet:(.+)$/.exec(text)?.[1])
  if (alpha > 0 && alpha < Infinity) return { dirichlet: alpha }
  throw new InputError(
    `--partition: found "${text}", expected equal, label, dirichlet:ALPHA with ALPHA above 0, local or local:per-peer`
  )
}
