import type { StepReport } from '@murmuration/core'

/** A report of a training step, with one sample per round, in which no peer is missing. */
export function stepReport(round: number, parameters: Float32Array, rest: Partial<StepReport> = {}): StepReport {
  const nothing = { waited: 0, distances: [], outliers: [], missing: [], unsent: [], moves: [] }
  return { round, phase: 'train', samples: round + 1, ...nothing, parameters, ...rest }
}
