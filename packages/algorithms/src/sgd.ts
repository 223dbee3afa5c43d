import type { PeerName, Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { Batches } from './batches.js'
import { Descent, type DescentOptions } from './descent.js'
import { untrainedOf } from './untrained.js'

/** How plain SGD runs. */
export interface SgdOptions extends DescentOptions {
  readonly seed: number
  readonly rounds: number
  /** Samples that each shard gives to the joint batch. */
  readonly batchSize: number
  readonly rate: (round: number) => number
  /**
   * Whose samples the task holds, one shard after the other. The joint batch of a step is what these peers would have drawn
   * in that round. One shard is SGD as usual.
   */
  readonly shards: readonly { readonly name: PeerName; readonly samples: number }[]
}

/** A step of plain SGD. */
export interface SgdReport {
  readonly round: number
  /** Over the joint batch. */
  readonly loss: number
  readonly samples: number
  readonly parameters: Float32Array
}

/**
 * Plain SGD in one place, without a fabric: the oracle that decentralised algorithms are held against. One step uses the
 * mean gradient over the joint batch, as many samples as all peers together use in a round.
 */
export async function* sgd(task: Task, options: SgdOptions): AsyncGenerator<SgdReport, Float32Array> {
  let x = await task.initialise(options.seed).run()
  const descent = new Descent(x.length, options, untrainedOf(task.schema))
  const draw = jointBatches(options)
  for (let k = 0; k < options.rounds; k++) {
    const batch = draw()
    const gradient = await task.gradient(x, batch, k).run()
    x = descent.step(x, x, gradient, options.rate(k), k)
    yield { round: k, loss: gradient.loss, samples: (k + 1) * batch.length, parameters: x }
  }
  return x
}

/** The peers' batches of one round, one after the other, numbered as the task of the union numbers its samples. */
function jointBatches({ seed, shards, batchSize }: SgdOptions): () => Uint32Array {
  let offset = 0
  const parts = shards.map(({ name, samples }) => {
    const part = { batches: new Batches(createRandom(seed, name).stream('batches'), samples, batchSize), offset }
    offset += samples
    return part
  })
  return () =>
    Uint32Array.from(parts.flatMap((part) => Array.from(part.batches.next(), (index) => index + part.offset)))
}
