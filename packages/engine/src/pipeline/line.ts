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
import type { Handler } from '../messages/inbox.js'
import type { Owner } from '../messages/owner.js'
import { PassArrivals, type PassInput, type StepPlace } from './arrivals.js'
import { type Pass, passesOf, type Schedule } from './schedule.js'

/** How the peers of a run train one model together; the same for all peers. */
export interface PipelineSettings {
  readonly schedule: Schedule
  /** Samples of a micro-batch: a divisor of the batch size. */
  readonly splitSize: number
  /** The lines: a peer for each stage, in the order of the stages. */
  readonly lines: readonly (readonly PeerName[])[]
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
}

/** One gradient that the line is to compute. */
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
  /** Those that have not begun. */
  readonly passes: Pass[]
  /** The micro-batches that went forward, and are not back. */
  readonly held: Map<number, Float32Array>
  readonly start: Milliseconds
  loss: number
  sum: Float32Array | undefined
  squares: number | undefined
  isComputing: boolean
  /** When a pass last ended here, or a message came. */
  active: Milliseconds
  /** How long passes have taken. */
  busy: Milliseconds
  failure: { readonly error: unknown } | undefined
}

/** How a line sees its peer. */
type LineOwner = Pick<Owner, 'fabric' | 'until' | 'send' | 'timeout' | 'waited'>
type LineFabric = Owner['fabric']

/** A peer that has a line. */
export interface LinePeer extends LineOwner {
  readonly handlers: { set(kind: number, handler: Handler): void }
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
const nothing: PassInput = { vector: noValues, numbers: [] }

/**
 * The peer of one stage in its line: computes gradients together with the peers of the other stages, micro-batch by
 * micro-batch. Each pass is an activity of its own, begun as soon as its input is here and it is its turn, whatever the
 * record waits for meanwhile.
 *
 * Two kinds of messages: forward, activations and targets; backward, gradients with respect to activations, and the
 * loss. The backward message of a stage's last pass brings the squares of the gradients behind it; from the first stage
 * their sum goes forward again, in a message without activations.
 */
export class StageLine {
  readonly #owner: LineOwner
  readonly #works: StageWorks
  readonly #settings: PipelineSettings & { readonly microBatches: number }
  readonly #kinds: Readonly<Record<Pass['direction'], number>>
  readonly #stage: number
  readonly #arrivals: PassArrivals
  /** The peers of the stages after and before this one, by the direction in which this peer sends. */
  readonly #next: LineNeighbours
  #step: OpenStep | undefined

