import type { Milliseconds, PeerName, StepReport } from '@murmuration/core'
import type { DescentOptions } from './descent.js'
import type { Fusion } from './stretches.js'

/** How any SGD runs. */
export interface TrainingOptions extends DescentOptions {
  /** Of the start parameters. */
  readonly seed: number
  /** Samples per worker and step. */
  readonly batchSize: number
  /** Steps of each worker. */
  readonly rounds: number
  /** The learning rate of a round. */
  readonly rate: (round: number) => number
}

/** How SGD runs where every worker depends on all others. Everybody is given the same. */
export interface CentralOptions extends TrainingOptions {
  /** How long anything is waited for before who did not send it is taken for lost. */
  readonly patience: Milliseconds
  /** Who trains. Sums run in the order of their names. */
  readonly workers: readonly PeerName[]
}

/** How SGD runs where servers hold the parameters. */
export interface ServerOptions extends CentralOptions {
  /** Shard s of the parameters lives on `servers[s]`, which is an endpoint of its own, not one of the workers. */
  readonly servers: readonly PeerName[]
  /** 'fused' gives each server the same number of elements, 'per-tensor' whole tensors. */
  readonly fusion: Fusion
  /** How many pieces a stretch travels in, so that both directions of a line are busy at once. */
  readonly pieces: number
}

/** How stale synchronous parallel SGD runs. */
export interface StaleSynchronousOptions extends ServerOptions {
  /** `s`: how many steps a worker may be ahead of the slowest, 0, 1, … */
  readonly staleness: number
}

/** What a step of a worker came to. */
export interface CentralStep {
  readonly loss: number
  /** Time spent waiting for servers or for the other workers. */
  readonly waited: Milliseconds
  readonly parameters: Float32Array
}

/** The report of a step in which nobody may be missing. */
export function reportOf(options: TrainingOptions, round: number, step: CentralStep): StepReport {
  const samples = (round + 1) * options.batchSize
  const { loss, waited, parameters } = step
  const rate = options.rate(round)
  const none = { disagreement: 0, distances: [], outliers: [], missing: [], unsent: [], moves: [] }
  return { round, phase: 'train', loss, rate, samples, waited, ...none, parameters }
}
