import { type Gradient, invariant, type Random, type Task, type Work } from '@murmuration/core'
import { norm, scale, weightedSum } from '@murmuration/vectors'
import { Batches } from './batches.js'
import type { Line, LineGradient } from '../pipeline/line.js'
import { maxGrowth } from '../vectors/sizes.js'
import type { Untrained } from '../vectors/untrained.js'
import { checkNumbers } from './first-round.js'
import type { Arena, Vector } from '../vectors/vector.js'

/** How gradients are computed. */
export interface GradientOptions {
  readonly batchSize: number
  readonly weightDecay?: number
  readonly clip?: number
  readonly accumulate?: number
}

/** The peer whose gradients they are. */
interface GradientsOwner {
  /** The error to throw for the loss that was found in a round. */
  diverged(round: number, found: string): Error
}

/** The gradients of one peer's task: draws batches, and applies weight decay and clipping. */
export class Gradients {
  readonly batches: Batches
  /** The loss over the last batch; undefined before the first. */
  loss: number | undefined
  readonly #arena: Arena
  readonly #task: Task
  readonly #options: GradientOptions
  readonly #untrained: readonly Untrained[]
  readonly #owner: GradientsOwner
  #last: Vector | undefined
  /** The loss over the first batch since the peer began, or continued from a checkpoint. */
  #first: number | undefined
  /** Whether a gradient is computed whose vector has not been taken over. */
  #isUnderWay = false

  constructor(
    arena: Arena,
    task: Task,
    options: GradientOptions,
    untrained: readonly Untrained[],
    random: Random,
    owner: GradientsOwner
  ) {
    this.#arena = arena
    this.#owner = owner
    this.#task = task
    this.#options = options
    this.#untrained = untrained
    this.batches = new Batches(random, task.samples, options.batchSize)
  }

  /**
   * The work of a gradient at x: `g + λ x`, clipped, as a vector of the arena. One at a time: the task computes all of
   * them in the same memory.
   *
   * @throws InvariantError while an earlier one is computed
   */
  work(x: Vector, round: number): Work<Vector> {
    this.#begin(round)
    const { accumulate = 1 } = this.#options
    const work =
      accumulate === 1
        ? this.#task.gradient(x.values, this.batches.next(), round)
        : this.#accumulated(x.values, accumulate, round)
    const run = () => {
      const gradient = work.run()
      return gradient instanceof Promise
        ? gradient.then((computed) => this.#take(computed, x, round))
        : this.#take(gradient, x, round)
    }
    return { kind: work.kind, samples: work.samples, run }
  }

  /**
   * The same by the peers of a line. They are clipped by the norm over all stages.
   *
   * @throws InvariantError while an earlier one is computed
   */
  byLine(line: Line, x: Vector, round: number): PromiseLike<Vector> {
    this.#begin(round)
    const { accumulate = 1, batchSize, clip } = this.#options
    const samples = new Uint32Array(accumulate * batchSize)
    for (let index = 0; index < accumulate; index++) samples.set(this.batches.next(), index * batchSize)
    const draws = Array.from({ length: accumulate }, (_, index) => round * accumulate + index)
    const squaresOf = clip === undefined ? undefined : (vector: Float32Array) => this.#squaresOf(vector, x)
    const computed = line.gradient({ parameters: x.values, round, draws, samples, squaresOf })
    const take = (gradient: LineGradient) => this.#take(gradient, x, round, gradient)
    let taken: PromiseLike<Vector> | undefined
    return { then: (onFulfilled, onRejected) => (taken ??= computed.then(take)).then(onFulfilled, onRejected) }
  }

  /** The sum of the squares of `g + λ x` where it is trained. */
  #squaresOf(vector: Float32Array, x: Vector): number {
    const sum = this.#withDecay(vector, x, new Float32Array(vector.length))
    return this.#trainedOf(sum).reduce((squares, part) => squares + norm(part) ** 2, 0)
  }

