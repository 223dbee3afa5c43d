import type { Fabric, Milliseconds, StepReport } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import { Exchange } from './exchange.js'

/** Which rounds of averaging, and how long to wait for neighbours in each. */
export interface AveragingOptions {
  readonly rounds: number
  readonly patience: Milliseconds
}

/**
 * Plain gossip averaging, `x ← Σ_j W_ij x_j` for so many rounds: all peers together compute `W^k x₀`, which forgets
 * disagreement as fast as `ρ^k` with `ρ = max(|λ₂|, |λₙ|)` (Boyd et al. 2006, Xiao & Boyd 2004).
 */
export async function* averaging(
  fabric: Fabric<VectorMessage>,
  start: Float32Array,
  options: AveragingOptions
): AsyncGenerator<StepReport, Float32Array> {
  return yield* averageOn(
    fabric,
    new Exchange(fabric, options.patience, { length: start.length, rounds: options.rounds }),
    start,
    {
      first: 0,
      rounds: options.rounds,
      samples: 0
    }
  )
}

/** Rounds of averaging that follow on earlier ones of the same exchange. */
export async function* averageOn(
  fabric: Fabric<VectorMessage>,
  exchange: Exchange,
  start: Float32Array,
  { first, rounds, samples }: { readonly first: number; readonly rounds: number; readonly samples: number }
): AsyncGenerator<StepReport, Float32Array> {
  let x = start
  for (let k = first; k < first + rounds; k++) {
    fabric.signal.throwIfAborted()
    const previous = x
    exchange.send(k, x)
    const mixed = await exchange.collect(k, x)
    x = mixed.average
    if (previous !== start) fabric.free(previous)
    yield { round: k, phase: 'close', samples, ...mixed, parameters: x }
  }
  return x
}
