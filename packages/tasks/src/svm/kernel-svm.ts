import { type Evaluation, InputError, type Schema, type TaskKernel, type Work } from '@murmuration/core'
import type { LocalData, Samples } from '@murmuration/data'
import { sizeOf } from '@murmuration/vectors'
import type { Model } from '../shard-task.js'
import { KernelFunction, type KernelOptions, squaresOf } from './kernels.js'

/** The greatest number of samples: their numbers travel as float32. */
const maxSamples = 2 ** 24

/** The objective of an SVM in the dual. */
export interface KernelSvmOptions {
  readonly kernel: KernelOptions
  /** C, above 0. */
  readonly c: number
  /** Whose shards the training samples are, in this order. */
  readonly peers: readonly string[]
}

/**
 * A support vector machine in the dual, C-SVC (Chang and Lin, ACM TIST 2(3), 2011, eq. 2 and 3): it maximises
 * Σ α − ½ Σ α_i α_j y_i y_j K(x_i, x_j) with 0 ≤ α ≤ C and Σ α y = 0; y = 1 for class 1 and −1 for class 0. The
 * decision value of x is Σ α_i y_i K(x_i, x) + b.
 *
 * Parameters lie flat: α y of all samples, of all peers, and b. Gradient descent does not train them.
 */
export class KernelSvm implements Model {
  readonly schema: Schema
  readonly about: string
  readonly length: number
  readonly testSamples: number
  readonly kernel: TaskKernel
  readonly #kernel: KernelFunction
  readonly #train: Points
  readonly #test: Points

  /** Throws an {@link InputError} for samples without exactly two classes, or too many. */
  constructor({ train, test, shardSizes }: LocalData, { kernel, c, peers }: KernelSvmOptions) {
    if (train.classes !== 2)
      throw new InputError(
        `the data has ${train.classes ?? 'no'} classes, expected two: a kernel is for two classes; leave out kernel to learn more, one against the rest`
      )
    if (train.count > maxSamples)
      throw new InputError(`found ${train.count} training samples, expected at most ${maxSamples} with a kernel`)
    this.schema = [
      { name: 'coefficients', shape: [train.count] },
      { name: 'bias', shape: [1] }
    ]
    this.length = train.count + 1
    this.about = `support vector machine, ${sizeOf(train.inputShape)} inputs, kernel ${nameOf(kernel)}, C ${c}`
    this.testSamples = test.count
    this.#kernel = new KernelFunction(kernel)
    this.#train = pointsOf(train)
    this.#test = pointsOf(test)
    this.kernel = new SampleKernel(this.#kernel, this.#train, c, shardsOf(peers, shardSizes))
  }

  gradient(): number {
    throw new InputError(
      'the task svm with a kernel has no gradient; choose algorithm: svm-blocks, or random Fourier features in place of the kernel'
    )
  }

  /**
   * The mean hinge loss and the fraction of test samples on the side of their class; and by name the number of
   * `supportVectors` and the `objective` of the dual, at α as rounded to float32 and moved back to Σ α y = 0 along b.
   */
  evaluate(parameters: Float32Array): Evaluation {
    const support = this.#supportOf(parameters)
    const scores = this.#scores(support, this.#test)
    let loss = 0
    let right = 0
    for (let k = 0; k < scores.length; k++) {
      const y = this.#test.labels[k]
      const score = scores[k] + support.bias
      loss += Math.max(0, 1 - y * score)
      if (score > 0 === y > 0) right++
    }
    const measures = { supportVectors: support.points.length, objective: this.#objectiveOf(support) }
    return { loss: loss / scores.length, accuracy: right / scores.length, measures }
  }

  #supportOf(parameters: Float32Array): Support {
    const numbers: number[] = []
    for (let i = 0; i < parameters.length - 1; i++) if (parameters[i] !== 0) numbers.push(i)
    return {
      numbers,
      points: numbers.map((i) => this.#train.inputs[i]),
      factors: Float64Array.from(numbers, (i) => parameters[i]),
      bias: parameters[parameters.length - 1]
    }
  }

  /** Σ α y K(x, ·) at each of `others`. */
  #scores({ points, factors }: Support, { inputs, squares }: Points): Float64Array {
    const sums = new Float64Array(inputs.length)
    const row = new Float64Array(inputs.length)
    const own = squaresOf(points)
    for (const [index, point] of points.entries()) {
      this.#kernel.row(point, own[index], inputs, squares, row)
      for (let k = 0; k < sums.length; k++) sums[k] += factors[index] * row[k]
    }
    return sums
  }

  #objectiveOf(support: Support): number {
    const { numbers, points: inputs, factors, bias } = support
    const labels = Float64Array.from(numbers, (i) => this.#train.labels[i])
    const scores = this.#scores(support, { inputs, squares: squaresOf(inputs), labels })
    let sum = 0
    for (let k = 0; k < factors.length; k++) sum += factors[k] * (labels[k] - scores[k] / 2 - bias)
    return sum
  }
}

/** The samples whose α is not 0. */
interface Support {
  readonly numbers: readonly number[]
  readonly points: readonly Float32Array[]
  /** α y. */
  readonly factors: Float64Array
  readonly bias: number
}

/** Samples as they are compared. */
interface Points {
  readonly inputs: readonly Float32Array[]
  /** ‖x‖² of each. */
  readonly squares: Float64Array
  /** y of each, 1 or −1. */
  readonly labels: Float64Array
}

function pointsOf({ inputs, inputShape, count, targets }: Samples): Points {
  const size = sizeOf(inputShape)
  const points = Array.from({ length: count }, (_, k) => inputs.subarray(k * size, (k + 1) * size))
  return { inputs: points, squares: squaresOf(points), labels: Float64Array.from(targets, (k) => (k === 1 ? 1 : -1)) }
}

/** The samples of all peers, as an algorithm compares them. */
class SampleKernel implements TaskKernel {
  readonly c: number
  readonly #shards: ReadonlyMap<string, SampleShard>
  readonly #kernel: KernelFunction
  readonly #points: Points

