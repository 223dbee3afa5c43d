import type { Envelope, PeerName, StageWorks } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Pass } from './schedule.js'

/** Where a gradient is in a run. */
export interface StepPlace {
  readonly round: number
  /** How many gradients of this round were before it. */
  readonly call: number
}

/** What a message of a line brings. */
export interface PassInput {
  readonly vector: Float32Array
  readonly numbers: readonly number[]
}

/** What has arrived of a step, by direction and number. */
interface StepArrivals extends StepPlace {
  readonly passes: Map<string, PassInput>
}

/** Of whom and of what size passes are. */
export interface PassTraits {
  readonly works: Pick<StageWorks, 'inputs' | 'outputs' | 'targets'>
  readonly splitSize: number
  /** How many micro-batches a gradient has. */
  readonly microBatches: number
  /** Who sends them, by direction. */
  readonly senders: Readonly<Record<Pass['direction'], PeerName | undefined>>
}

const noNumbers: readonly number[] = []

/**
 * Checks what the neighbours in a line send, and keeps it until it is used: passes of the step under way, or of the
 * next.
 */
export class PassArrivals {
  readonly #traits: PassTraits
  #steps: StepArrivals[] = []
  #last: StepPlace = { round: -1, call: -1 }
  #isOpen = false

  constructor(traits: PassTraits) {
    this.#traits = traits
  }

  /** Begins a gradient of a round, and returns its place. */
  begin(round: number): StepPlace {
    this.#last = { round, call: round === this.#last.round ? this.#last.call + 1 : 0 }
    this.#isOpen = true
    this.#steps = this.#steps.filter((step) => !isBefore(step, this.#last))
    return this.#last
  }

  /** The gradient has ended: what comes of it later is a fault. */
  end(): void {
    this.#isOpen = false
  }

  /** Takes a message. Returns what is wrong with it, if something is. */
  accept(direction: Pass['direction'], { from, message }: Envelope<VectorMessage>): string | undefined {
    const { round, part = 0, numbers = noNumbers, vector } = message
    const place = { round, call: numbers[0] }
    const problem = this.#problemOf(direction, { from, message }) ?? this.#placeProblem(place, keyOf(direction, part))
    if (problem !== undefined) return problem
    let step = this.#stepAt(place)
    if (step === undefined) this.#steps.push((step = { ...place, passes: new Map() }))
    step.passes.set(keyOf(direction, part), { vector, numbers })
    return undefined
  }

  /** What has arrived of a pass of the step under way, once. */
  take(direction: Pass['direction'], part: number): PassInput | undefined {
    const passes = this.#stepAt(this.#last)?.passes
    const input = passes?.get(keyOf(direction, part))
    passes?.delete(keyOf(direction, part))
    return input
  }

  #problemOf(direction: Pass['direction'], { from, message }: Envelope<VectorMessage>): string | undefined {
    const { part = 0, numbers = noNumbers, vector } = message
    const { works, splitSize, microBatches, senders } = this.#traits
    if (from !== senders[direction]) return `a ${direction} pass from ${from}, which is not the neighbour in the line`
    if (!Number.isSafeInteger(numbers[0]) || numbers[0] < 0) return 'a pass without its place in the round'
    const isOfSquares = direction === 'forward' && part === microBatches
    const width = direction === 'forward' ? works.inputs + works.targets : works.outputs
    const expected = isOfSquares ? 0 : splitSize * width
    if (part <= microBatches && vector.length === expected && numbers.length <= 4) return undefined
    return `${vector.length} numbers in ${direction} pass ${part}, expected ${expected} of ${microBatches} passes`
  }

  #placeProblem(place: StepPlace, key: string): string | undefined {
    const isOver = !this.#isOpen && !isBefore(this.#last, place)
    if (isOver || isBefore(place, this.#last)) return `a pass of round ${place.round}, which is over`
    const step = this.#stepAt(place)
    if (step?.passes.has(key) === true) return 'a pass that is here already'
    // A neighbour is at most one step ahead.
    return step === undefined && this.#steps.length === 2 ? 'passes of three steps at once' : undefined
  }

  #stepAt({ round, call }: StepPlace): StepArrivals | undefined {
    return this.#steps.find((step) => step.round === round && step.call === call)
  }
}

function isBefore(left: StepPlace, right: StepPlace): boolean {
  return left.round < right.round || (left.round === right.round && left.call < right.call)
}

function keyOf(direction: Pass['direction'], part: number): string {
  return `${direction} ${part}`
}
