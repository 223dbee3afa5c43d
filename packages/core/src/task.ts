import type { Work } from './fabric.js'

/** One tensor of a model within the flat parameter vector. */
export interface TensorSchema {
  readonly name: string
  readonly shape: readonly number[]
  /** What the numbers are when gradient descent does not train them. */
  readonly kind?: UntrainedKind
  /**
   * `m` of a statistic, 0 … 1: a step gives `m · x + (1 − m) · b`, with `x` the parameters that the step starts from
   * and `b` the value that the batch gives.
   */
  readonly momentum?: number
}

/**
 * 'frozen' never changes; a 'statistic', such as a moving mean, follows the batches and is averaged, but not descended.
 */
export type UntrainedKind = 'frozen' | 'statistic'

/** The tensors of a model in the order in which they lie in the flat vector, one after the other without gaps. */
export type Schema = readonly TensorSchema[]

/** The mean loss over a batch and its gradient. */
export interface Gradient {
  readonly loss: number
  /**
   * As long as the parameters; 0 for frozen tensors, and for statistics the values that the batch gives. Valid until
   * the task's next gradient is run: copy it to keep it.
   */
  readonly vector: Float32Array
}

/** How good parameters are on the test set. */
export interface Evaluation {
  readonly loss: number
  /** The fraction of samples that are classified correctly, 0 … 1; absent when the task does not classify. */
  readonly accuracy?: number
  /**
   * The exponential of the loss: the number of equally probable characters that would be as hard to predict. For tasks
   * that learn texts.
   */
  readonly perplexity?: number
  /** Other measures of the field by name, such as `mrr`. */
  readonly measures?: Readonly<Record<string, number>>
}

/** How samples were prepared for the model; any later input must be prepared the same way. JSON. */
export type Preprocessing =
  /**
   * Images: as many colour channels as the model has (one channel is 0.299 R + 0.587 G + 0.114 B; transparency is
   * ignored), scaled to the model's height and width by the mean of the pixels that each new one covers, and divided
   * by 255.
   */
  | { readonly kind: 'image' }
  /**
   * Numbers, unchanged or scaled; with the names of the columns, if they have any, in the order of the model's input.
   */
  | { readonly kind: 'numbers'; readonly names?: readonly string[] | undefined; readonly scale?: Scale | undefined }
  /** A text in UTF-8: the number of a character is its index in the signature's `classNames`. */
  | { readonly kind: 'text' }

/** How columns are scaled: `(x − mean) / deviation`, in the order of the model's input. JSON. */
export interface Scale {
  readonly means: readonly number[]
  /** Above 0. */
  readonly deviations: readonly number[]
}

/** Input and output of a model: what is needed to use it without its training data. JSON. */
export interface ModelSignature {
  /** The shape of one sample's input; `[28, 28, 1]` for an image of 28 × 28 pixels. */
  readonly inputShape: readonly number[]
  /** The shape of one sample's target; empty for one class or one number. */
  readonly targetShape: readonly number[]
  /** The number of classes; absent when numbers are learned. */
  readonly classes?: number | undefined
  /** The names of the classes, if they have any. */
  readonly classNames?: readonly string[] | undefined
  readonly preprocessing: Preprocessing
}

/**
 * Parameters as keyed rows, of which a batch touches a few: the row of a key, 0, 1, …, begins at `key · width` of the
 * flat vector, whose length is `count · width`. Lists of keys are always distinct and ascending.
 */
export interface TaskRows {
  readonly count: number
  readonly width: number
  /**
   * The keys that the loss over these samples depends on.
   *
   * @param round - seeds the draws of a task that draws anew in every round, such as negative samples; 0 when absent
   */
  keysOf(batch: Uint32Array, round?: number): Uint32Array
  /**
   * The mean loss over the samples of `batch`; writes its gradient to `out`.
   *
   * @param keys - the result of `keysOf(batch, round)`
   * @param rows - the rows of these keys, one after the other; read synchronously
   * @param out - as long as `rows`; the gradient of the same rows
   */
  gradient(rows: Float32Array, keys: Uint32Array, batch: Uint32Array, out: Float32Array, round?: number): Work<number>
  /**
   * Which of `blocks` a sample is in, 0 … blocks − 1. Samples of two peers in different blocks touch no common key, so
   * that each peer can have a block for itself (parameter blocking: Gemulla et al., KDD 2011). Absent where there are
   * no such blocks.
   */
  blockOf?(sample: number, blocks: number): number
}

/** What a step of dual coordinate ascent gives. Both vectors are valid until the task's next work is run. */
export interface DualStep {
  /** `v + 1/(λ n) Σ_i (a′_i − a_i) y_i x_i`, as long as the parameters. */
  readonly vector: Float32Array
  /** a′, as long as `a`. */
  readonly a: Float32Array
  /** `λ/2 ‖v‖² + 1/n Σ_i ℓ_i(v)`: the mean of this over the peers is P where all have the same v. */
  readonly loss: number
  /** Of v and a, from before the step. */
  readonly gap: GapBound
}

