/** The oracle for algorithms: plain SGD, implemented a second time, without a fabric, a node or a driver. */
import { jointBatches, type Shard } from '@murmuration/algorithms'
import type { Task } from '@murmuration/core'
import { offsetsOf, sizeOf } from '@murmuration/vectors'

interface SgdOptions {
  readonly seed: number
  readonly rounds: number
  /** How many samples of each shard are in the joint batch. */
  readonly batchSize: number
  readonly rate: (round: number) => number
  /** `μ`, 0 … 1; 0 for plain gradients. */
  readonly momentum: number
  /** Nesterov's look-ahead. */
  readonly nesterov: boolean
  /** `λ`: adds `λ x` to the gradient. */
  readonly weightDecay: number
  /** The ranges of the task's samples that belong to each peer. One shard is ordinary SGD. */
  readonly shards: readonly Shard[]
}

/** A step of plain SGD. */
interface SgdReport {
  readonly round: number
  readonly parameters: Float32Array
}

/** One step uses the mean gradient over the joint batch, as many samples as all peers together use in a round. */
export async function* plainSgd(task: Task, options: SgdOptions): AsyncGenerator<SgdReport, Float32Array> {
  let x = await task.initialise(options.seed).run()
  const velocity = new Float32Array(x.length)
  const draw = jointBatches(options)
  for (let k = 0; k < options.rounds; k++) {
    const { vector } = await task.gradient(x, draw(), k).run()
    const next = stepFrom(x, vector, velocity, options.rate(k), options)
    keepUntrained(task, x, vector, next)
    x = next
    yield { round: k, parameters: x }
  }
  return x
}

/**
 * `v ← μ v + (g + λ x)`, `x − γ v`; with Nesterov `x − γ ((g + λ x) + μ v)` (Sutskever et al. 2013). Each line is
 * rounded to float32.
 */
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

/** Frozen parameters stay; a statistic moves towards the value that the batch gives. */
function keepUntrained({ schema }: Task, x: Float32Array, gradient: Float32Array, next: Float32Array): void {
  for (const [index, { shape, kind, momentum = 1 }] of schema.entries()) {
    if (kind === undefined) continue
    const kept = kind === 'frozen' ? 1 : momentum
    const start = offsetsOf(schema)[index]
    for (let i = start; i < start + sizeOf(shape); i++) next[i] = x[i] + (1 - kept) * (gradient[i] - x[i])
  }
}
