import { hypot, type Gradient, invariant, type Random, type StageTask, type Task, type Work } from '@murmuration/core'
import { norm, scale, weightedSum } from '@murmuration/vectors'
import { Batches } from './batches.js'
import { WeightDecay } from './decay.js'
import type { LineGradient, PipelineSettings } from '../pipeline/line.js'
import { type LinesPeer, StageLines } from '../pipeline/lines.js'
import { maxGrowth } from '../vectors/sizes.js'
import type { Untrained } from '../vectors/untrained.js'
import { type AscentOwner, DualSteps } from './dual-steps.js'
import { checkNumbers } from './first-round.js'
import type { Arena, Vector } from '../vectors/vector.js'

/** How gradients are computed. */
export interface GradientOptions {
  readonly batchSize: number
  readonly weightDecay?: number
  readonly clip?: number
  readonly accumulate?: number
}

/** The first wire number of a line's messages, beyond those of channels, edges and members. */
const lineKind = 96

/** The lines of a peer whose task is a stage; the peer has the handlers of their messages from now on. */
export function openLines(
  peer: LinesPeer,
  task: Task,
  { pipeline, batchSize, accumulate = 1 }: GradientOptions & { readonly pipeline?: PipelineSettings | undefined }
): StageLines | undefined {
  if (pipeline === undefined) return undefined
  const lines = new StageLines(peer, (task as StageTask).stage, pipeline, accumulate * batchSize, lineKind)
  for (const [kind, handler] of lines.handlers) peer.handlers.set(kind, handler)
  return lines
}

/** The peer whose gradients they are. */
interface GradientsOwner {
  /** The error to throw for the loss that was found in a round. */
  diverged(round: number, found: string): Error
}

