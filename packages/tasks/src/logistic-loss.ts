import { exp, log1p } from '@murmuration/core'

/**
 * −log σ(−score), which is log(1 + e^score): the loss of a score that should be low. For one that should be high, use
 * −score.
 */
export function softplus(score: number): number {
  return Math.max(score, 0) + log1p(exp(-Math.abs(score)))
}

/** σ(score), the slope of {@link softplus}. */
export function sigmoid(score: number): number {
  return 1 / (1 + exp(-score))
}
