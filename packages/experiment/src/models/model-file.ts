/** A trained model as a file: its tensors, and the facts that are necessary to use them. */
import { type Evaluation, InputError, type ModelSignature, type Schema, type Task } from '@murmuration/core'
import {
  decodeSafetensorsHeader,
  encodeSafetensors,
  type NamedTensor,
  pack,
  safetensorsHeaderLength,
  safetensorsLengthBytes,
  tensorsIn,
  tensorsOf,
  valuesOf
} from '@murmuration/vectors'
import * as z from 'zod'
import type { RunPlan } from '../training/plan.js'
import { checksums, type LearningTask, trainingSchema } from '../training/training-schema.js'

const format = 'murmuration-model/1'

/** The origin of a model. */
export interface ModelFacts {
  /** What it learned, and from which data. */
  readonly learning: LearningTask
  /** The peers that the data were divided among, and the seed of the draws: they determine the test split. */
  readonly peers: readonly string[]
  readonly seed: number
  readonly algorithm: string
  readonly rounds: number
  /** Of all peers together, or of the one that the model belongs to. */
  readonly samples: number
  /** The task's description of itself: model, data, preprocessing. */
  readonly about: Readonly<Record<string, string>>
  /** Its inputs and outputs; absent if the task is not a function of samples. */
  readonly signature?: ModelSignature | undefined
  /** On the test set, when it was saved; absent if the run was stopped earlier. */
  readonly evaluation?: Evaluation | undefined
}

/** A model that was read. */
export interface LoadedModel {
  readonly facts: ModelFacts
  /** In the order of the file, which need not be that of the model: other libraries sort tensors. */
  readonly tensors: readonly NamedTensor[]
  /** The memory of the tensors, in the same order. */
  readonly parameters: Float32Array
}

const count = z.int().min(0)
/** The saved form; in training files a fraction is text. */
const testSchema = z.union([
  z.number().min(0).lt(1),
  z.object({
    path: z.union([z.string(), z.array(z.string())]),
    sha256: checksums.optional(),
    size: z.int().min(1).optional(),
    target: z.string().optional(),
    ignore: z.array(z.string()).optional()
  })
])
/** The maximum number of values per sample, so that a damaged file cannot request too much memory. */
const maxSampleSize = 2 ** 24
const shape = z
  .array(z.int().min(1))
  .max(8)
  .refine(
    (extents) => extents.reduce((size, extent) => size * extent, 1) <= maxSampleSize,
    'at most 2^24 numbers per sample'
  )
const scaleSchema = z.object({ means: z.array(z.number()), deviations: z.array(z.number().positive()) })
const signatureSchema = z
  .object({
    inputShape: shape,
    targetShape: shape,
    classes: z.int().min(1).optional(),
    classNames: z.array(z.string()).optional(),
    preprocessing: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('image') }),
      z.object({ kind: z.literal('numbers'), names: z.array(z.string()).optional(), scale: scaleSchema.optional() }),
      z.object({ kind: z.literal('text') })
    ])
  })
  .refine(scalesAllColumns, 'a mean and a deviation for each column')
const factsSchema = z.object({
  learning: z.looseObject({ test: testSchema }),
  peers: z.array(z.string()).min(1),
  seed: count,
  algorithm: z.string(),
  rounds: count,
  samples: count,
  about: z.record(z.string(), z.string()),
  signature: signatureSchema.optional(),
  evaluation: z
    .object({ loss: z.number(), accuracy: z.number().optional(), perplexity: z.number().optional() })
    .optional()
})

function scalesAllColumns({ inputShape, preprocessing }: ModelSignature): boolean {
  if (preprocessing.kind !== 'numbers' || preprocessing.scale === undefined) return true
  const { means, deviations } = preprocessing.scale
  return means.length === inputShape[0] && deviations.length === inputShape[0]
}

/** The facts of a run's model. */
export function factsOfRun(
  { training, file, options, algorithm }: RunPlan,
  of: Pick<ModelFacts, 'samples' | 'about' | 'signature' | 'evaluation'>
): ModelFacts {
  const { task, data, loss, test, partition, dataSeed } = training
  const learning = { task, data, loss, test, partition, dataSeed }
  return { learning, peers: file.topology.peers, seed: options.seed, algorithm, rounds: options.rounds, ...of }
}

/** The task's facts about the model that it learned. */
export function learned({ about, signature }: Pick<Task, 'about' | 'signature'>) {
  return { about, ...(signature === undefined ? {} : { signature }) }
}

/** A model as the parts of a safetensors file, with the facts in its metadata. */
export function modelFile(schema: Schema, parameters: Float32Array, facts: ModelFacts): readonly Uint8Array[] {
  return encodeSafetensors(tensorsOf(schema, parameters), { format, facts: JSON.stringify(facts) })
}

/** Reads a model from the bytes of its file. Throws an InputError for anything else. */
export function modelIn(bytes: Uint8Array): LoadedModel {
  const start = safetensorsLengthBytes
  const end = start + safetensorsHeaderLength(bytes.subarray(0, start), bytes.byteLength)
  const header = decodeSafetensorsHeader(bytes.subarray(start, end), bytes.byteLength)
  const data = bytes.slice(end, end + header.dataBytes)
  return {
    facts: factsIn(header.metadata),
    tensors: tensorsIn(data, header),
    parameters: new Float32Array(data.buffer)
  }
}

/** The facts in the metadata of a model. Throws an InputError for a file that holds no model. */
export function factsIn(metadata: Readonly<Record<string, string>>): ModelFacts {
  if (metadata.format !== format)
    throw new InputError(`found format "${metadata.format ?? 'none'}", expected "${format}", which --save writes`)
  const facts = factsSchema.safeParse(JSON.parse(metadata.facts ?? 'null'))
  if (!facts.success) throw new InputError(`the facts of the model are damaged: ${z.prettifyError(facts.error)}`)
  const { test, ...rest } = facts.data.learning
  const learning = trainingSchema.safeParse(rest)
  if (!learning.success) throw new InputError(`the task of the model is damaged: ${z.prettifyError(learning.error)}`)
  const { task, data, loss, partition, dataSeed } = learning.data
  return { ...facts.data, learning: { task, data, loss, test, partition, dataSeed } }
}

/**
 * The parameters of a model in the order of a task's schema; copied only where the file has another. Throws an
 * InputError unless its tensors are those of the task.
 */
export function parametersFor(path: string, { tensors, parameters }: LoadedModel, schema: Schema): Float32Array {
  try {
    const values = valuesOf(schema, tensors)
    return tensors.every((tensor, index) => tensor.values === values[index]) ? parameters : pack(schema, values)
  } catch (error) {
    throw ofModel(path, error)
  }
}

/** An InputError about a model, with the path of its file. */
export function ofModel(path: string, error: unknown): unknown {
  return error instanceof InputError ? new InputError(`${path}: ${error.message}`) : error
}
