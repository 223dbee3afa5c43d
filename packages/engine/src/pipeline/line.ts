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

type Direction = Pass['direction']

/** A step under way. */
interface OpenStep extends LineStep {
  /** How many gradients of this round were before it. */
  readonly call: number
  readonly passes: Pass[]
  readonly held: Map<number, Float32Array>
  loss: number
  sum: Float32Array | undefined
  squares: number | undefined
}

/** What a message of the line brings. */
interface Arrival {
  readonly vector: Float32Array
  readonly numbers: readonly number[]
}

/** What is sent. */
interface LineMessage {
  readonly step: OpenStep
  readonly part: number
  readonly numbers: readonly number[]
  readonly values: Float32Array
}

/** How the line sees its peer. */
type LineOwner = Pick<Owner, 'fabric' | 'until' | 'send' | 'timeout' | 'waited'>
type LineFabric = Owner['fabric']

/** How long to wait before a message is offered again for which the queue had no room. */
const retryAfter: Milliseconds = 1

/**
 * The peer of one stage in its line: computes gradients together with the peers of the other stages, micro-batch by
 * micro-batch. Each pass is an activity of its own, begun as soon as its input is here and it is its turn, whatever the
 * record waits for meanwhile.
 *
 * Two kinds of messages: forward, activations and targets; backward, gradients with respect to activations, and the
 * loss. The backward message of a stage's last pass brings the squares of the gradients behind it; from the first stage
 * their sum goes forward again, in a message without activations.
 */
export class Line {
  readonly #owner: LineOwner
  readonly #works: StageWorks
  readonly #settings: PipelineSettings
  readonly #kinds: Readonly<Record<Direction, number>>
  readonly #stage: number
  readonly #peers: Readonly<Record<Direction, PeerName | undefined>>
  /** How many micro-batches a gradient has. */
  readonly #microBatches: number
  /** What has arrived of the step under way and of the next, and is not used. */
  #arrived: StepArrivals[] = []
  #step: OpenStep | undefined
  #last: StepPlace = { round: -1, call: -1 }
  #isComputing = false
  #failure: { readonly error: unknown } | undefined
  /** When a pass last ended here, or a message came. */
  #active: Milliseconds = 0
  /** How long passes have taken in this step. */
  #busy: Milliseconds = 0