/**
 * One peer's part of the duality gap at a point w, `λ ‖v‖² + 1/n Σ_i (ℓ_i(w) + ℓ*_i(−a_i))`: it is at most `value +
 * slope d + curvature d²`, with d = ‖w − v‖.
 */
export interface GapBound {
  /** That part at w = v. */
  readonly value: number
  readonly slope: number
  readonly curvature: number
}

/**
 * The dual of `P(w) = λ/2 ‖w‖² + 1/(K n) Σ_i ℓ_i(w)`, of whose samples each of K peers has some, in the mean n. Each
 * sample has a variable a_i, and `w(a) = 1/(λ K n) Σ_i a_i y_i x_i`. `D(a) = −λ/2 ‖w(a)‖² − 1/(K n) Σ_i ℓ*_i(−a_i)` is
 * at most P (Shalev-Shwartz and Zhang, JMLR 14, 2013, arXiv 1209.1873). It begins at a = 0 and w = 0.
 */
export interface TaskDual {
  /** How many variables a sample has, such as one per class; those of sample s are `width · s` and the next ones. */
  readonly width: number
  /**
   * Maximises the local part of D by one variable after the other, for the samples in `order` (each below `samples`).
   * Meanwhile v moves by `1/(λ n)` in place of `1/(λ K n)`: CoCoA+'s subproblem with σ′ = K and γ = 1 (Ma et al., ICML
   * 2015, arXiv 1502.03508).
   *
   * @param v - as long as the parameters
   * @param a - `width · samples` numbers
   * @throws InputError where λ is 0
   */
  step(v: Float32Array, a: Float32Array, order: Uint32Array, options?: DualOptions): Work<DualStep>
}

/** What P is besides the task's own loss. */
export interface DualOptions {
  /** Added to the task's own penalty, as the gradient adds `weightDecay · w`; 0 when absent. */
  readonly weightDecay?: number | undefined
  /** n; when absent, what the task knows of the data of all peers. */
  readonly meanSamples?: number | undefined
}

/** A sample of any peer, by its number. */
export interface KernelPoint {
  readonly at: number
  readonly input: Float32Array
}

/**
 * The samples of all peers, numbered one peer's after another's in the order of names, and how a kernel K compares two
 * of them: for support vector machines in the dual. Two classes, 1 and −1. Inputs are float32; K is float64, and
 * K(a, b) and K(b, a) have the same bits on every machine.
 */
export interface TaskKernel {
  /** C, the upper bound of each α. Above 0. */
  readonly c: number
  /** How many numbers a sample has. */
  readonly width: number
  /** Which samples are a peer's: the number of the first, and how many. */
  shardOf(peer: string): { readonly first: number; readonly count: number }
  /** The input of one of this peer's samples. Not to be changed. */
  sample(index: number): Float32Array
  /** The class of one of this peer's samples, 1 or −1. */
  label(index: number): number
  /** Writes K(points[i], points[j]) to `out[i * points.length + j]`, for all i and j. */
  among(points: readonly KernelPoint[], out: Float64Array): Work<void>
  /**
   * Adds Σ_i factors[i] K(points[i], s) to `sums[s − first]`, for each of this peer's samples s that `samples` lists;
   * in the order of points. Points with the factor 0 cost nothing.
   */
  accumulate(
    points: readonly KernelPoint[],
    factors: Float64Array,
    samples: Uint32Array,
    sums: Float64Array,
    first: number
  ): Work<void>
}

/**
 * What is learned: parameters as one flat float32 vector, the gradient on a batch, the evaluation; and its part of the
 * data.
 */
