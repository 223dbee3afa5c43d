/** Parses training files, and applies the overrides of the command line. */
import { InputError, type Problem, problem, within } from '@murmuration/core'
import { type KnownSetName, knownSetNames, type PartitionDescription } from '@murmuration/data/peer'
import { nearest, parseYamlFile } from '@murmuration/files'
import { tfjsTaskModule } from '@murmuration/tfjs'
import { exists, folderOf, resolvePath as resolve } from '#platform'
import { choiceOf, loadAlgorithm, optionsOf } from './algorithm-choice.js'
import { completeRate } from './default-rate.js'
import { stopProblems } from './stop-choice.js'
import { taskChoiceOf, taskProblems, taskRecordOf } from './task-choice.js'
import { type LearningTask, type Training, type TrainingFile, trainingSchema } from './training-schema.js'

/** Values of the command line that replace those of the training file, and the number of peers if it is known. */
export interface TrainingOverrides {
  readonly peers?: number
  /** `digits`, the name of a known data set, or a folder, file or URL with data. */
  readonly data?: string
  /** `equal`, `label`, `dirichlet:ALPHA`, `local` or `local:per-peer`. */
  readonly partition?: string
  /** The kind of a task, or the path of a module with one. */
  readonly task?: string
  /** The name of an algorithm, or the path of a module with one. */
  readonly algorithm?: string
}

/** The training of a file's text, with overrides. Paths in it become absolute. */
export async function parseTrainingFile(
  text: string,
  file: string,
  overrides: TrainingOverrides = {}
): Promise<Training> {
  const parsed = parseYamlFile(text, file, trainingSchema)
  const training = completeTraining(override(absolute(parsed.value, folderOf(resolve(file))), overrides))
  const { algorithm } = training
  const { name } = await loadAlgorithm(algorithm)
  const options = optionsOf(algorithm)
  if (!options.ok) throw parsed.errorOf(within(['algorithm'], options.problems))
  const { membership } = training
  const problems = [
    ...(overrides.task === undefined ? learningProblems(training, parsed.plain) : []),
    ...rateProblems(training),
    ...within(['stop'], stopProblems(training.stop, training)),
    ...(overrides.peers === undefined ? [] : quorumProblems(membership, overrides.peers))
  ]
  if (problems.length > 0) throw parsed.errorOf(problems)
  const { module } = algorithm
  return { ...training, algorithm: { name, ...(module === undefined ? {} : { module }), ...options.value } }
}

/** `sgd momentum 0.9 nesterov`: options that are 0 or off are left out. */
export function optimiserText({ name, ...options }: Training['optimiser']): string {
  const shown = Object.entries(options).filter(([, value]) => value !== false && value !== 0 && value !== undefined)
  return [name, ...shown.map(([option, value]) => (value === true ? option : `${option} ${String(value)}`))].join(' ')
}

/** How the data are divided, for a task. */
export function partitionDescription({ partition }: Pick<Training, 'partition'>): PartitionDescription {
  if (typeof partition === 'string') return { kind: partition }
  return 'local' in partition ? { kind: 'local' } : { kind: 'dirichlet', alpha: partition.dirichlet }
}

/**
 * Problems of a task and its data that the schema cannot express: options that do not fit each other, and data for a
 * task that uses none.
 *
 * @param plain - the file as it was written
 */
export function learningProblems({ task }: LearningTask, plain: unknown): readonly Problem[] {
  const record = taskRecordOf(task)
  const unused = (keys: readonly string[], reason: string): readonly Problem[] =>
    keys
      .filter((key) => Object.hasOwn(Object(plain) as object, key))
      .map((key) => ({
        ...problem([key], `found ${key}, expected none: the task "${task.kind}" ${reason}`),
        at: 'key'
      }))
  return [
    ...taskProblems(task),
    ...(record?.learnsFromData === false
      ? unused(['data', 'test', 'partition', 'loss'], 'generates its own data')
      : []),
    ...(record === undefined || record.module === tfjsTaskModule
      ? []
      : unused(['backend'], 'does not compute with TensorFlow.js'))
  ]
}

