import { exp, log, pow, type Random } from '@murmuration/core'

/**
 * A draw from the symmetric Dirichlet distribution: `count` fractions that sum to 1. Each is a gamma draw over the sum
 * of all; computed with logarithms because gamma draws of a small `alpha` underflow float64.
 */
export function dirichlet(alpha: number, count: number, random: Random): number[] {
  const logarithms = Array.from({ length: count }, () => logGamma(alpha, random))
  const largest = Math.max(...logarithms)
  const parts = logarithms.map((logarithm) => exp(logarithm - largest))
  const sum = parts.reduce((total, part) => total + part, 0)
  return parts.map((part) => part / sum)
}

/**
 * The logarithm of a draw from the gamma distribution with the given shape and scale 1: Marsaglia and Tsang, A simple
 * method for generating gamma variables (ACM TOMS 26(3), 2000), section 4; below shape 1 by their note that gamma(a) =
 * gamma(a + 1) · U^(1/a).
 */
export function logGamma(shape: number, random: Random): number {
  if (shape < 1) return logGamma(shape + 1, random) + log(1 - random.uniform()) / shape
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = random.normal()
    const v = pow(1 + c * x, 3)
    if (v > 0 && log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * log(v)) return log(d * v)
  }
}
