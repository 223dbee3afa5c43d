import {
  DivergedError,
  type DualOptions,
  type DualStep,
  type Evaluation,
  InputError,
  InvariantError,
  messageOf,
  type ModelSignature,
  type Schema,
  type StagePass,
  type StageWorks,
  type Task,
  type TaskPart
} from '@murmuration/core'
import type { ProvidedFile } from '@murmuration/data'

/**
 * The messages between a task's thread and its owner. Where threads share memory, they contain no vectors: the owner
 * says where the parameters are, or first writes them to memory that both see; the thread writes the result there
 * before it answers. Elsewhere, as in most pages, the memory of a copy is handed over with the message.
 */

/** What the thread receives at its start. */
export interface WorkerStart {
  readonly module: string
  readonly options: unknown
  readonly userModule?: string
  /** For a page's thread, which has no disk. */
  readonly files?: readonly ProvidedFile[]
}

/** The thread's first message. */
export interface WorkerReady {
  readonly kind: 'ready'
  readonly schema: Schema
  readonly samples: number
  readonly about: Readonly<Record<string, string>>
  readonly fingerprints: Readonly<Record<string, string>>
  readonly signature: ModelSignature | undefined
  readonly constantAnswer: Task['constantAnswer']
  readonly mustAnswerBeforeEnd: boolean
  /** Whether it generates texts. */
  readonly generates: boolean
  /** The width of its dual; undefined where it has none. */
  readonly dualWidth: number | undefined
  /** Where the model may be cut, if it may. */
  readonly parts: readonly TaskPart[] | undefined
  /** Samples of an evaluation, and of initialising, for the cost model. */
  readonly evaluateSamples: number
  readonly initialiseSamples: number
  readonly memory: WorkerMemory | undefined
}

/** Shared memory for float32 parameters that lie elsewhere, and for the gradient or initial parameters. */
export interface WorkerMemory {
  readonly parameters: ArrayBufferLike
  readonly result: ArrayBufferLike
}

/** A stage that the thread computes from now on. */
export interface StageFacts extends Pick<StageWorks, 'inputs' | 'outputs' | 'targets' | 'isFirst' | 'isLast'> {
  readonly schema: Schema
  readonly memory: WorkerMemory | undefined
}

/** A vector in memory that both threads see, or that is handed over. */
export interface VectorPlace {
  readonly buffer: ArrayBufferLike
  /** In bytes. */
  readonly offset: number
  readonly length: number
}

/** The owner's requests, one at a time. */
export type WorkerRequest =
  | { readonly kind: 'initialise'; readonly seed: number }
  | { readonly kind: 'gradient'; readonly at: VectorPlace; readonly batch: Uint32Array; readonly round: number }
  | {
      readonly kind: 'dual'
      readonly at: VectorPlace
      readonly a: Float32Array
      readonly order: Uint32Array
      readonly options: DualOptions | undefined
    }
  | { readonly kind: 'evaluate'; readonly at: VectorPlace }
  | { readonly kind: 'generate'; readonly at: VectorPlace; readonly seed: number }
  | { readonly kind: 'weigh'; readonly factor: number }
  | { readonly kind: 'stage'; readonly from: number; readonly to: number }
  | { readonly kind: 'take'; readonly samples: Uint32Array }
  | ({ readonly kind: 'forward' } & PassRequest)
  | ({ readonly kind: 'backward'; readonly outputs: Float32Array | undefined } & PassRequest)

/** A pass of a micro-batch. Activations are copied: they are as long as a few samples. */
export interface PassRequest {
  readonly at: VectorPlace
  readonly microBatch: Float32Array
  readonly pass: StagePass
}

/** The vector of an answer, where it is not in shared memory. */
interface WithVector {
  readonly vector?: Float32Array<ArrayBuffer>
}

/** The thread's answers. */
export type WorkerAnswer =
  | ({ readonly kind: 'initialise' } & WithVector)
  | ({ readonly kind: 'gradient'; readonly loss: number } & WithVector)
  | ({ readonly kind: 'dual' } & Omit<DualStep, 'vector'> & WithVector)
  | { readonly kind: 'evaluate'; readonly evaluation: Evaluation }
  | { readonly kind: 'generate'; readonly text: string }
  | { readonly kind: 'weigh' }
  | { readonly kind: 'stage'; readonly stage: StageFacts }
  | { readonly kind: 'take'; readonly microBatch: Float32Array }
  | { readonly kind: 'forward'; readonly microBatch: Float32Array }
  | ({ readonly kind: 'backward'; readonly loss: number; readonly inputs: Float32Array } & WithVector)
  | WorkerFailure

/** Something was thrown in the thread. */
export interface WorkerFailure {
  readonly kind: 'failure'
  readonly name: string
  readonly message: string
  readonly stack?: string
}

/** Any message of the thread. */
export type WorkerMessage = WorkerReady | WorkerAnswer

const errorTypes = { InputError, DivergedError, InvariantError } as const

/** An error as a message: structured cloning loses the class of errors. */
export function failureOf(thrown: unknown): WorkerFailure {
  const { name, stack } = thrown instanceof Error ? thrown : { name: 'Error', stack: undefined }
  return { kind: 'failure', name, message: messageOf(thrown), stack }
}

/** The error of a {@link failureOf} message, with its class if it is one of Murmuration's. */
export function errorOf({ name, message, stack }: WorkerFailure): Error {
  const error = isKnown(name) ? new errorTypes[name](message) : Object.assign(new Error(message), { name })
  if (stack !== undefined) error.stack = stack
  return error
}

function isKnown(name: string): name is keyof typeof errorTypes {
  return Object.hasOwn(errorTypes, name)
}