export interface Task {
  readonly schema: Schema
  /** The number of samples in the peer's local data, at least 1. */
  readonly samples: number
  /** Facts for the user, shown once at the start: the data, the model, the backend and why it was chosen. */
  readonly about: Readonly<Record<string, string>>
  /**
   * What must be the same on all peers though it is no setting, by name: such as a checksum of the data that the peers
   * divide. Peers compare it when they connect.
   */
  readonly fingerprints?: Readonly<Record<string, string>>
  /** Input and output of the model; absent where the task is no function of samples. */
  readonly signature?: ModelSignature | undefined
  /**
   * What the best answer that is the same for all samples reaches on the test set: the accuracy of the most frequent
   * class, or the loss of the mean. Absent where the task is no function of samples, or has a loss of its own.
   */
  readonly constantAnswer?: Partial<Pick<Evaluation, 'accuracy' | 'loss'>> | undefined
  /**
   * Whether a thread that ends during a work takes the whole process along, since native code computes there. False
   * when absent.
   */
  readonly mustAnswerBeforeEnd?: boolean
  /** The start parameters. The same seed gives the same bits on every peer. */
  initialise(seed: number): Work<Float32Array>
  /**
   * The gradient at `parameters` of the mean loss over the samples that `batch` lists (each below `samples`). The works
   * of a task may share the memory of their results: run one after the other, and use or copy a result before the next
   * work is run.
   *
   * @param round - seeds the draws of a model that draws anew in every step, such as dropout: different for every
   *   round, and for every batch of a round; 0 when absent
   */
  gradient(parameters: Float32Array, batch: Uint32Array, round?: number): Work<Gradient>
  /** Loss and accuracy of `parameters` on the test set, which is the same for all peers. */
  evaluate(parameters: Float32Array): Work<Evaluation>
  /**
   * A few lines of text that the model writes, for people to read: the same seed gives the same text. Absent where no
   * text is learned.
   */
  generate?(parameters: Float32Array, seed: number): Work<string>
  /** Present where a batch touches a few rows of the parameters; absent where it touches all. */
  readonly rows?: TaskRows | undefined
  /** Present where the training loss has a dual with variables for each sample. */
  readonly dual?: TaskDual | undefined
  /** Present where the model is a weighted sum of kernels at samples; such a task may have no gradient. */
  readonly kernel?: TaskKernel | undefined
  /** Present where the model may be cut into stages, which several peers compute one after the other. */
  readonly stages?: TaskStages | undefined
}

/** A run of adjacent layers, between which nothing is cut. */
export interface TaskPart {
  /** The number of its first layer, as in the names of tensors: a cut is named by it. */
  readonly layer: number
  /** Its parameters. */
  readonly parameters: number
  /** Multiplications of a forward pass of one sample, roughly. */
  readonly operations: number
  /** How many numbers it hands to the next part for each sample. */
  readonly outputs: number
  /** Whether it normalises by statistics of a batch, which those of its micro-batches are not. */
  readonly mixesSamples: boolean
}

/** Where a model may be cut, and the stages that it is cut into. */
export interface TaskStages {
  /** In the order of the layers; only one tensor passes from a part to the next. */
  readonly parts: readonly TaskPart[]
  /**
   * The stage of the parts `from` to before `to`. Only its layers are built. Its tensors have the names and first
   * values that they have in the whole model.
   */
  of(from: number, to: number): Promise<StageTask>
}

/**
 * The part of a model that one peer of a line trains: its schema, its parameters and its vectors are those of the
 * stage. It computes no gradient of its own, and no evaluation; the peers of a line do so together.
 */
export interface StageTask extends Task {
  readonly stage: StageWorks
}

/** A pass of a micro-batch. Both passes of a micro-batch have the same one, so that they draw the same. */
export interface StagePass {
  /** As in {@link Task.gradient}. */
  readonly round: number
  /** 0, 1, … within the batch. */
  readonly microBatch: number
  /** Passes with the same number have the same parameters, in this process; unknown when absent. */
  readonly step?: number
}

/** The result of a backward pass. */
export interface StageGradient extends Gradient {
  /** The gradient with respect to the inputs of the micro-batch, sample by sample; empty at the first stage. */
  readonly inputs: Float32Array
}

/**
 * The passes of a stage. What a micro-batch is made of lies in one vector: the inputs of the stage, sample by sample,
 * then the targets. Targets go through all stages, since only the first one reads data and only the last one knows the
 * loss.
 */
export interface StageWorks {
  /** How many numbers the inputs, outputs and targets of one sample have. */
  readonly inputs: number
  readonly outputs: number
  readonly targets: number
  readonly isFirst: boolean
  readonly isLast: boolean
  /** The micro-batch of these samples, for the first stage. */
  take(samples: Uint32Array): Work<Float32Array>
  /** The micro-batch for the next stage. Not of the last stage. */
  forward(parameters: Float32Array, microBatch: Float32Array, pass: StagePass): Work<Float32Array>
  /**
   * Computes the forward pass again, since only the micro-batch is kept, and then its gradient. The loss has what this
   * stage adds to it: at the last one the mean loss over the micro-batch, at all of them the penalties of the layers.
   *
   * @param outputs - the gradient with respect to the stage's outputs; absent at the last stage
   */
  backward(
    parameters: Float32Array,
    microBatch: Float32Array,
    pass: StagePass,
    outputs?: Float32Array
  ): Work<StageGradient>
}

/**
 * A task described by data: the module that builds it, and its options. Any thread can build it, which a closure would
 * not allow. The module exports `createTask(options): Promise<Task>`.
 */
export interface TaskDescription {
  /** A name that `loadTask` knows; in Node also an URL or package name that `import()` takes. */
  readonly module: string
  /** JSON. */
  readonly options: unknown
  /** The path of a user's own module that the task runs, if any: errors of its thread name it. */
  readonly userModule?: string
}
