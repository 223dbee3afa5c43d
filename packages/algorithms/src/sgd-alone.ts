import type { Fabric, StepReport, Task } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import { Batches } from './batches.js'
import { reportOf, type TrainingOptions } from './central.js'
import { Descent } from './descent.js'
import { untrainedOf } from './untrained.js'

/** Plain SGD on a worker's own samples (Robbins & Monro 1951), with nobody to exchange with: the floor that others are held against. */
export async function* plainSgd(
  fabric: Fabric<VectorMessage>,
  task: Task,
  options: TrainingOptions
): AsyncGenerator<StepReport, Float32Array> {
  let x = await fabric.work(task.initialise(options.seed))
  const descent = new Descent(x.length, options, untrainedOf(task.schema))
  const batches = new Batches(fabric.random.stream('batches'), task.samples, options.batchSize)
  for (let k = 0; k < options.rounds; k++) {
    fabric.signal.throwIfAborted()
    const gradient = await fabric.work(task.gradient(x, batches.next(), k))
    x = descent.step(x, x, gradient, options.rate(k), k)
    yield reportOf(options, k, { loss: gradient.loss, waited: 0, parameters: x })
  }
  return x
}