/** The gradients of one peer's task: draws batches, and applies weight decay and clipping. */
export class Gradients {
  readonly batches: Batches
  /** Compute the gradients where the model is cut into stages. */
  lines: StageLines | undefined
  /** The loss over the last batch; undefined before the first. */
  loss: number | undefined
  /** Of an algorithm that takes steps of dual ascent; undefined until it asks for them. */
  dual: DualSteps | undefined
  readonly #arena: Arena
  readonly #task: Task
  readonly #options: GradientOptions
  readonly #decay: WeightDecay
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
    this.#decay = new WeightDecay(untrained, options.weightDecay)
    this.batches = new Batches(random, task.samples, options.batchSize)
  }

  /**
   * The work of a gradient at x: `g + λ x`, clipped, as a vector of the arena. One at a time: the task computes all of
   * them in the same memory. It has the parts of the task's work, unless clipping needs all of them.
   *
   * @throws InvariantError while an earlier one is computed
   */
  work(x: Vector, round: number): Work<Vector> {
    this.#begin(round)
    const { accumulate = 1, batchSize, clip } = this.#options
    // Each batch draws its own dropout.
    const workOf = (_: unknown, index: number) =>
      this.#task.gradient(x.values, this.batches.next().slice(), round * accumulate + index)
    const work: Work<Gradient> =
      accumulate === 1
        ? this.#task.gradient(x.values, this.batches.next(), round)
        : meanOf(Array.from({ length: accumulate }, workOf), accumulate * batchSize, x.length, (vector) => {
            if (this.#first === undefined) checkNumbers("the task's gradient", vector, x.length)
          })
    const run = () => {
      const gradient = work.run()
      return gradient instanceof Promise
        ? gradient.then((computed) => this.#take(computed, x, round))
        : this.#take(gradient, x, round)
    }
    const parts = clip === undefined ? work.parts : undefined
    return { kind: work.kind, samples: work.samples, run, parts }
  }

  /**
   * The same by the peers of lines: the sum over this peer's lines, each with its penalty and clipped by the norm over
   * all stages, and counted so that the mean over the replicas of a stage is that over all lines.
   *
   * @throws InvariantError while an earlier one is computed
   */
  byLines(lines: StageLines, x: Vector, round: number): PromiseLike<Vector> {
    this.#begin(round)
    const { accumulate = 1, batchSize, clip } = this.#options
    const batches = lines.count * accumulate
    const samples = new Uint32Array(batches * batchSize)
    for (let index = 0; index < batches; index++) samples.set(this.batches.next(), index * batchSize)
    const draws = Array.from({ length: accumulate }, (_, index) => round * accumulate + index)
    const squaresOf = clip === undefined ? undefined : (g: Float32Array) => this.#decay.squaresOf(g, x.values)
    const computed = lines.gradients({ parameters: x.values, round, draws, samples, squaresOf })
    const take = (gradients: readonly LineGradient[]) => {
      const loss = gradients.reduce((sum, gradient) => sum + gradient.loss, 0) / gradients.length
      return this.#take({ loss, vector: gradients[0].vector }, x, round, gradients)
    }
    let taken: PromiseLike<Vector> | undefined
    return { then: (onFulfilled, onRejected) => (taken ??= computed.then(take)).then(onFulfilled, onRejected) }
  }

  #begin(round: number): void {
    invariant(!this.#isUnderWay, `a gradient of round ${round} while another is computed; await one after the other`)
    this.#isUnderWay = true
    // The task is about to overwrite its memory.
    if (this.#last?.isPending) this.#last.compute(Number.POSITIVE_INFINITY)
  }

  /** @param of - the gradients of lines that it is the mean of, if the peers of lines have computed it */
  #take({ loss, vector }: Gradient, x: Vector, round: number, of?: readonly LineGradient[]): Vector {
    const { clip } = this.#options
    this.#isUnderWay = false
    // The session has ended meanwhile: nobody uses the gradient.
    if (this.#arena.isClosed) return this.#arena.adopt(new Float32Array(0))
    if (this.#first === undefined) checkNumbers("the task's gradient", vector, x.length)
    this.loss = loss
    this.#first ??= loss
    const found = foundLoss(loss, this.#first)
    if (found !== undefined) throw this.#owner.diverged(round, found)
    const decay = this.#decay
    const [line] = of ?? []
    const isMean = of !== undefined && (of.length > 1 || line.weight !== 1)
    const g = isMean
      ? this.#arena.adopt(meanOfLines(of, x.values, { decay, clip }))
      : line?.isOwned === true
        ? this.#arena.adopt(decay.add(vector, x.values))
        : this.#arena.compute(x.length, (out, from, to) => void decay.write(out, vector, x.values, from, to))
    if (clip !== undefined && !isMean)
      g.whenDone((numbers) => clipTo(clip, this.#decay.trainedOf(numbers), line?.squares))
    g.at = x
    this.#last = g
    return g
  }

  /** Steps of dual ascent on the same samples. */
  ascent(peer: AscentOwner): DualSteps {
    return (this.dual ??= new DualSteps(peer, this.#task, this.#options, (loss, samples) => {
      this.batches.count(samples)
      this.loss = loss
      if (!Number.isFinite(loss)) throw this.#owner.diverged(peer.round, `the loss is ${loss}`)
    }))
  }

  /** What the task has in place of gradients, if it does. */
  get kernel(): Task['kernel'] {
    return this.#task.kernel
  }

  /** The norm of the last gradient; 0 where there is none in this round. */
  get size(): number {
    return this.#last === undefined || this.#last.length === 0 ? 0 : norm(this.#last.values)
  }
}

/** The weighted mean of what several lines give, each with its penalty, and clipped; in the first one's memory. */
function meanOfLines(
  gradients: readonly LineGradient[],
  x: Float32Array,
  { decay, clip }: { readonly decay: WeightDecay; readonly clip: number | undefined }
): Float32Array {
  const count = gradients.length
  for (const { vector, squares, weight } of gradients) {
    const parts = decay.trainedOf(decay.add(vector, x))
    if (clip !== undefined) clipTo(clip, parts, squares)
    // What is no gradient has the mean over the lines.
    for (const part of parts) scale(part, weight * count)
  }
  const [{ vector: mean }] = gradients
  weightedSum(
    mean,
    gradients.map(({ vector }) => ({ weight: 1 / count, vector }))
  )
  return mean
}

/** The mean of gradients on as many batches, one computed after the other. */
function meanOf(
  works: readonly Work<Gradient>[],
  samples: number,
  length: number,
  check: (vector: Float32Array) => void
) {
  const run = async () => {
    const sum = new Float32Array(length)
    let loss = 0
    for (const work of works) {
      const gradient = await work.run()
      check(gradient.vector)
      loss += gradient.loss / works.length
      weightedSum(sum, [
        { weight: 1, vector: sum },
        { weight: 1 / works.length, vector: gradient.vector }
      ])
    }
    return { loss, vector: sum }
  }
  return { kind: 'gradient' as const, samples, run }
}

/**
 * `g ← g · c / max(c, ‖g‖)` of a gradient in parts (Pascanu, Mikolov and Bengio, ICML 2013, Algorithm 1), with ‖g‖² the
 * `squares` of the whole gradient, if this is a part of it.
 */
function clipTo(limit: number, parts: readonly Float32Array[], squares?: number): void {
  const length = squares === undefined ? hypot(...parts.map((part) => norm(part))) : Math.sqrt(squares)
  if (length > limit) for (const part of parts) scale(part, limit / length)
}

/** What is wrong with a loss, if something is: it is {@link maxGrowth} times the first one, or 1 if that is larger. */
function foundLoss(loss: number, first: number): string | undefined {
  if (!Number.isFinite(loss)) return `the loss is ${loss}`
  if (loss <= maxGrowth * Math.max(1, Math.abs(first))) return undefined
  return `the loss rose from ${first.toPrecision(3)} to ${loss.toPrecision(3)}`
}