  constructor(kernel: KernelFunction, points: Points, c: number, shards: ReadonlyMap<string, SampleShard>) {
    this.#kernel = kernel
    this.#points = points
    this.c = c
    this.#shards = shards
  }

  get width(): number {
    return this.#points.inputs[0].length
  }

  shardOf(peer: string): SampleShard {
    const shard = this.#shards.get(peer)
    if (shard === undefined) throw new InputError(`"${peer}" is not among the peers that the samples are divided among`)
    return shard
  }

  sample(index: number): Float32Array {
    return this.#points.inputs[index]
  }

  label(index: number): number {
    return this.#points.labels[index]
  }

  among(points: readonly Float32Array[], out: Float64Array): Work<void> {
    return { kind: 'kernel', samples: points.length, run: () => this.#among(points, out) }
  }

  #among(points: readonly Float32Array[], out: Float64Array): void {
    const count = points.length
    const squares = squaresOf(points)
    for (let i = 0; i < count; i++) {
      this.#kernel.row(points[i], squares[i], points, squares, out, i * count, i + 1)
      for (let j = 0; j < i; j++) out[j * count + i] = out[i * count + j]
    }
  }

  accumulate(
    points: readonly Float32Array[],
    factors: Float64Array,
    samples: Uint32Array,
    sums: Float64Array,
    first: number
  ): Work<void> {
    const rows = factors.reduce((count, factor) => count + (factor === 0 ? 0 : 1), 0)
    const run = () => {
      const { inputs, squares } = this.#points
      const others = Array.from(samples, (s) => inputs[s])
      const theirs = Float64Array.from(samples, (s) => squares[s])
      const own = squaresOf(points)
      const row = new Float64Array(samples.length)
      for (const [index, point] of points.entries()) {
        if (factors[index] === 0) continue
        this.#kernel.row(point, own[index], others, theirs, row)
        const factor = factors[index]
        for (let k = 0; k < row.length; k++) sums[samples[k] - first] += factor * row[k]
      }
    }
    return { kind: 'kernel', samples: rows, run }
  }
}

type SampleShard = ReturnType<TaskKernel['shardOf']>

/** The peers' samples, one peer's after another's. */
function shardsOf(peers: readonly string[], sizes: readonly number[]): ReadonlyMap<string, SampleShard> {
  let next = 0
  return new Map(
    peers.map((peer, index) => {
      const first = next
      next += sizes[index]
      return [peer, { first, count: sizes[index] }]
    })
  )
}

function nameOf(kernel: KernelOptions): string {
  if (kernel === 'linear') return kernel
  const [name, options] = Object.entries(kernel)[0]
  return [name, ...Object.entries(options as object).map(([option, value]) => `${option} ${String(value)}`)].join(' ')
}
