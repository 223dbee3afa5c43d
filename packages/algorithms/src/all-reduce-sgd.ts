/**
 * Synchronous SGD on an all-reduce: every worker takes the gradient of its batch, all take the mean of the gradients together,
 * and each takes the same step with it. It is SGD on the joint batch (the 'AllReduce' baseline of Lian et al. 2017).
 *
 * Momentum and weight decay are computed by every worker alike. Tensor by tensor, one mean is over before the next begins.
 */
import type { Fabric, StepReport, Task } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import { Batches } from './batches.js'
import { type CentralOptions, reportOf } from './central.js'
import { type Collective, meanOver } from './collectives/all-reduce.js'
import { joinGroup } from './collectives/group.js'
import { Descent } from './descent.js'
import { type Calls, type Fusion, stretchesOf } from './stretches.js'
import { untrainedOf } from './untrained.js'

/** How workers exchange on a collective. */
export interface CollectiveOptions extends CentralOptions {
  readonly collective: Collective
  readonly fusion: Fusion
  /** Per tensor: whether one tensor's mean is waited for before the next is begun. Fused, there is only one. */
  readonly calls: Calls
  /** How many pieces a segment travels in, where the collective makes use of that. */
  readonly pieces: number
}

/** Synchronous SGD on one worker. */
export async function* allReduceSgd(
  fabric: Fabric<VectorMessage>,
  task: Task,
  options: CollectiveOptions
): AsyncGenerator<StepReport, Float32Array> {
  const { collective, calls, pieces, rate } = options
  let x = await fabric.work(task.initialise(options.seed))
  const group = joinGroup(fabric, options.workers, options.patience, x.length)
  const stretches = stretchesOf(task.schema, options.fusion)
  const descent = new Descent(x.length, options, untrainedOf(task.schema))
  const batches = new Batches(fabric.random.stream('batches'), task.samples, options.batchSize)
  const mean = new Float32Array(x.length)
  for (let k = 0; k < options.rounds; k++) {
    fabric.signal.throwIfAborted()
    const { loss, vector } = await fabric.work(task.gradient(x, batches.next(), k))
    const start = fabric.now()
    await meanOver(group, vector, mean, { collective, calls, round: k, stretches, pieces })
    const waited = fabric.now() - start
    x = descent.step(x, x, { loss, vector: mean }, rate(k), k)
    yield reportOf(options, k, { loss, waited, parameters: x })
  }
  return x
}
