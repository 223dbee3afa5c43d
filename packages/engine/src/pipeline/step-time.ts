import { invariant } from '@murmuration/core'
import { passesOf, type PipelineShape } from './schedule.js'

/** What a pass of one micro-batch through a stage takes; any unit of time. */
export interface StageTimes {
  readonly forward: number
  /** With what is computed again, if anything is. */
  readonly backward: number
}

/** The link between two neighbouring stages, in the same unit, the same in both directions. */
export interface Hop {
  /** From the last byte's departure to its arrival. */
  readonly latency: number
  /** How long the link is busy with the activations, or gradients, of one micro-batch. */
  readonly transfer: number
}

/** One gradient by a line of peers. */
export interface StepTime {
  /** From the first forward pass to the last backward pass. */
  readonly time: number
  /** The fraction of the peers' time in which they wait, 0 … 1: the bubble. */
  readonly idle: number
}

/**
 * How long one line of peers takes for a gradient. Without links, and with stages that are equally fast,
 * `(microBatches + stages − 1) · (forward + backward)`, of which the fraction `(stages − 1) / (microBatches + stages −
 * 1)` is idle (Huang et al., NeurIPS 2019, section 2.3).
 *
 * @param stages - as many as the shape has
 * @param hops - between stage k and k + 1; takes no time when absent
 */
export function stepTime(shape: PipelineShape, stages: readonly StageTimes[], hops: readonly Hop[] = []): StepTime {
  invariant(stages.length === shape.stages, () => `found ${stages.length} stages, expected ${shape.stages}`)
  const line = new SteppedLine(shape, stages, hops)
  // In each turn at least one stage advances: the passes of all stages have no circle.
  while (line.left > 0) for (const stage of stages.keys()) line.advance(stage)
  const busy = stages.reduce((sum, { forward, backward }) => sum + shape.microBatches * (forward + backward), 0)
  const time = Math.max(...line.free)
  return { time, idle: time === 0 ? 0 : 1 - busy / (shape.stages * time) }
}

/** A line of peers in the middle of a step. */
class SteppedLine {
  /** When each stage has finished what it has begun. */
  readonly free: number[]
  /** How many passes there are still. */
  left: number
  readonly #passes
  readonly #next: number[]
  /** When the input of a pass is there, by stage and micro-batch. */
  readonly #arrived: Readonly<Record<'forward' | 'backward', number[][]>>
  /** When the link behind a stage is free, by direction. */
  readonly #links: Readonly<Record<'forward' | 'backward', number[]>>

  constructor(
    readonly shape: PipelineShape,
    readonly stages: readonly StageTimes[],
    readonly hops: readonly Hop[]
  ) {
    const zeros = () => stages.map(() => 0)
    this.free = zeros()
    this.#passes = stages.map((_, stage) => passesOf(shape, stage))
    this.left = 2 * shape.microBatches * stages.length
    this.#next = zeros()
    this.#arrived = { forward: stages.map(() => []), backward: stages.map(() => []) }
    this.#arrived.forward[0] = Array.from({ length: shape.microBatches }, () => 0)
    this.#links = { forward: zeros(), backward: zeros() }
  }

  /** Computes all passes of a stage whose inputs are known. */
  advance(stage: number): void {
    for (; this.#next[stage] < this.#passes[stage].length; this.#next[stage]++) {
      const { direction, microBatch } = this.#passes[stage][this.#next[stage]]
      const arrived = this.#arrived[direction][stage][microBatch]
      if (arrived === undefined) return
      this.free[stage] = Math.max(this.free[stage], arrived) + this.stages[stage][direction]
      this.left--
      this.#send(stage, direction, microBatch)
    }
  }

  #send(stage: number, direction: 'forward' | 'backward', microBatch: number): void {
    const end = this.free[stage]
    const to = direction === 'forward' ? stage + 1 : stage - 1
    // The last stage turns round.
    if (to === this.shape.stages) this.#arrived.backward[stage][microBatch] = end
    if (to < 0 || to === this.shape.stages) return
    const { latency, transfer } = this.hops[Math.min(stage, to)] ?? { latency: 0, transfer: 0 }
    this.#links[direction][stage] = Math.max(end, this.#links[direction][stage]) + transfer
    this.#arrived[direction][to][microBatch] = this.#links[direction][stage] + latency
  }
}
