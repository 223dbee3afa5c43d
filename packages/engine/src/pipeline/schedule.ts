import { invariant } from '@murmuration/core'

/**
 * In which order a stage computes its passes: `gpipe` all forward, then all backward (Huang et al., NeurIPS 2019,
 * section 2.3); `1f1b` as few forward passes as keep the next stages busy, then one backward, one forward in turn
 * (PipeDream-flush: Narayanan et al., ICML 2021; the order of PipeDream, SOSP 2019, section 3.2). Both take the same
 * time; a stage holds all micro-batches with `gpipe`, and at most as many as stages follow, itself included, with
 * `1f1b`.
 */
export type Schedule = 'gpipe' | '1f1b'

/** One pass of one micro-batch through one stage. */
export interface Pass {
  readonly direction: 'forward' | 'backward'
  /** 0, 1, … */
  readonly microBatch: number
}

/** The size of a pipeline. */
export interface PipelineShape {
  readonly schedule: Schedule
  /** How many stages there are, at least 1. */
  readonly stages: number
  /** How many micro-batches a batch is, at least 1; fewer than stages is fine. */
  readonly microBatches: number
}

/** The passes of a stage, 0 … stages − 1, in the order in which it computes them. */
export function passesOf({ schedule, stages, microBatches }: PipelineShape, stage: number): readonly Pass[] {
  invariant(stage >= 0 && stage < stages && microBatches >= 1, () => `stage ${stage} of ${stages}, ${microBatches}`)
  const forward = (microBatch: number): Pass => ({ direction: 'forward', microBatch })
  const backward = (microBatch: number): Pass => ({ direction: 'backward', microBatch })
  const all = Array.from({ length: microBatches }, (_, index) => index)
  // The last in is the first out, as its activations were computed last.
  if (schedule === 'gpipe') return [...all.map(forward), ...all.reverse().map(backward)]
  const ahead = maxHeld({ schedule, stages, microBatches }, stage)
  const passes = all.slice(0, ahead).map(forward)
  for (const microBatch of all) {
    passes.push(backward(microBatch))
    if (ahead + microBatch < microBatches) passes.push(forward(ahead + microBatch))
  }
  return passes
}

/** The most micro-batches that a stage holds at once: those that went forward, and are not back yet. */
export function maxHeld({ schedule, stages, microBatches }: PipelineShape, stage: number): number {
  return schedule === 'gpipe' ? microBatches : Math.min(microBatches, stages - stage)
}
