import type { Problem } from '@murmuration/core'
import type { DataDescription, DataTraits, LocalDataOptions } from '@murmuration/data'
import type { z } from 'zod'
import type { TaskSet } from './task-set.js'

/** A kind of task, as files name it. A new one is a file with a record, the module that builds it, and a line in registry.ts. */
export interface TaskRecord<Options = never> {
  readonly kind: string
  /** What it is, in a sentence. */
  readonly description: string
  /** What may stand beside `kind` in a file. */
  readonly options: z.ZodObject
  /** False when it draws what it learns itself: a file then has no `data`, `test`, `partition` or `loss`. */
  readonly learnsFromData: boolean
  /** The only data that it can learn from; any when absent. */
  readonly needs?: Partial<DataTraits>
  /** Whether a batch touches a few rows of the parameters, as algorithms with keyed rows need it. */
  readonly hasRows?: boolean
  /** The rate that `murmur init` writes; the default of files when absent. */
  readonly firstRate?: number
  /** The URL of the module whose `createTask` builds it, in a thread of its own. */
  readonly module: string
  /** What `createTask` is given: for `localData.self`, or for the union of all peers without. JSON. */
  given(options: Options, localData: LocalDataOptions): unknown
  /** The tasks of all peers over one copy of the data. Without it a task is built for each. */
  taskSet?(options: Options, localData: LocalDataOptions): Promise<TaskSet>
  /**
   * The learned function as a network, to use and to export it: a model of `@murmuration/tfjs` as JSON, and its parameters. Of a class each it gives logits.
   * Absent where the task is no function of samples.
   */
  network?(options: Options, parameters: Float32Array): Network
  /** How many parameters there are, where that is known before data is read. */
  parameters?(options: Options, data: DataDescription): number | undefined
  /** What the schema of the options cannot say. Paths begin within the options. */
  problems?(options: Options): readonly Problem[]
}

/** A network as data. */
export interface Network {
  readonly model: unknown
  readonly parameters: Float32Array
}

/** A record whose options have the types of their schema. */
export function taskRecord<Schema extends z.ZodObject>(
  record: TaskRecord<z.output<Schema>> & { readonly options: Schema }
): TaskRecord {
  return record
}