  /**
   * @param samples - of a gradient: of a batch, or of all batches that it is the mean of
   * @param firstKind - the first of two wire numbers, the same at all peers
   */
  constructor(owner: LineOwner, works: StageWorks, settings: PipelineSettings, samples: number, firstKind: number) {
    const { self } = owner.fabric
    const line = settings.lines.find((peers) => peers.includes(self)) ?? []
    this.#owner = owner
    this.#works = works
    this.#settings = settings
    this.#microBatches = samples / settings.splitSize
    this.#stage = line.indexOf(self)
    this.#kinds = { forward: firstKind, backward: firstKind + 1 }
    // By the direction in which this peer sends.
    this.#peers = { forward: line[this.#stage + 1], backward: line[this.#stage - 1] }
    const isRight = works.isFirst === (this.#stage === 0) && works.isLast === (this.#stage === line.length - 1)
    invariant(
      this.#stage >= 0 && isRight,
      () => `${self} has no place in the lines, or another stage than its place says`
    )
  }

  /** The handlers of its messages, by kind. */
  get handlers(): readonly (readonly [number, Handler])[] {
    const handler = (direction: Direction): Handler => ({ accept: (envelope) => this.#accept(direction, envelope) })
    return (['forward', 'backward'] as const).map((direction) => [this.#kinds[direction], handler(direction)])
  }

  /** Computes a gradient; one at a time. The passes begin at once, and end while the result or anything else is awaited. */
  gradient(step: LineStep): PromiseLike<LineGradient> {
    const { schedule, lines } = this.#settings
    const call = step.round === this.#last.round ? this.#last.call + 1 : 0
    const shape = { schedule, stages: lines[0].length, microBatches: this.#microBatches }
    const passes = [...passesOf(shape, this.#stage)]
    this.#last = { round: step.round, call }
    this.#arrived = this.#arrived.filter((arrivals) => !isBefore(arrivals, this.#last))
    this.#step = { ...step, call, passes, held: new Map(), loss: 0, sum: undefined, squares: undefined }
    this.#active = this.#owner.fabric.now()
    this.#advance()
    const start = this.#active
    const expectation = {
      isDone: () => this.#failure !== undefined || this.#isDone,
      deadline: () => (this.#isComputing ? Number.POSITIVE_INFINITY : this.#active + this.#owner.timeout),
      awaited: () => this.#awaited,
      outcome: () => this.#outcome(start)
    }
    let taken: Promise<LineGradient> | undefined
    return {
      then: (onFulfilled, onRejected) => (taken ??= this.#owner.until(expectation)).then(onFulfilled, onRejected)
    }
  }

  get #isDone(): boolean {
    const step = this.#step as OpenStep
    return (
      step.passes.length === 0 && !this.#isComputing && (step.squaresOf === undefined || step.squares !== undefined)
    )
  }

  /** The peer whose message is needed next. */
  get #awaited(): readonly PeerName[] {
    const [next] = this.#step?.passes ?? []
    if (this.#isComputing) return []
    // The squares come from the stage before.
    const peer = next?.direction === 'backward' ? this.#peers.forward : this.#peers.backward
    return peer === undefined ? [] : [peer]
  }

  #outcome(start: Milliseconds): LineGradient {
    const { loss, sum, squares, round } = this.#step as OpenStep
    if (this.#failure !== undefined) throw this.#failure.error
    if (!this.#isDone) throw this.#missing(round)
    this.#owner.waited(Math.max(0, this.#owner.fabric.now() - start - this.#busy))
    this.#busy = 0
    this.#step = undefined
    return { loss, vector: sum as Float32Array, isOwned: this.#microBatches > 1, squares }
  }

  #missing(round: number): NeighboursMissingError {
    const [peer] = this.#awaited
    const stage = peer === this.#peers.forward ? this.#stage + 1 : this.#stage - 1
    const seconds = this.#owner.timeout / 1000
    return new NeighboursMissingError(
      [peer],
      `${peer}, stage ${stage} of the line, has sent nothing for ${seconds} s in round ${round}`
    )
  }

  /** Begins the next pass, if its input is here. */
  #advance(): void {
    const step = this.#step
    if (this.#isComputing || step === undefined) return
    const [pass] = step.passes
    if (pass === undefined) return this.#finish(step)
    const input = this.#inputOf(step, pass)
    if (input === undefined) return
    step.passes.shift()
    this.#during((fabric) =>
      pass.direction === 'forward'
        ? this.#forward(step, pass, input, fabric)
        : this.#backward(step, pass, input, fabric)
    )
  }

  /** Runs an activity beside what the record waits for, and then begins what can follow. */
  #during(act: (fabric: LineFabric) => Promise<void>): void {
    this.#isComputing = true
    this.#owner.fabric.spawn(async (fabric) => {
      const start = fabric.now()
      try {
        await act(fabric)
      } catch (error) {
        if (fabric.isStopping) throw error
        this.#failure = { error }
      }
      this.#active = fabric.now()
      this.#busy += this.#active - start
      this.#isComputing = false
      if (this.#failure === undefined) this.#advance()
      fabric.wake()
    })
  }

  /** What a pass needs from another stage; undefined while it is not here. */
  #inputOf(step: OpenStep, { direction, microBatch }: Pass): Arrival | undefined {
    const isOwn = direction === 'forward' ? this.#works.isFirst : this.#works.isLast
    return isOwn ? nothing : this.#takeArrived(direction, step, microBatch)
  }

  async #forward(step: OpenStep, { microBatch }: Pass, { vector }: Arrival, fabric: LineFabric): Promise<void> {
    const { isFirst, isLast } = this.#works
    const { splitSize } = this.#settings
    const first = microBatch * splitSize
    const held = isFirst ? await fabric.work(this.#works.take(step.samples.subarray(first, first + splitSize))) : vector
    step.held.set(microBatch, held)
    // The last stage computes both passes at once.
    if (isLast) return
    const pass = passOf(step, microBatch, this.#microBatches)
    const outputs = await fabric.work(this.#works.forward(step.parameters, held, pass))
    await this.#send(fabric, 'forward', { step, part: microBatch, numbers: [step.call], values: outputs })
  }

  async #backward(step: OpenStep, { microBatch }: Pass, input: Arrival, fabric: LineFabric): Promise<void> {
    const { isFirst, isLast } = this.#works
    const held = step.held.get(microBatch) as Float32Array
    const outputs = isLast ? undefined : input.vector
    const pass = passOf(step, microBatch, this.#microBatches)
    const work = this.#works.backward(step.parameters, held, pass, outputs)
    const { loss, vector, inputs } = await fabric.work(work)
    step.held.delete(microBatch)
    if (!isFirst) fabric.free(held)
    if (outputs !== undefined) fabric.free(outputs)
    this.#add(step, vector)
    const [, lossBehind = 0, squaresBehind = 0] = input.numbers
    step.loss += (loss + lossBehind) / this.#microBatches
    const isOver = step.passes.length === 0 && step.squaresOf !== undefined
    const squares = isOver ? (step.squaresOf?.(step.sum as Float32Array) ?? 0) + squaresBehind : 0
    const numbers = [step.call, loss + lossBehind, squares]
    if (!isFirst) await this.#send(fabric, 'backward', { step, part: microBatch, numbers, values: inputs })
    else if (isOver) await this.#tellSquares(step, squares, fabric)
  }

  /** The mean over the micro-batches; that of a single one is its own. */
  #add(step: OpenStep, vector: Float32Array): void {
    if (this.#microBatches === 1) return void (step.sum = vector)
    const weight = 1 / this.#microBatches
    const before = step.sum === undefined ? [] : [{ weight: 1, vector: step.sum }]
    step.sum ??= this.#owner.fabric.allocate(vector.length)
    weightedSum(step.sum, [...before, { weight, vector }])
  }

  /** All passes are over: the squares of all stages may be here. */
  #finish(step: OpenStep): void {
    if (step.squaresOf === undefined || step.squares !== undefined) return
    const arrived = this.#takeArrived('forward', step, this.#microBatches)
    if (arrived !== undefined) this.#during((fabric) => this.#tellSquares(step, arrived.numbers[1], fabric))
  }

  async #tellSquares(step: OpenStep, squares: number, fabric: LineFabric): Promise<void> {
    step.squares = squares
    const numbers = [step.call, squares]
    if (!this.#works.isLast)
      await this.#send(fabric, 'forward', { step, part: this.#microBatches, numbers, values: noValues })
  }

  /** Hands a message to the next peer, or to the one before, as soon as the queue has room. */
  async #send(fabric: LineFabric, direction: Direction, { step, part, numbers, values }: LineMessage): Promise<void> {
    const to = this.#peers[direction] as PeerName
    const vector = fabric.allocate(values.length)
    vector.set(values)
    const message = { kind: this.#kinds[direction], round: step.round, part, numbers, vector }
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

  #accept(direction: Direction, envelope: Envelope<VectorMessage>): void {
    const { round, part = 0, numbers = noNumbers, vector } = envelope.message
    const problem = this.#problemOf(direction, envelope)
    if (problem !== undefined) return this.#owner.fabric.reject(envelope, problem)
    const place = { round, call: numbers[0] }
    let ofStep = this.#arrivedOf(place)
    if (ofStep === undefined) this.#arrived.push((ofStep = { ...place, passes: new Map() }))
    ofStep.passes.set(passKey(direction, part), { vector, numbers })
    this.#active = this.#owner.fabric.now()
    this.#advance()
  }

  #problemOf(direction: Direction, { from, message }: Envelope<VectorMessage>): string | undefined {
    const { round, part = 0, numbers = noNumbers, vector } = message
    const [call] = numbers
    const sender = direction === 'forward' ? this.#peers.backward : this.#peers.forward
    if (from !== sender) return `a ${direction} pass from ${from}, which is not the neighbour in the line`
    if (!Number.isSafeInteger(call) || call < 0) return 'a pass without its place in the round'
    const { inputs, targets, outputs } = this.#works
    const isOfSquares = direction === 'forward' && part === this.#microBatches
    const width = direction === 'forward' ? inputs + targets : outputs
    const expected = isOfSquares ? 0 : this.#settings.splitSize * width
    if (part > this.#microBatches || vector.length !== expected || numbers.length > 3)
      return `${vector.length} numbers in ${direction} pass ${part}, expected ${expected} of ${this.#microBatches} passes`
    const place = { round, call }
    const isOver = this.#step === undefined && !isBefore(this.#last, place)
    if (isOver || isBefore(place, this.#last)) return `a pass of round ${round}, which is over`
    const ofStep = this.#arrivedOf(place)
    if (ofStep?.passes.has(passKey(direction, part)) === true) return 'a pass that is here already'
    // A neighbour is at most one step ahead.
    return ofStep === undefined && this.#arrived.length === 2 ? 'passes of three steps at once' : undefined
  }

  #arrivedOf({ round, call }: StepPlace): StepArrivals | undefined {
    return this.#arrived.find((arrivals) => arrivals.round === round && arrivals.call === call)
  }

  #takeArrived(direction: Direction, step: OpenStep, part: number): Arrival | undefined {
    const passes = this.#arrivedOf(step)?.passes
    const arrival = passes?.get(passKey(direction, part))
    passes?.delete(passKey(direction, part))
    return arrival
  }
}

type StepPlace = Pick<OpenStep, 'round' | 'call'>

/** What has arrived of a step, by {@link passKey}. */
interface StepArrivals extends StepPlace {
  readonly passes: Map<string, Arrival>
}

function isBefore(left: StepPlace, right: StepPlace): boolean {
  return left.round < right.round || (left.round === right.round && left.call < right.call)
}

function passKey(direction: Direction, part: number): string {
  return `${direction} ${part}`
}

/** Draws are those of the batch that a micro-batch belongs to. */
function passOf({ draws }: OpenStep, index: number, microBatches: number): StagePass {
  const each = microBatches / draws.length
  return { round: draws[Math.floor(index / each)], microBatch: index % each }
}

const noNumbers: readonly number[] = []
const noValues = new Float32Array(0)
const nothing: Arrival = { vector: noValues, numbers: noNumbers }