/** Parts of a rate that lie beyond the last round: it would never be the one that the file names. */
export function rateProblems({
  rate,
  rounds
}: {
  readonly rate: Partial<Pick<Training['rate'], 'warmup' | 'decay'>>
  readonly rounds: number
}): readonly Problem[] {
  const { warmup = 0, decay } = rate
  const limit = `expected at most ${rounds}, the rounds of the run`
  const at = typeof decay === 'object' ? decay.at : []
  const late = at.flatMap((round, index) =>
    round > rounds ? [problem(['rate', 'decay', 'at', index], `found ${round}, ${limit}`)] : []
  )
  return [...(warmup > rounds ? [problem(['rate', 'warmup'], `found ${warmup}, ${limit}`)] : []), ...late]
}

/** A quorum of more peers than there are would never begin. */
export function quorumProblems(membership: Partial<Training['membership']>, peers: number): readonly Problem[] {
  const { quorum = 1 } = membership
  if (quorum <= peers) return []
  return [problem(['membership', 'quorum'], `found ${quorum}, expected at most ${peers}, the number of peers`)]
}

/** Paths in a file are relative to its folder. */
function absolute(training: TrainingFile, directory: string): TrainingFile {
  const { algorithm } = training
  return {
    ...absolutePaths(training, directory),
    algorithm:
      algorithm.module === undefined ? algorithm : { ...algorithm, module: resolve(directory, algorithm.module) }
  }
}

/** The task and its data, with absolute paths. */
export function absolutePaths<Learning extends Pick<Training, 'task' | 'data' | 'test'>>(
  learning: Learning,
  directory: string
): Learning {
  const { task, data, test } = learning
  return {
    ...learning,
    task: task.module === undefined ? task : { ...task, module: resolve(directory, task.module) },
    data: typeof data === 'object' && 'path' in data ? { ...data, path: resolvePaths(directory, data.path) } : data,
    test: typeof test === 'object' ? { ...test, path: resolvePaths(directory, test.path) } : test
  }
}

/** Paths on the command line are relative to the current folder. */
/** A file with the rate of its task, unless it gives one. */
export function completeTraining(training: TrainingFile): Training {
  return { ...training, rate: completeRate(training.rate, training) }
}

function override(training: TrainingFile, { algorithm, data, partition, task }: TrainingOverrides): TrainingFile {
  return {
    ...training,
    ...(algorithm === undefined ? {} : { algorithm: choiceOf(algorithm) }),
    ...(task === undefined ? {} : { task: taskChoiceOf(task) }),
    ...(data === undefined ? {} : { data: dataOf(data, training.data) }),
    ...(partition === undefined ? {} : { partition: partitionOf(partition) })
  }
}

/**
 * Data on the command line. The file gives the checksums that downloads need, and the columns that are read of tables.
 * Throws an InputError for an unknown name.
 */
export function dataOf(text: string, inFile: Training['data']): Training['data'] {
  if (text === 'digits' || text === 'gaussians' || text === 'sentences' || isKnownSet(text)) return text
  // The reader of the data reports what is wrong with a path.
  if (/^[\w-]+$/.test(text) && !exists(text)) {
    const words = ['digits', 'gaussians', 'sentences', ...knownSetNames]
    throw new InputError(
      `--data ${text}: found no such file or folder, expected one of ${words.join(', ')}, or a folder, file or URL with data${nearest(text, words)}`
    )
  }
  if (text === '')
    throw new InputError('--data: found an empty text, expected a name, or a folder, file or URL with data')
  const path = resolvePath('.', text)
  if (typeof inFile !== 'object' || !('path' in inFile)) return { path }
  const { sha256, size, target, ignore, scale } = inFile
  return {
    path,
    ...(isUrl(text) && sha256 && { sha256 }),
    ...(size && { size }),
    ...(target && { target }),
    ...(ignore && { ignore }),
    ...(scale && { scale })
  }
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

/**
 * Parses `equal`, `label`, `dirichlet:ALPHA`, `local` or `local:per-peer`. Throws an InputError for anything else.
 */
export function partitionOf(text: string): Training['partition'] {
  if (text === 'equal' || text === 'label' || text === 'local') return text
  if (text === 'local:per-peer') return { local: 'per-peer' }
  const alpha = Number(/^dirichlet:(.+)$/.exec(text)?.[1])
  if (alpha > 0 && alpha < Infinity) return { dirichlet: alpha }
  throw new InputError(
    `--partition: found "${text}", expected equal, label, dirichlet:ALPHA with ALPHA above 0, local or local:per-peer`
  )
}
