/** One peer's place in one line of a pipeline. */
import {
  type Envelope,
  invariant,
  type Milliseconds,
  NeighboursMissingError,
  type PeerName,
  type StagePass,
  type StageWorks
} from '@murmuration/core'
import { weightedSum } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import type { Owner } from '../messages/owner.js'
import { PassArrivals, type PassInput, type StepPlace } from './arrivals.js'
import { type Pass, passesOf, type Schedule } from './schedule.js'

/** How the peers of a run train one model together; the same for all peers. */
export interface PipelineSettings {
  readonly schedule: Schedule
  /** Samples of a micro-batch: a divisor of the batch size. */
  readonly splitSize: number
  /** The lines: a peer for each stage, in the order of the stages. A peer may be in several. */
  readonly lines: readonly (readonly PeerName[])[]
  /** What the gradients of each line count, with the mean 1; 1 each when absent. */
  readonly weights?: readonly number[] | undefined
}

/** A gradient by a line. */
export interface LineGradient {
  /** The mean over the micro-batches of the batch, with the penalties of this stage and of those after it. */
  readonly loss: number
  /** The task's own, valid until its next gradient; or memory of the fabric, which the caller owns. */
  readonly vector: Float32Array
  readonly isOwned: boolean
  /** The sum of the squares over all stages, if it was asked for. */
  readonly squares: number | undefined
  /** What it counts among all lines: the mean over the replicas of the stage is that over the lines. */
  readonly weight: number
}

/** One gradient that a line is to compute. */
export interface LineStep {
  readonly parameters: Float32Array
  readonly round: number
  /** Seeds the draws of a batch; one number for each batch that the gradient is the mean of. */
  readonly draws: readonly number[]
  /** The samples of all batches, one after the other. The first stage alone needs them. */
  readonly samples: Uint32Array
  /** The sum of the squares of this stage's gradient, if the line needs that of all stages. */
  readonly squaresOf: ((vector: Float32Array) => number) | undefined
}

/** A step under way. */
interface OpenStep extends LineStep {
  readonly place: StepPlace
  /** The number of the parameters; see {@link StagePass}. */
  readonly step: number
  /** Those that have not begun. */
  readonly passes: Pass[]
  /** The micro-batches that went forward, and are not back. */
  readonly held: Map<number, Float32Array>
  loss: number
  sum: Float32Array | undefined
  squares: number | undefined
}

/** How a line sees its peer. */
export type LineOwner = Pick<Owner, 'fabric' | 'arena' | 'until' | 'send' | 'timeout' | 'waited'>
export type LineFabric = LineOwner['fabric']

/** One of the lines of a peer. */
export interface LineTraits {
  /** Its number, the same at all peers. */
  readonly index: number
  readonly peers: readonly PeerName[]
  readonly schedule: Schedule
  readonly splitSize: number
  /** How many micro-batches a gradient has. */
  readonly microBatches: number
  /** The wire numbers of its messages. */
  readonly kinds: Readonly<Record<Pass['direction'], number>>
  /** Whether its gradients may be changed: they are then no memory of the task. */
  readonly ownsGradients: boolean
}

/** The peers of the stages after and before, by the direction of what is sent to them. */
type LineNeighbours = Readonly<Record<Pass['direction'], PeerName | undefined>>

/** What is sent to the next stage, or to the one before. */
interface PassOutput {
  readonly part: number
  readonly numbers: readonly number[]
  readonly values: Float32Array
}

/** How long to wait before a message is offered again for which the queue had no room. */
const retryAfter: Milliseconds = 1
const noValues = new Float32Array(0)
/** How many steps the lines of this process have begun. */
let steps = 0
const nothing: PassInput = { vector: noValues, numbers: [] }

/**
 * The peer of one stage in a line: its passes, in order.
 *
 * Two kinds of messages: forward, activations and targets; backward, gradients with respect to activations, and the
 * loss. Both have the number of the line. The backward message of a stage's last pass brings the squares of the
 * gradients behind it; from the first stage their sum goes forward again, in a message without activations.
 */
