import { invariant, type PeerName } from '@murmuration/core'
import { type VectorMessage, weightedSum } from '@murmuration/vectors'
import type { ServerOptions } from './central.js'
import { Descent } from './descent.js'
import type { Stretch } from './stretches.js'
import type { Untrained } from './untrained.js'

/** A piece of the parameters on a synchronous server, and the gradients of the round that have come. */
export class SynchronousPiece implements Stretch {
  readonly offset: number
  readonly length: number
  /** Who has asked for the parameters that this round will give. */
  readonly asking: PeerName[] = []
  readonly #rate: ServerOptions['rate']
  readonly #descent: Descent
  readonly #mean: Float32Array
  #gradients: (VectorMessage | undefined)[]
  /** How many rounds' parameters each worker has asked for. */
  readonly #asked: number[]
  #arrived = 0
  #parameters: Float32Array
  #round = 0

  constructor(
    { offset, length }: Stretch,
    start: Float32Array,
    options: ServerOptions,
    untrained: readonly Untrained[] = []
  ) {
    this.offset = offset
    this.length = length
    this.#rate = options.rate
    this.#descent = new Descent(length, options, untrained)
    this.#mean = new Float32Array(length)
    this.#gradients = options.workers.map(() => undefined)
    this.#asked = options.workers.map(() => 0)
    this.#parameters = start
  }

  /** They never change; a step makes new ones. */
  get parameters(): Float32Array {
    return this.#parameters
  }

  /** The round whose gradients are collected. */
  get round(): number {
    return this.#round
  }

  isComplete(): boolean {
    return this.#arrived === this.#gradients.length
  }

  has(worker: number): boolean {
    return this.#gradients[worker] !== undefined
  }

  /** Takes a worker's wish for the parameters after `round`; false when it is not its first for them, or not its next. */
  ask(worker: number, round: number): boolean {
    if (round !== this.#asked[worker] || round > this.#round) return false
    this.#asked[worker]++
    return true
  }

  /** Takes a worker's gradient in; false when it is not the first of the present round. */
  offer(worker: number, gradient: VectorMessage): boolean {
    if (gradient.round !== this.#round || this.has(worker)) return false
    this.#gradients[worker] = gradient
    this.#arrived++
    return true
  }

  /** Takes the round's step along the mean gradient and goes on to the next. Returns the gradients, which it is done with. */
  step(): readonly VectorMessage[] {
    invariant(this.isComplete(), () => `${this.#arrived} of ${this.#gradients.length} gradients make no step`)
    const gradients = this.#gradients as VectorMessage[]
    const weight = 1 / gradients.length
    const terms = gradients.map(({ vector }) => ({ weight, vector }))
    const slope = { vector: weightedSum(this.#mean, terms) }
    const rate = this.#rate(this.#round)
    this.#parameters = this.#descent.step(this.#parameters, this.#parameters, slope, rate, this.#round)
    this.#round++
    this.#arrived = 0
    this.#gradients = gradients.map(() => undefined)
    return gradients
  }
}
