import type { Work } from './fabric.js'

/** One tensor of a model within the flat parameter vector. */
export interface TensorSchema {
  readonly name: string
  readonly shape: readonly number[]
  /** What the numbers are where descent does not train them. */
  readonly kind?: UntrainedKind
  /**
   * `m` of a statistic, 0 … 1: a step gives `m · x + (1 − m) · b`, with `x` the parameters that the step is taken from and `b`
   * the value that the batch gives.
   */
  readonly momentum?: number
}

/** 'frozen' never changes; a 'statistic', such as a moving mean, follows the batches and is averaged, but not descended. */
export type UntrainedKind = 'frozen' | 'statistic'

/** The tensors of a model in the order in which they lie in the flat vector, one after the other without gaps. */
export type Schema = readonly TensorSchema[]

/** The mean loss over a batch and its gradient. */
export interface Gradient {
  readonly loss: number
  /**
   * As long as the parameters; 0 for frozen tensors, and for statistics the values that the batch gives. Valid until the
   * task's next gradient: copy it to keep it.
   */
  readonly vector: Float32Array
}

/** How good parameters are on the test set. */
export interface Evaluation {
  readonly loss: number
  /** The fraction of samples classified rightly, 0 … 1; absent when the task does not classify. */
  readonly accuracy?: number
  /** e to the loss: among how many characters, all as probable, the next one would be as hard to tell. Where the task learns texts. */
  readonly perplexity?: number
  /** What else the field measures, by its name, such as `mrr`. */
  readonly measures?: Readonly<Record<string, number>>
}

/** What was done to the samples before the model saw them, and is to be done to what it is used on. JSON. */
export type Preprocessing =
  /**
   * Pictures: colours as the model has channels (one channel is 0.299 R + 0.587 G + 0.114 B, transparency is left out), scaled to the model's height
   * and width by the mean of the pixels that each new one covers, and divided by 255.
   */
  | { readonly kind: 'image' }
  /** Numbers, taken as they are; with the names of the columns where they have some, in the order of the model's input. */
  | { readonly kind: 'numbers'; readonly names?: readonly string[] | undefined }
  /** A text in UTF-8: each character counts as its place among the signature's `classNames`. */
  | { readonly kind: 'text' }

/** What a model takes and gives: what one has to know to use it without the data that it learned from. JSON. */
export interface ModelSignature {
  /** The shape of one sample's input; `[28, 28, 1]` for a picture of 28 × 28 pixels. */
  readonly inputShape: readonly number[]
  /** The shape of one sample's target; empty for one class or one number. */
  readonly targetShape: readonly number[]
  /** How many classes there are; absent when numbers are learned. */
  readonly classes?: number | undefined
  /** What the classes are called, where they are words. */
  readonly classNames?: readonly string[] | undefined
  readonly preprocessing: Preprocessing
}

/**
 * Parameters as keyed rows, of which a batch touches a few: the row of a key, 0, 1, …, is the numbers from `key · width` on of the flat
 * vector, which has `count · width`. Keys are distinct and ascending wherever several stand together.
 */
export interface TaskRows {
  readonly count: number
  readonly width: number
  /**
   * The keys that the loss over these samples depends on.
   *
   * @param round - what seeds the draws of a task that draws anew in every round, such as negative samples; 0 when absent
   */
  keysOf(batch: Uint32Array, round?: number): Uint32Array
  /**
   * The mean loss over the samples of `batch`; its gradient goes into `out`.
   *
   * @param keys - what `keysOf(batch, round)` gives
   * @param rows - of these keys, one after the other; read at once
   * @param out - as long as `rows`; the gradient of the same rows
   */
  gradient(rows: Float32Array, keys: Uint32Array, batch: Uint32Array, out: Float32Array, round?: number): Work<number>
  /**
   * Which of `blocks` a sample is in, 0 … blocks − 1. Samples of two peers in different blocks touch no key in common, so that each peer can have
   * a block for itself (parameter blocking: Gemulla et al., KDD 2011). Absent where there are no such blocks.
   */
  blockOf?(sample: number, blocks: number): number
}

/** What is learned: parameters as one flat float32 vector, the gradient on a batch, the evaluation; and its part of the data. */
export interface Task {
  readonly schema: Schema
  /** How many samples its part of the data has, at least 1. */
  readonly samples: number
  /** Facts that a user wants to read once at the start: the data, the model, the backend and why it was chosen. */
  readonly about: Readonly<Record<string, string>>
  /**
   * What must be the same on all peers though no setting says it, by its name: such as a checksum of the data that all divide.
   * Peers compare it when they connect.
   */
  readonly fingerprints?: Readonly<Record<string, string>>
  /** What the model takes and gives; absent where the task is no function of samples. */
  readonly signature?: ModelSignature | undefined
  /** The parameters to start from. The same seed gives the same bits on every peer. */
  initialise(seed: number): Work<Float32Array>
  /**
   * The gradient at `parameters` of the mean loss over the samples that `batch` numbers (each below `samples`).
   *
   * @param round - what seeds the draws of a model that draws anew in every step, such as dropout: another number in every round, and for every batch of one; 0
   *   when absent
   */
  gradient(parameters: Float32Array, batch: Uint32Array, round?: number): Work<Gradient>
  /** Loss and accuracy of `parameters` on the test set, which is the same for all peers. */
  evaluate(parameters: Float32Array): Work<Evaluation>
  /** A text that the model writes, a few lines, for people to look at: the same seed, the same text. Absent where no text is learned. */
  generate?(parameters: Float32Array, seed: number): Work<string>
  /** Where a batch touches a few rows of the parameters; absent where it touches all. */
  readonly rows?: TaskRows | undefined
}

/**
 * A task described by data: the module that builds it and the options to build it with. Any thread can build it, which a
 * closure would not allow. The module exports `createTask(options): Promise<Task>`.
 */
export interface TaskDescription {
  /** An URL or package name that `import()` takes. */
  readonly module: string
  /** JSON. */
  readonly options: unknown
  /** The path of a user's own module that the task runs, if any: failures of its thread name it. */
  readonly userModule?: string
}
