import { hypot, type Gradient, invariant, type Random, type StageTask, type Task, type Work } from '@murmuration/core'
import { norm, scale, weightedSum } from '@murmuration/vectors'
import { Batches } from './batches.js'
import { WeightDecay } from './decay.js'
import { type LineGradient, type LinePeer, type PipelineSettings, StageLine } from '../pipeline/line.js'
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

/** The line of a peer whose task is a stage; the peer has the handlers of its messages from now on. */
export function openLine(
  peer: LinePeer,
  task: Task,
  { pipeline, batchSize, accumulate = 1 }: GradientOptions & { readonly pipeline?: PipelineSettings | undefined }
): StageLine | undefined {
  if (pipeline === undefined) return undefined
  const line = new StageLine(peer, (task as StageTask).stage, pipeline, accumulate * batchSize, lineKind)
  for (const [kind, handler] of line.handlers) peer.handlers.set(kind, handler)
  return line
}

/** The peer whose gradients they are. */
interface GradientsOwner {
  /** The error to throw for the loss that was found in a round. */
  diverged(round: number, found: string): Error
}

/** The gradients of one peer's task: draws batches, and applies weight decay and clipping. */
export class Gradients {
  readonly batches: Batches
  /** Computes the gradients where the model is cut into stages. */
  line: StageLine | undefined
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
   * The same by the peers of a line. They are clipped by the norm over all stages.
   *
   * @throws InvariantError while an earlier one is computed
   */
  byLine(line: StageLine, x: Vector, round: number): PromiseLike<Vector> {
    this.#begin(round)
    const { accumulate = 1, batchSize, clip } = this.#options
    const samples = new Uint32Array(accumulate * batchSize)
    for (let index = 0; index < accumulate; index++) samples.set(this.batches.next(), index * batchSize)
    const draws = Array.from({ length: accumulate }, (_, index) => round * accumulate + index)
    const squaresOf = clip === undefined ? undefined : (g: Float32Array) => this.#decay.squaresOf(g, x.values)
    const computed = line.gradient({ parameters: x.values, round, draws, samples, squaresOf })
    const take = (gradient: LineGradient) => this.#take(gradient, x, round, gradient)
    let taken: PromiseLike<Vector> | undefined
    return { then: (onFulfilled, onRejected) => (taken ??= computed.then(take)).then(onFulfilled, onRejected) }
  }

  #begin(round: number): void {
    invariant(!this.#isUnderWay, `a gradient of round ${round} while another is computed; await one after the other`)
    this.#isUnderWay = true
    // The task is about to overwrite its memory.
    if (this.#last?.isPending) this.#last.compute(Number.POSITIVE_INFINITY)
  }

  /** @param of - how the vector came about, if the peers of a line have computed it */
  #take({ loss, vector }: Gradient, x: Vector, round: number, of?: Pick<LineGradient, 'squares' | 'isOwned'>): Vector {
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
    const g =
      of?.isOwned === true
        ? this.#arena.adopt(decay.add(vector, x.values))
        : this.#arena.compute(x.length, (out, from, to) => void decay.write(out, vector, x.values, from, to))
    if (clip !== undefined) g.whenDone((numbers) => clipTo(clip, this.#decay.trainedOf(numbers), of?.squares))
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
