import {
  type Evaluation,
  InputError,
  type KernelPoint,
  type Schema,
  type TaskKernel,
  type Work
} from '@murmuration/core'
import type { LocalData, Samples } from '@murmuration/data'
import { sizeOf } from '@murmuration/vectors'
import type { Model } from '../shard-task.js'
import { withTwoClasses } from './two-classes.js'
import { KernelFunction, type KernelOptions, type Points, pointsFrom } from './kernels.js'

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
 * A support vector machine in the dual, LIBSVM's C-SVC: it maximises Σ α − ½ Σ α_i α_j y_i y_j K(x_i, x_j) with
 * 0 ≤ α ≤ C and Σ α y = 0; y = 1 for the later class and −1 for the other. The decision value of x is
 * Σ α_i y_i K(x_i, x) + b.
 *
 * Parameters lie flat: α y of all samples, of all peers, and b. Gradient descent does not train them.
 */
export class KernelSvm implements Model {
  readonly schema: Schema
  readonly about: string
  readonly length: number
  readonly testSamples: number
  readonly #kernel: KernelFunction
  readonly #c: number
  readonly #shards: ReadonlyMap<string, SampleShard>
  readonly #train: LabelledPoints
  readonly #test: LabelledPoints

  /** Throws an {@link InputError} for samples without exactly two classes, or too many. */
  constructor(localData: LocalData, { kernel, c, peers }: KernelSvmOptions) {
    const { train, test, shardSizes } = withTwoClasses(localData)
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
    this.#train = labelledPoints(train)
    this.#test = labelledPoints(test)
    this.#c = c
    this.#shards = shardsOf(peers, shardSizes)
  }

  kernel(first: number, count: number): TaskKernel {
    return new SampleKernel(this.#kernel, this.#train, this.#c, this.#shards, [first, first + count])
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
    const measures = { supportVectors: support.numbers.length, objective: this.#objectiveOf(support) }
    return { loss: loss / scores.length, accuracy: right / scores.length, measures }
  }

  #supportOf(parameters: Float32Array): Support {
    const numbers: number[] = []
    for (let i = 0; i < parameters.length - 1; i++) if (parameters[i] !== 0) numbers.push(i)
    return {
      numbers,
      points: pointsFrom(numbers.map((i) => this.#train.inputs[i])),
      factors: Float64Array.from(numbers, (i) => parameters[i]),
      bias: parameters[parameters.length - 1]
    }
  }

  /** Σ α y K(x, ·) at each of `others`. */
  #scores({ points, factors }: Support, others: Points): Float64Array {
    const sums = new Float64Array(others.inputs.length)
    this.#kernel.accumulate(points, factors, others, sums, upTo(sums.length))
    return sums
  }

  #objectiveOf(support: Support): number {
    const { numbers, points, factors, bias } = support
    const scores = this.#scores(support, points)
    let sum = 0
    for (let k = 0; k < factors.length; k++) sum += factors[k] * (this.#train.labels[numbers[k]] - scores[k] / 2 - bias)
    return sum
  }
}

/** The samples whose α is not 0. */
interface Support {
  readonly numbers: readonly number[]
  readonly points: Points
  /** α y. */
  readonly factors: Float64Array
  readonly bias: number
}

/** Samples with their classes. */
interface LabelledPoints extends Points {
  /** y of each, 1 or −1. */
  readonly labels: Float64Array
}

function labelledPoints({ inputs, inputShape, count, targets }: Samples): LabelledPoints {
  const size = sizeOf(inputShape)
  const all = Array.from({ length: count }, (_, k) => inputs.subarray(k * size, (k + 1) * size))
  return { ...pointsFrom(all), labels: Float64Array.from(targets, (k) => (k === 1 ? 1 : -1)) }
}

function upTo(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, k) => k)
}

/** The most numbers of kernel rows that a peer keeps: 16 MiB. */
const maxKept = 2 ** 21

/**
 * The samples of all peers, as the algorithm of one peer compares them. It keeps rows of the kernel, as
 * LIBSVM does, but none of pairs: what saves these work is elimination.
 */
class SampleKernel implements TaskKernel {
  readonly c: number
  readonly #shards: ReadonlyMap<string, SampleShard>
  readonly #kernel: KernelFunction
  readonly #points: LabelledPoints
  /** This peer's samples. */
  readonly #own: Points
  readonly #first: number
  /** K of a sample and all of this peer's, by the sample's number; those used last are at the end. */
  readonly #rows = new Map<number, KeptRow>()

  constructor(
    kernel: KernelFunction,
    points: LabelledPoints,
    c: number,
    shards: ReadonlyMap<string, SampleShard>,
    [first, end]: readonly [number, number]
  ) {
    this.#kernel = kernel
    this.#points = points
    this.c = c
    this.#shards = shards
    this.#first = first
    this.#own = { inputs: points.inputs.slice(first, end), squares: points.squares.slice(first, end) }
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

  among(points: readonly KernelPoint[], out: Float64Array): Work<void> {
    const run = () => {
      const all = pointsOf(points)
      this.#kernel.table(all, all, out)
    }
    return { kind: 'kernel', samples: points.length, run }
  }

  accumulate(
    points: readonly KernelPoint[],
    factors: Float64Array,
    samples: Uint32Array,
    sums: Float64Array,
    first: number
  ): Work<void> {
    const used = points.filter((_, index) => factors[index] !== 0)
    const moves = factors.filter((factor) => factor !== 0)
    const places = samples.map((s) => s - first)
    const fits = 2 * used.length * samples.length <= maxKept
    const keeps = points.length > 2 && samples.length === this.#own.inputs.length && fits
    const missing = keeps ? used.filter((point) => !this.#isKept(point)) : used
    const run = () => {
      if (!keeps) return this.#kernel.accumulate(pointsOf(used), moves, this.#ownOf(samples), sums, places)
      this.#keep(missing)
      for (const [index, point] of used.entries()) {
        const { row } = this.#rows.get(point.at) as KeptRow
        for (let k = 0; k < row.length; k++) sums[places[k]] += moves[index] * row[k]
      }
    }
    return { kind: 'kernel', samples: missing.length, run }
  }

  /** Whether a row is kept; a sample that another peer has sent anew may have other numbers. */
  #isKept({ at, input }: KernelPoint): boolean {
    const kept = this.#rows.get(at)
    if (kept?.input.every((value, i) => value === input[i]) !== true) return false
    this.#rows.delete(at)
    this.#rows.set(at, kept)
    return true
  }

  /** Computes and keeps the rows of these samples, in place of those that were not used for longest. */
  #keep(points: readonly KernelPoint[]): void {
    const { length } = this.#own.inputs
    const table = new Float64Array(points.length * length)
    this.#kernel.table(pointsOf(points), this.#own, table)
    for (const [index, { at, input }] of points.entries())
      this.#rows.set(at, { input: input.slice(), row: table.slice(index * length, (index + 1) * length) })
    for (const at of this.#rows.keys()) {
      if (this.#rows.size * length <= maxKept) return
      this.#rows.delete(at)
    }
  }

  #ownOf(samples: Uint32Array): Points {
    const { inputs, squares } = this.#own
    return {
      inputs: Array.from(samples, (s) => inputs[s - this.#first]),
      squares: Float64Array.from(samples, (s) => squares[s - this.#first])
    }
  }
}

/** A row of the kernel, and the input that it is of. */
interface KeptRow {
  readonly input: Float32Array
  readonly row: Float64Array
}

function pointsOf(points: readonly KernelPoint[]): Points {
  return pointsFrom(points.map(({ input }) => input))
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
