/**
 * Local SGD, or periodic averaging: every worker takes H steps of its own, then all take the mean of their parameters (Stich: Local
 * SGD converges fast and communicates little, ICLR 2019; McMahan et al.: Communication-efficient learning of deep networks from
 * decentralized data, AISTATS 2017). A round is a step.
 *
 * Momentum stays with the worker and is not averaged. After the last step the mean is taken in any case, so that all workers
 * end with the same parameters.
 */
import { type Fabric, invariant, type StepReport, type Task } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import type { CollectiveOptions } from './all-reduce-sgd.js'
import { Batches } from './batches.js'
import { reportOf } from './central.js'
import { meanOver } from './collectives/all-reduce.js'
import { joinGroup } from './collectives/group.js'
import { Descent } from './descent.js'
import { stretchesOf } from './stretches.js'
import { keepFrozen, untrainedOf } from './untrained.js'

/** How local SGD runs. */
export interface LocalSgdOptions extends CollectiveOptions {
  /** `H`: steps from one mean to the next, 1 or more. */
  readonly period: number
}

/** Local SGD on one worker. */
export async function* localSgd(
  fabric: Fabric<VectorMessage>,
  task: Task,
  options: LocalSgdOptions
): AsyncGenerator<StepReport, Float32Array> {
  const { collective, calls, pieces, rate, rounds, period } = options
  invariant(Number.isSafeInteger(period) && period >= 1, () => `the mean cannot be taken every ${period} steps`)
  let x = await fabric.work(task.initialise(options.seed))
  const group = joinGroup(fabric, options.workers, options.patience, x.length)
  const stretches = stretchesOf(task.schema, options.fusion)
  const untrained = untrainedOf(task.schema)
  const descent = new Descent(x.length, options, untrained)
  const batches = new Batches(fabric.random.stream('batches'), task.samples, options.batchSize)
  const mean = new Float32Array(x.length)
  for (let k = 0; k < rounds; k++) {
    fabric.signal.throwIfAborted()
    const gradient = await fabric.work(task.gradient(x, batches.next(), k))
    x = descent.step(x, x, gradient, rate(k), k)
    const start = fabric.now()
    if ((k + 1) % period === 0 || k + 1 === rounds) {
      await meanOver(group, x, mean, { collective, calls, round: k, stretches, pieces })
      keepFrozen(mean, x, untrained)
      x = mean
    }
    yield reportOf(options, k, { loss: gradient.loss, waited: fabric.now() - start, parameters: x })
  }
  return x
}
