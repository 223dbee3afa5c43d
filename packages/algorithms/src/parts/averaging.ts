/** Plain gossip averaging: n peers together compute `W^k x₀` (Boyd et al. 2006, Xiao & Boyd 2004). */
import type { Fabric, Milliseconds, StepReport, Task } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { averagingRecord, Session } from '@murmuration/engine'

/** How many rounds of averaging, and how long to wait for neighbours in each. */
export interface AveragingOptions {
  readonly rounds: number
  readonly timeout: Milliseconds
}

/** Averages `start` with the neighbours, without a task. Disagreement shrinks as `ρ^k` with `ρ = max(|λ₂|, |λₙ|)`. */
export function averaging(
  fabric: Fabric<VectorMessage>,
  start: Float32Array,
  { rounds, timeout }: AveragingOptions
): AsyncGenerator<StepReport, Float32Array> {
  const settings = {
    algorithm: averagingRecord,
    seed: 0,
    batchSize: 1,
    rounds: 0,
    finalRounds: rounds,
    rate: () => 0
  }
  return new Session(fabric, taskOf(start), { ...settings, timeout, workers: [fabric.self] }, () => start).steps()
}

/** A task that only defines the length of the parameters. */
function taskOf(start: Float32Array): Task {
  const none = () => {
    throw new Error('averaging has no task')
  }
  return {
    schema: [{ name: 'x', shape: [start.length] }],
    samples: 1,
    about: {},
    initialise: none,
    gradient: none,
    evaluate: none
  }
}
