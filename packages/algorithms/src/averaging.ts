/** Plain gossip averaging: n peers together compute `W^k x₀` (Boyd et al. 2006, Xiao & Boyd 2004). */
import type { Fabric, Milliseconds, StepReport, Task } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import { z } from 'zod'
import { mix } from './mixing.js'
import { Session } from './node/session.js'
import { algorithm } from './record.js'

export const averagingRecord = algorithm({
  name: 'averaging',
  title: 'Averaging',
  source: 'Xiao and Boyd, Systems & Control Letters 53, 2004',
  options: z.strictObject({}),
  needs: { weights: 'rows' },
  keeps: 'mean',
  channels: { parameters: { x: 'vector' } },
  start: ({ x }) => ({ x }),
  async round(node, { x }, k) {
    const W = node.mixing(k)
    node.parameters.send(W, { x })
    return mix(W, { x }, await node.parameters.collect(W)) // x_i ← Σ_j W_ij x_j
  }
})

/** Which rounds of averaging, and how long to wait for neighbours in each. */
export interface AveragingOptions {
  readonly rounds: number
  readonly patience: Milliseconds
}

/** Averages `start` with the neighbours, without a task: it forgets disagreement as fast as `ρ^k` with `ρ = max(|λ₂|, |λₙ|)`. */
export function averaging(
  fabric: Fabric<VectorMessage>,
  start: Float32Array,
  { rounds, patience }: AveragingOptions
): AsyncGenerator<StepReport, Float32Array> {
  const settings = {
    algorithm: averagingRecord,
    seed: 0,
    batchSize: 1,
    rounds: 0,
    closingRounds: rounds,
    rate: () => 0
  }
  return new Session(fabric, taskOf(start), { ...settings, patience, workers: [fabric.self] }, () => start).steps()
}

/** A task that only says how long the parameters are. */
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
