import type { Problem } from '@murmuration/core'
import type { DataDescription, DataTraits, LocalDataOptions } from '@murmuration/data'
import type { NamedTensor } from '@murmuration/vectors'
import type * as z from 'zod'
import type { TaskSet } from './task-set.js'

/**
 * A kind of task, as files name it. A new kind is a file with a record, the module that builds it, and a line in
 * registry.ts.
 */
export interface TaskRecord<Options = never> {
  readonly kind: string
  /** Its description, in a sentence. */
  readonly description: string
  /** The options next to `kind` in a file. */
  readonly options: z.ZodObject
  /** False when it draws its own data: a file then has no `data`, `test`, `partition` or `loss`. */
  readonly learnsFromData: boolean
  /** The only data that it can learn from; any when absent. */
  readonly needs?: Partial<DataTraits>
  /** Whether a batch touches a few rows of the parameters, which algorithms with keyed rows require. */
  readonly hasRows?: boolean
  /** Whether its loss has a dual with these options, which algorithms of dual ascent require; not when absent. */
  hasDual?(options: Options, weightDecay: number): boolean
  /** Whether the task has a kernel with these options, and so no gradient. */
  hasKernel?(options: Options): boolean
  /**
   * The learning rate of files that give none, for SGD with momentum 0.9: a step stays stable while the rate is below
   * 2 (1 + 0.9) / L, with L the curvature of the loss (Polyak 1964), which grows with the squares of the inputs.
   */
  readonly rate: number
  /** The same for samples of at most 28 × 28 numbers from 0 to 1, of which many are 0; `rate` when absent. */
  readonly rateOfSmall?: number
  /** The URL of the module whose `createTask` builds it, in a thread of its own. */
  readonly module: string
  /** The options of `createTask`: for `localData.self`, or for the union of all peers without. JSON. */
  given(options: Options, localData: LocalDataOptions): unknown
  /** The tasks of all peers over one copy of the data. When absent, a task is built for each. */
  taskSet?(options: Options, localData: LocalDataOptions): Promise<TaskSet>
  /**
   * The learned function as a network, for use and export: a model of `@murmuration/tfjs` as JSON, and its tensors,
   * made from those of the task by name. For classes it gives one logit each. Absent where the task is no function of
   * samples.
   */
  network?(options: Options, tensors: readonly NamedTensor[], origin?: NetworkOrigin): Network
  /** The number of parameters, where it is known before data is read. */
  parameters?(options: Options, data: DataDescription): number | undefined
  /** Problems that the schema of the options cannot express. Paths begin within the options. */
  problems?(options: Options): readonly Problem[]
}

/** Where the tensors of a network come from. */
export interface NetworkOrigin {
  /** How many numbers the input of a sample has. */
  readonly inputs: number
  /** The seed of the data. */
  readonly seed: number
}

/** A network as data. */
export interface Network {
  readonly model: unknown
  readonly tensors: readonly NamedTensor[]
}

/** A record whose options have the types of their schema. */
export function taskRecord<Schema extends z.ZodObject>(
  record: TaskRecord<z.output<Schema>> & { readonly options: Schema }
): TaskRecord {
  return record
}