  #begin(round: number): void {
    invariant(!this.#isUnderWay, `a gradient of round ${round} while another is computed; await one after the other`)
    this.#isUnderWay = true
    // The task is about to overwrite its memory.
    if (this.#last?.isPending) this.#last.compute(Number.POSITIVE_INFINITY)
  }

  /** @param of - how the vector came about, if the peers of a line have computed it */
  #take({ loss, vector }: Gradient, x: Vector, round: number, of?: Pick<LineGradient, 'squares' | 'isOwned'>): Vector {
    const { clip, weightDecay = 0 } = this.#options
    this.#isUnderWay = false
    // The session has ended meanwhile: nobody uses the gradient.
    if (this.#arena.isClosed) return this.#arena.adopt(new Float32Array(0))
    if (this.#first === undefined) checkNumbers("the task's gradient", vector, x.length)
    this.loss = loss
    this.#first ??= loss
    const found = foundLoss(loss, this.#first)
    if (found !== undefined) throw this.#owner.diverged(round, found)
    if (of?.isOwned === true && weightDecay !== 0) this.#addDecay(vector, x)
    const g =
      of?.isOwned === true
        ? this.#arena.adopt(vector)
        : this.#arena.compute(x.length, (out, from, to) => void this.#withDecay(vector, x, out, from, to))
    if (clip !== undefined) g.whenDone((numbers) => clipTo(clip, this.#trainedOf(numbers), of?.squares))
    g.at = x
    this.#last = g
    return g
  }

  /** Writes `g + λ x` to `out`; weight decay is not added where parameters are not trained. */
  #withDecay(vector: Float32Array, x: Vector, out: Float32Array, from = 0, to = out.length): Float32Array {
    const { weightDecay = 0 } = this.#options
    if (weightDecay === 0) return copyTo(out, vector, from, to)
    const terms = [
      { weight: 1, vector },
      { weight: weightDecay, vector: x.values }
    ]
    weightedSum(out, terms, from, to)
    for (const { offset, length } of this.#untrained) {
      const start = Math.max(offset, from)
      const end = Math.min(offset + length, to)
      if (start < end) out.set(vector.subarray(start, end), start)
    }
    return out
  }

  /** Adds `λ x` to a gradient where it is trained. */
  #addDecay(vector: Float32Array, x: Vector): void {
    const { weightDecay = 0 } = this.#options
    const parts = this.#trainedOf(x.values)
    for (const [index, part] of this.#trainedOf(vector).entries())
      weightedSum(part, [
        { weight: 1, vector: part },
        { weight: weightDecay, vector: parts[index] }
      ])
  }

  /** The norm of the last gradient; 0 where there is none in this round. */
  get size(): number {
    return this.#last === undefined || this.#last.length === 0 ? 0 : norm(this.#last.values)
  }

  /**
   * Copies the moving statistics of `from` into `to`, which must be new, and returns it. Both begin at index `first` of
   * the parameters.
   */
  withStatistics(to: Vector, from: Vector, first = 0): Vector {
    const statistics = this.#untrained.filter(({ momentum }) => momentum !== 1)
    if (statistics.length === 0) return to
    to.whenDone((numbers) => {
      for (const { offset, length } of statistics) {
        const start = Math.max(offset - first, 0)
        const end = Math.min(offset + length - first, numbers.length)
        if (start < end) numbers.set(from.values.subarray(start, end), start)
      }
    })
    return to
  }

  /** The ranges between those that gradients do not move. */
  #trainedOf(numbers: Float32Array): readonly Float32Array[] {
    const starts = [0, ...this.#untrained.map(({ offset, length }) => offset + length)]
    const ends = [...this.#untrained.map(({ offset }) => offset), numbers.length]
    return starts.map((start, index) => numbers.subarray(start, ends[index]))
  }

  #accumulated(x: Float32Array, count: number, round: number): Work<Gradient> {
    // Each batch draws its own dropout.
    const workOf = (_: unknown, index: number) =>
      this.#task.gradient(x, this.batches.next().slice(), round * count + index)
    const works = Array.from({ length: count }, workOf)
    return {
      kind: 'gradient',
      samples: count * this.#options.batchSize,
      run: async () => {
        const sum = new Float32Array(x.length)
        let loss = 0
        for (const work of works) {
          const gradient = await work.run()
          if (this.#first === undefined) checkNumbers("the task's gradient", gradient.vector, x.length)
          loss += gradient.loss / count
          weightedSum(sum, [
            { weight: 1, vector: sum },
            { weight: 1 / count, vector: gradient.vector }
          ])
        }
        return { loss, vector: sum }
      }
    }
  }
}

/** Copies the elements `from` to below `to`. */
function copyTo(out: Float32Array, vector: Float32Array, from: number, to: number): Float32Array {
  if (to - from === vector.length) out.set(vector)
  else out.set(vector.subarray(from, to), from)
  return out
}

/**
 * `g ← g · c / max(c, ‖g‖)` of a gradient in parts (Pascanu, Mikolov and Bengio, ICML 2013, Algorithm 1), with ‖g‖² the
 * `squares` of the whole gradient, if this is a part of it.
 */
function clipTo(limit: number, parts: readonly Float32Array[], squares?: number): void {
  const length = squares === undefined ? Math.hypot(...parts.map((part) => norm(part))) : Math.sqrt(squares)
  if (length > limit) for (const part of parts) scale(part, limit / length)
}

/** What is wrong with a loss, if something is: it is {@link maxGrowth} times the first one, or 1 if that is larger. */
function foundLoss(loss: number, first: number): string | undefined {
  if (!Number.isFinite(loss)) return `the loss is ${loss}`
  if (loss <= maxGrowth * Math.max(1, Math.abs(first))) return undefined
  return `the loss rose from ${first.toPrecision(3)} to ${loss.toPrecision(3)}`
}
