import {
  type Evaluation,
  type Gradient,
  invariant,
  type Schema,
  type Task,
  type TaskDual,
  type TaskKernel,
  type TaskRows,
  type Work
} from '@murmuration/core'

/**
 * What the tasks of many peers share: the arithmetic, its scratch memory, and the samples of all, of which each peer's
 * are a range. It computes synchronously and so never for two peers at a time: one model serves any number of peers.
 */
export interface Model {
  readonly schema: Schema
  /** A description, for people. */
  readonly about: string
  /** The number of parameters. */
  readonly length: number
  /** The number of samples of an evaluation. */
  readonly testSamples: number
  /**
   * The mean loss over the samples `first + batch[0]`, `first + batch[1]`, …; its gradient is written to `out`. The
   * caller has checked that these samples exist, and that `parameters` and `out` are `length` long.
   */
  gradient(parameters: Float32Array, first: number, batch: Uint32Array, out: Float32Array, round: number): number
  /** Loss and accuracy on the test set. */
  evaluate(parameters: Float32Array): Evaluation
  /** The initial parameters; 0 when absent. */
  initialise?(seed: number): Float32Array
  /**
   * Present where a batch touches a few rows of the parameters: the rows for samples that are numbered from `first` on.
   */
  rows?(first: number): TaskRows
  /** Present where the loss has a dual: of `samples` samples that are numbered from `first` on. */
  dual?(first: number, samples: number, meanSamples: number): TaskDual
  /**
   * Present where the model is a weighted sum of kernels at the samples of all peers: for the peer whose samples are
   * numbered from `first` on.
   */
  kernel?(first: number, count: number): TaskKernel
}

/** Facts about the task of a peer with `samples` samples, or about that of the union. */
export type About = (peer?: string, samples?: number) => Task['about']

/** What must be the same on all peers, the input and output of the model, and the peer if the task is of one. */
interface TaskFacts extends Pick<Task, 'fingerprints' | 'signature' | 'constantAnswer'> {
  readonly peer?: string
  /** How many samples a peer has in the mean; as many as this one when absent. */
  readonly meanSamples?: number
}

const noFingerprints: Task['fingerprints'] & object = {}

/**
 * The task of a range of a model's samples. It owns only the memory of its last gradient, allocated at the first one.
 * Its works return their results synchronously, without promises.
 */
export class ShardTask implements Task {
  readonly schema: Schema
  readonly samples: number
  readonly fingerprints: Readonly<Record<string, string>>
  readonly signature: Task['signature']
  readonly constantAnswer: Task['constantAnswer']
  readonly rows: TaskRows | undefined
  readonly dual: TaskDual | undefined
  readonly kernel: TaskKernel | undefined
  readonly #model: Model
  readonly #first: number
  readonly #about: () => Task['about']
  #vector: Float32Array | undefined

  /**
   * @param first - the number of its first sample
   * @param samples - how many it has
   * @param about - called on demand, with the peer and its number of samples; without both for a task that is of no
   *   peer
   */
  constructor(
    model: Model,
    first: number,
    samples: number,
    about: About,
    { fingerprints = noFingerprints, signature, constantAnswer, peer, meanSamples = samples }: TaskFacts = {}
  ) {
    this.schema = model.schema
    this.samples = samples
    this.#model = model
    this.#first = first
    this.#about = () => (peer === undefined ? about() : about(peer, samples))
    this.fingerprints = fingerprints
    this.signature = signature
    this.constantAnswer = constantAnswer
    this.rows = model.rows?.(first)
    this.dual = model.dual?.(first, samples, meanSamples)
    this.kernel = model.kernel?.(first, samples)
  }

  get about(): Task['about'] {
    return this.#about()
  }

  initialise(seed: number): Work<Float32Array> {
    const run = () => this.#model.initialise?.(seed) ?? new Float32Array(this.#model.length)
    return { kind: 'initialise', samples: 0, run }
  }

  gradient(parameters: Float32Array, batch: Uint32Array, round = 0): Work<Gradient> {
    return { kind: 'gradient', samples: batch.length, run: () => this.#gradientAt(parameters, batch, round) }
  }

  evaluate(parameters: Float32Array): Work<Evaluation> {
    return { kind: 'evaluate', samples: this.#model.testSamples, run: () => this.#evaluationOf(parameters) }
  }

  #gradientAt(parameters: Float32Array, batch: Uint32Array, round: number): Gradient {
    this.#checkLength(parameters)
    checkBatch(batch, this.samples)
    this.#vector ??= new Float32Array(this.#model.length)
    const loss = this.#model.gradient(parameters, this.#first, batch, this.#vector, round)
    return { loss, vector: this.#vector }
  }

  #evaluationOf(parameters: Float32Array): Evaluation {
    this.#checkLength(parameters)
    return this.#model.evaluate(parameters)
  }

  #checkLength({ length }: Float32Array): void {
    invariant(length === this.#model.length, () => `found ${length} parameters, expected ${this.#model.length}`)
  }
}

function checkBatch(batch: Uint32Array, samples: number): void {
  invariant(batch.length > 0, 'found an empty batch, expected at least one sample for a gradient')
  let largest = 0
  for (let k = 0; k < batch.length; k++) if (batch[k] > largest) largest = batch[k]
  invariant(largest < samples, () => `found sample ${largest} in a batch, expected samples below ${samples}`)
}