  /**
   * @param samples - of a gradient: of a batch, or of all batches that it is the mean of
   * @param firstKind - the first of two wire numbers, the same at all peers
   */
  constructor(owner: LineOwner, works: StageWorks, settings: PipelineSettings, samples: number, firstKind: number) {
    const { self } = owner.fabric
    const line = settings.lines.find((peers) => peers.includes(self)) ?? []
    this.#owner = owner
    this.#works = works
    this.#settings = { ...settings, microBatches: samples / settings.splitSize }
    this.#stage = line.indexOf(self)
    this.#kinds = { forward: firstKind, backward: firstKind + 1 }
    const [before, after] = [line[this.#stage - 1], line[this.#stage + 1]]
    this.#next = { forward: after, backward: before }
    const { splitSize } = settings
    const senders = { forward: before, backward: after }
    this.#arrivals = new PassArrivals({ works, splitSize, microBatches: this.#settings.microBatches, senders })
    const isRight = works.isFirst === (before === undefined) && works.isLast === (after === undefined)
    invariant(this.#stage >= 0 && isRight, () => `${self} is in no line, or has another stage than its place says`)
  }

  /** The handlers of its messages, by kind. */
  get handlers(): readonly (readonly [number, Handler])[] {
    const handler = (direction: Pass['direction']): Handler => ({
      accept: (envelope) => this.#accept(direction, envelope)
    })
    return (['forward', 'backward'] as const).map((direction) => [this.#kinds[direction], handler(direction)])
  }

  /**
   * Computes a gradient; one at a time. The passes begin at once, and end while the result or anything else is awaited.
   */
  gradient(given: LineStep): PromiseLike<LineGradient> {
    const { schedule, lines } = this.#settings
    const passes = [
      ...passesOf({ schedule, stages: lines[0].length, microBatches: this.#settings.microBatches }, this.#stage)
    ]
    const start = this.#owner.fabric.now()
    const found = { loss: 0, sum: undefined, squares: undefined }
    const state = { isComputing: false, active: start, busy: 0, failure: undefined }
    const place = this.#arrivals.begin(given.round)
    const step: OpenStep = { ...given, place, passes, held: new Map(), start, ...found, ...state }
    this.#step = step
    this.#advance()
    const expectation = {
      isDone: () => step.failure !== undefined || isDone(step),
      deadline: () => (step.isComputing ? Number.POSITIVE_INFINITY : step.active + this.#owner.timeout),
      awaited: () => awaited(step, this.#next),
      outcome: () => this.#outcome(step)
    }
    let taken: Promise<LineGradient> | undefined
    return {
      then: (onFulfilled, onRejected) => (taken ??= this.#owner.until(expectation)).then(onFulfilled, onRejected)
    }
  }

  #outcome(step: OpenStep): LineGradient {
    const { loss, sum, squares, round, failure, start, busy } = step
    const { fabric, timeout } = this.#owner
    if (failure !== undefined) throw failure.error
    if (!isDone(step)) {
      const [peer] = awaited(step, this.#next)
      const stage = peer === this.#next.forward ? this.#stage + 1 : this.#stage - 1
      const silence = `has sent nothing for ${timeout / 1000} s in round ${round}`
      throw new NeighboursMissingError([peer], `${peer}, stage ${stage} of the line, ${silence}`)
    }
    this.#owner.waited(Math.max(0, fabric.now() - start - busy))
    this.#step = undefined
    this.#arrivals.end()
    return { loss, vector: sum as Float32Array, isOwned: this.#settings.microBatches > 1, squares }
  }

  /** Begins the next pass, if its input is here. */
  #advance(): void {
    const step = this.#step
    if (step === undefined || step.isComputing) return
    const [pass] = step.passes
    if (pass === undefined) return this.#finish(step)
    const { direction, microBatch } = pass
    const isOwn = direction === 'forward' ? this.#works.isFirst : this.#works.isLast
    const input = isOwn ? nothing : this.#arrivals.take(direction, microBatch)
    if (input === undefined) return
    step.passes.shift()
    this.#during(step, (fabric) =>
      direction === 'forward'
        ? this.#forward(step, microBatch, input, fabric)
        : this.#backward(step, microBatch, input, fabric)
    )
  }

  /** Runs an activity beside what the record waits for, and then begins what can follow. */
  #during(step: OpenStep, act: (fabric: LineFabric) => Promise<void>): void {
    step.isComputing = true
    this.#owner.fabric.spawn(async (fabric) => {
      const start = fabric.now()
      try {
        await act(fabric)
      } catch (error) {
        if (fabric.isStopping) throw error
        step.failure = { error }
      }
      step.active = fabric.now()
      step.busy += step.active - start
      step.isComputing = false
      if (step.failure === undefined) this.#advance()
      fabric.wake()
    })
  }

  async #forward(step: OpenStep, microBatch: number, { vector }: PassInput, fabric: LineFabric): Promise<void> {
    const { isFirst, isLast } = this.#works
    const { splitSize } = this.#settings
    const first = microBatch * splitSize
    const held = isFirst ? await fabric.work(this.#works.take(step.samples.subarray(first, first + splitSize))) : vector
    step.held.set(microBatch, held)
    // The last stage computes both passes at once.
    if (isLast) return
    const pass = passOf(step, microBatch, this.#settings.microBatches)
    const values = await fabric.work(this.#works.forward(step.parameters, held, pass))
    await this.#send(fabric, 'forward', step, { part: microBatch, numbers: [step.place.call], values })
  }

  async #backward(step: OpenStep, microBatch: number, input: PassInput, fabric: LineFabric): Promise<void> {
    const { isFirst, isLast } = this.#works
    const { microBatches } = this.#settings
    const held = step.held.get(microBatch) as Float32Array
    const outputs = isLast ? undefined : input.vector
    const pass = passOf(step, microBatch, this.#settings.microBatches)
    const { loss, vector, inputs } = await fabric.work(this.#works.backward(step.parameters, held, pass, outputs))
    step.held.delete(microBatch)
    if (!isFirst) fabric.free(held)
    if (outputs !== undefined) fabric.free(outputs)
    add(step, vector, microBatches, fabric)
    const [, lossBehind = 0, squaresBehind = 0] = input.numbers
    step.loss += (loss + lossBehind) / this.#settings.microBatches
    const isOver = step.passes.length === 0 && step.squaresOf !== undefined
    const squares = isOver ? (step.squaresOf?.(step.sum as Float32Array) ?? 0) + squaresBehind : 0
    const numbers = [step.place.call, loss + lossBehind, squares]
    if (!isFirst) await this.#send(fabric, 'backward', step, { part: microBatch, numbers, values: inputs })
    else if (isOver) await this.#tellSquares(step, squares, fabric)
  }

  /** All passes are over: the squares of all stages may be here. */
  #finish(step: OpenStep): void {
    if (step.squaresOf === undefined || step.squares !== undefined) return
    const input = this.#arrivals.take('forward', this.#settings.microBatches)
    if (input !== undefined) this.#during(step, (fabric) => this.#tellSquares(step, input.numbers[1], fabric))
  }

  async #tellSquares(step: OpenStep, squares: number, fabric: LineFabric): Promise<void> {
    step.squares = squares
    const numbers = [step.place.call, squares]
    if (!this.#works.isLast)
      await this.#send(fabric, 'forward', step, { part: this.#settings.microBatches, numbers, values: noValues })
  }

  /** Hands a message to the next peer, or to the one before, as soon as the queue has room. */
  async #send(
    fabric: LineFabric,
    direction: Pass['direction'],
    { round }: OpenStep,
    { part, numbers, values }: PassOutput
  ): Promise<void> {
    const to = this.#next[direction] as PeerName
    const vector = fabric.allocate(values.length)
    vector.set(values)
    const message = { kind: this.#kinds[direction], round, part, numbers, vector }
    const end = fabric.now() + this.#owner.timeout
    let result = this.#owner.send(to, message)
    while (result === 'full' && fabric.now() < end) {
      await fabric.sleep(fabric.now() + retryAfter)
      result = this.#owner.send(to, message)
    }
    fabric.free(vector)
    if (result !== 'queued')
      throw new NeighboursMissingError([to], `${to}, the next peer of the line, cannot be reached: ${result}`)
  }

  #accept(direction: Pass['direction'], envelope: Envelope<VectorMessage>): void {
    const problem = this.#arrivals.accept(direction, envelope)
    if (problem !== undefined) return this.#owner.fabric.reject(envelope, problem)
    if (this.#step !== undefined) this.#step.active = this.#owner.fabric.now()
    this.#advance()
  }
}

/** The peer whose message is needed next; at most one. */
function awaited({ passes, isComputing }: OpenStep, next: LineNeighbours): readonly PeerName[] {
  // The squares come from the stage before.
  const peer = passes[0]?.direction === 'backward' ? next.forward : next.backward
  return peer === undefined || isComputing ? [] : [peer]
}

/** Adds to the mean over the micro-batches; that of a single one is its own. */
function add(step: OpenStep, vector: Float32Array, microBatches: number, fabric: LineFabric): void {
  if (microBatches === 1) return void (step.sum = vector)
  const before = step.sum === undefined ? [] : [{ weight: 1, vector: step.sum }]
  step.sum ??= fabric.allocate(vector.length)
  weightedSum(step.sum, [...before, { weight: 1 / microBatches, vector }])
}

function isDone({ passes, isComputing, squaresOf, squares }: OpenStep): boolean {
  return passes.length === 0 && !isComputing && (squaresOf === undefined || squares !== undefined)
}

/** Draws are those of the batch that a micro-batch belongs to. */
function passOf({ draws }: OpenStep, index: number, microBatches: number): StagePass {
  const each = microBatches / draws.length
  return { round: draws[Math.floor(index / each)], microBatch: index % each }
}
