import {
  type DualOptions,
  type DualStep,
  type Fabric,
  type GapBound,
  type GapPart,
  InputError,
  shuffleInPlace,
  type Task,
  type TaskDual
} from '@murmuration/core'
import type { Ascended, DualAscent } from '../record/record.js'
import type { Arena, Vector } from '../vectors/vector.js'
import { checkNumbers } from './first-round.js'

/** The peer whose samples they are. */
export interface AscentOwner {
  readonly fabric: Pick<Fabric<unknown>, 'random' | 'work'>
  readonly arena: Arena
  readonly round: number
  readonly notes: { moved(from: Vector, to: Vector): void }
}

/** How far the peer is: rounds of all, and of training. */
interface RunProgress {
  readonly round: number
  readonly rounds: number
  readonly settings: { readonly rounds: number }
}

/** The steps of dual coordinate ascent of one peer. */
export class DualSteps implements DualAscent {
  /** How far apart the models are that the next round begins with; undefined where that is not known. */
  spread: number | undefined
  readonly #owner: AscentOwner
  readonly #task: Task
  readonly #options: Pick<DualOptions, 'weightDecay'>
  readonly #done: (loss: number, samples: number) => void
  #bound: GapBound | undefined
  /** Whether it is of the models after the round, not before. */
  #isAfter = false
  /** The a of the last step. */
  #a: Vector | undefined

  /** @param done - called with the loss of a step, and how many samples it went through */
  constructor(
    owner: AscentOwner,
    task: Task,
    { weightDecay }: Pick<DualOptions, 'weightDecay'>,
    done: (loss: number, samples: number) => void
  ) {
    this.#owner = owner
    this.#task = task
    this.#options = { weightDecay }
    this.#done = done
  }

  /** How many variables there are. */
  get length(): number {
    return this.#dual.width * this.#task.samples
  }

  zero(): Vector {
    this.spread = 0
    return this.#owner.arena.compute(this.length, (out, from, to) => out.fill(0, from, to))
  }

  step(x: Vector, a: Vector, passes: number): PromiseLike<Ascended> {
    const order = this.#order(passes)
    const work = this.#dual.step(x.values, a.values, order, this.#options)
    const take = (step: DualStep) => this.#take(step, x, a, order.length)
    const run = (): Ascended | Promise<Ascended> => {
      const step = work.run()
      return step instanceof Promise ? step.then(take) : take(step)
    }
    return this.#owner.fabric.work({ kind: work.kind, samples: work.samples, run })
  }

  /**
   * After a round of averaging: the bound of its model, with the a of the last step. Of the last round, and of the one
   * after three quarters: others hear of that before they end.
   */
  async measure(x: Vector, run: RunProgress): Promise<void> {
    const left = run.rounds - 1 - run.round
    const isDue = left === 0 || left === Math.floor((run.rounds - run.settings.rounds) / 4)
    if (this.#a === undefined || !isDue) return
    const { gap } = await this.#owner.fabric.work(
      this.#dual.step(x.values, this.#a.values, new Uint32Array(0), this.#options)
    )
    this.#bound = gap
    this.#isAfter = true
  }

  /**
   * This peer's part of the gap; undefined where none is known. To be called after each round.
   *
   * @param next - the spread of the models after the round
   */
  takePart(next: number | undefined): GapPart | undefined {
    if (this.#isAfter) this.spread = next
    const { part } = this
    this.#bound = undefined
    this.spread = next
    return part
  }

  /** In a round of training: this peer's part of the gap of the models that it began with, if one is known. */
  get part(): GapPart | undefined {
    return this.#bound === undefined || this.spread === undefined ? undefined : { ...this.#bound, spread: this.spread }
  }

  get #dual(): TaskDual {
    const { dual } = this.#task
    if (dual !== undefined) return dual
    throw new InputError('the algorithm needs a task that has a dual, such as svm with l2 above 0')
  }

  /** All samples, in a new order in each pass. */
  #order(passes: number): Uint32Array {
    const { samples } = this.#task
    const random = this.#owner.fabric.random.stream(`dual ${this.#owner.round}`)
    const order = new Uint32Array(passes * samples)
    for (let pass = 0; pass < passes; pass++) {
      const part = order.subarray(pass * samples, (pass + 1) * samples)
      for (let sample = 0; sample < samples; sample++) part[sample] = sample
      shuffleInPlace(part, random)
    }
    return order
  }

  #take({ vector, a, loss, gap }: DualStep, x: Vector, before: Vector, samples: number): Ascended {
    const { arena, notes } = this.#owner
    // The session has ended meanwhile: nobody uses the step.
    if (arena.isClosed) return { x: arena.adopt(new Float32Array(0)), a: arena.adopt(new Float32Array(0)) }
    checkNumbers("the vector of the task's dual step", vector, x.length)
    checkNumbers("the a of the task's dual step", a, before.length)
    this.#done(loss, samples)
    this.#bound = gap
    const next = { x: copyOf(vector, arena), a: copyOf(a, arena) }
    notes.moved(x, next.x)
    this.#a = next.a
    return next
  }
}

/** A copy, made at once: the task computes its next step in the same memory. */
function copyOf(numbers: Float32Array, arena: Arena): Vector {
  const copy = arena.compute(numbers.length, (out, from, to) => out.set(numbers.subarray(from, to), from))
  copy.compute(Number.POSITIVE_INFINITY)
  return copy
}