export class StageLine {
  readonly #owner: LineOwner
  readonly #works: StageWorks
  readonly #traits: LineTraits
  readonly #stage: number
  readonly #arrivals: PassArrivals
  /** The peers of the stages after and before this one, by the direction in which this peer sends. */
  readonly #next: LineNeighbours
  #step: OpenStep | undefined

  constructor(owner: LineOwner, works: StageWorks, traits: LineTraits) {
    const { self } = owner.fabric
    const { peers, splitSize, microBatches } = traits
    this.#owner = owner
    this.#works = works
    this.#traits = traits
    this.#stage = peers.indexOf(self)
    const [before, after] = [peers[this.#stage - 1], peers[this.#stage + 1]]
    this.#next = { forward: after, backward: before }
    const senders = { forward: before, backward: after }
    this.#arrivals = new PassArrivals({ works, splitSize, microBatches, senders })
    const isRight = works.isFirst === (before === undefined) && works.isLast === (after === undefined)
    invariant(this.#stage >= 0 && isRight, () => `${self} is in no line, or has another stage than its place says`)
  }

  /** Begins a gradient; one at a time. */
  begin(given: LineStep): void {
    const { schedule, peers, microBatches } = this.#traits
    const passes = [...passesOf({ schedule, stages: peers.length, microBatches }, this.#stage)]
    const found = { loss: 0, sum: undefined, squares: undefined, step: steps++ }
    this.#step = { ...given, place: this.#arrivals.begin(given.round), passes, held: new Map(), ...found }
  }

  /** Whether all of the gradient is computed, if nothing is computed now. */
  get isDone(): boolean {
    const step = this.#step
    if (step === undefined) return true
    return step.passes.length === 0 && (step.squaresOf === undefined || step.squares !== undefined)
  }

  /** Ends the gradient, which is done. */
  end(): Omit<LineGradient, 'weight'> {
    const { loss, sum, squares } = this.#step as OpenStep
    this.#step = undefined
    this.#arrivals.end()
    return { loss, vector: sum as Float32Array, isOwned: this.#isSummed, squares }
  }

  /** The peer whose message is needed next, and its stage; none where that is a computation. */
  get awaited(): { readonly peer: PeerName; readonly stage: number } | undefined {
    if (this.isDone) return undefined
    // The squares come from the stage before.
    const isAfter = this.#step?.passes[0]?.direction === 'backward'
    const peer = isAfter ? this.#next.forward : this.#next.backward
    return peer === undefined ? undefined : { peer, stage: this.#stage + (isAfter ? 1 : -1) }
  }

  /** What this peer can do now, as an activity that takes time; undefined where it has to wait. */
  next(): ((fabric: LineFabric) => Promise<void>) | undefined {
    const step = this.#step
    if (step === undefined) return undefined
    const [pass] = step.passes
    if (pass === undefined) return this.#squaresOf(step)
    const { direction, microBatch } = pass
    const isOwn = direction === 'forward' ? this.#works.isFirst : this.#works.isLast
    const input = isOwn ? nothing : this.#arrivals.take(direction, microBatch)
    if (input === undefined) return undefined
    step.passes.shift()
    return (fabric) =>
      direction === 'forward'
        ? this.#forward(step, microBatch, input, fabric)
        : this.#backward(step, microBatch, input, fabric)
  }

  /** Takes a message. Returns what is wrong with it, if something is. */
  accept(direction: Pass['direction'], envelope: Envelope<VectorMessage>): string | undefined {
    return this.#arrivals.accept(direction, envelope)
  }

  /** Whether its gradients are sums of their own, and not the task's memory. */
  get #isSummed(): boolean {
    return this.#traits.microBatches > 1 || this.#traits.ownsGradients
  }

  async #forward(step: OpenStep, microBatch: number, { vector }: PassInput, fabric: LineFabric): Promise<void> {
    const { isFirst, isLast } = this.#works
    const { splitSize, microBatches } = this.#traits
    const first = microBatch * splitSize
    const held = isFirst ? await fabric.work(this.#works.take(step.samples.subarray(first, first + splitSize))) : vector
    step.held.set(microBatch, held)
    // The last stage computes both passes at once.
    if (isLast || this.#owner.arena.isClosed) return
    const values = await fabric.work(this.#works.forward(step.parameters, held, passOf(step, microBatch, microBatches)))
    await this.#send(fabric, 'forward', step, { part: microBatch, numbers: [], values })
  }

  async #backward(step: OpenStep, microBatch: number, input: PassInput, fabric: LineFabric): Promise<void> {
    const { isFirst, isLast } = this.#works
    const { microBatches } = this.#traits
    const held = step.held.get(microBatch) as Float32Array
    const outputs = isLast ? undefined : input.vector
    const pass = passOf(step, microBatch, microBatches)
    const { loss, vector, inputs } = await fabric.work(this.#works.backward(step.parameters, held, pass, outputs))
    if (this.#owner.arena.isClosed) return
    step.held.delete(microBatch)
    if (!isFirst) fabric.free(held)
    if (outputs !== undefined) fabric.free(outputs)
    if (this.#isSummed) add(step, vector, microBatches, fabric)
    else step.sum = vector
    const [, , lossBehind = 0, squaresBehind = 0] = input.numbers
    step.loss += (loss + lossBehind) / microBatches
    const isOver = step.passes.length === 0 && step.squaresOf !== undefined
    const squares = isOver ? (step.squaresOf?.(step.sum as Float32Array) ?? 0) + squaresBehind : 0
    const numbers = [loss + lossBehind, squares]
    if (!isFirst) await this.#send(fabric, 'backward', step, { part: microBatch, numbers, values: inputs })
    else if (isOver) await this.#tellSquares(step, squares, fabric)
  }

  /** All passes are over: the squares of all stages may be here. */
  #squaresOf(step: OpenStep): ((fabric: LineFabric) => Promise<void>) | undefined {
    if (step.squaresOf === undefined || step.squares !== undefined) return undefined
    const input = this.#arrivals.take('forward', this.#traits.microBatches)
    return input && ((fabric) => this.#tellSquares(step, input.numbers[2], fabric))
  }

  async #tellSquares(step: OpenStep, squares: number, fabric: LineFabric): Promise<void> {
    step.squares = squares
    const { microBatches } = this.#traits
    if (!this.#works.isLast)
      await this.#send(fabric, 'forward', step, { part: microBatches, numbers: [squares], values: noValues })
  }

  /** Hands a message to the next peer, or to the one before, as soon as the queue has room. */
  async #send(
    fabric: LineFabric,
    direction: Pass['direction'],
    { round, place }: OpenStep,
    { part, numbers, values }: PassOutput
  ): Promise<void> {
    // The session has ended meanwhile.
    if (this.#owner.arena.isClosed) return
    const { kinds, index } = this.#traits
    const to = this.#next[direction] as PeerName
    const vector = fabric.allocate(values.length)
    vector.set(values)
    const message = { kind: kinds[direction], round, part, numbers: [place.call, index, ...numbers], vector }
    const end = fabric.now() + this.#owner.timeout
    let result = this.#owner.send(to, message)
    while (result === 'full' && fabric.now() < end && !this.#owner.arena.isClosed) {
      await fabric.sleep(fabric.now() + retryAfter)
      result = this.#owner.send(to, message)
    }
    fabric.free(vector)
    if (result !== 'queued')
      throw new NeighboursMissingError([to], `${to}, the next peer of the line, cannot be reached: ${result}`)
  }
}

/** Adds to the mean over the micro-batches. */
function add(step: OpenStep, vector: Float32Array, microBatches: number, fabric: LineFabric): void {
  const before = step.sum === undefined ? [] : [{ weight: 1, vector: step.sum }]
  step.sum ??= fabric.allocate(vector.length)
  weightedSum(step.sum, [...before, { weight: 1 / microBatches, vector }])
}

/** Draws are those of the batch that a micro-batch belongs to. */
function passOf({ draws, step }: OpenStep, index: number, microBatches: number): StagePass {
  const each = microBatches / draws.length
  return { round: draws[Math.floor(index / each)], microBatch: index % each, step }
}
