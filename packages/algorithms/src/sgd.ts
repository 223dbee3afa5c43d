import { DivergedError, type PeerName, type Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { Batches } from './batches.js'
import { untrainedOf } from './untrained.js'

/** How plain SGD runs. */
export interface SgdOptions {
  readonly seed: number
  readonly rounds: number
  /** Samples that each shard gives to the joint batch. */
  readonly batchSize: number
  readonly rate: (round: number) => number
  /** `μ`, 0 … 1; 0 for plain gradients. */
  readonly momentum: number
  /** Nesterov's look-ahead. */
  readonly nesterov: boolean
  /** `λ`: adds `λ x` to the gradient. */
  readonly weightDecay: number
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
  const velocity = new Float32Array(x.length)
  const draw = jointBatches(options)
  for (let k = 0; k < options.rounds; k++) {
    const batch = draw()
    const { loss, vector } = await task.gradient(x, batch, k).run()
    const next = stepFrom(x, vector, velocity, options.rate(k), options)
    keepUntrained(task, x, vector, next)
    if (!Number.isFinite(loss) || !next.every(Number.isFinite)) throw new DivergedError(`diverged in round ${k}`)
    x = next
    yield { round: k, loss, samples: (k + 1) * batch.length, parameters: x }
  }
  return x
}

/** `v ← μ v + (g + λ x)`, `x − γ v`; with Nesterov `x − γ ((g + λ x) + μ v)` (Sutskever et al. 2013). Each line is rounded to float32. */
function stepFrom(
  x: Float32Array,
  gradient: Float32Array,
  velocity: Float32Array,
  rate: number,
  { momentum, nesterov, weightDecay }: SgdOptions
): Float32Array {
  return x.map((value, i) => {
    const g = Math.fround(gradient[i] + weightDecay * value)
    velocity[i] = momentum * velocity[i] + g
    return nesterov ? value - rate * g - rate * momentum * velocity[i] : value - rate * velocity[i]
  })
}

/** What is frozen stays; a statistic moves towards what the batch gives. */
function keepUntrained({ schema }: Task, x: Float32Array, gradient: Float32Array, next: Float32Array): void {
  for (const { offset, length, momentum } of untrainedOf(schema)) {
    for (let i = offset; i < offset + length; i++) next[i] = x[i] + (1 - momentum) * (gradient[i] - x[i])
  }
}

/** The peers' batches of one round, one after the other, numbered as the task of the union numbers its samples. */
export function jointBatches({
  seed,
  shards,
  batchSize
}: Pick<SgdOptions, 'seed' | 'shards' | 'batchSize'>): () => Uint32Array {
  let offset = 0
  const parts = shards.map(({ name, samples }) => {
    const part = { batches: new Batches(createRandom(seed, name).stream('batches'), samples, batchSize), offset }
    offset += samples
    return part
  })
  return () =>
    Uint32Array.from(parts.flatMap((part) => Array.from(part.batches.next(), (index) => index + part.offset)))
}
