/** Medians and how they are written. */

/** The value at `fraction` (0 … 1) of the sorted values, the nearest one that was measured. */
export function quantile(values, fraction) {
  const sorted = values.toSorted((x, y) => x - y)
  return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))]
}

/** The middle and the ends of what the turns gave; `undefined` of nothing. */
export function spreadOf(values) {
  const known = values.filter((value) => value !== undefined)
  if (known.length === 0) return undefined
  const low = Math.floor((known.length - 1) / 2)
  const high = Math.ceil((known.length - 1) / 2)
  const sorted = known.toSorted((x, y) => x - y)
  return { median: (sorted[low] + sorted[high]) / 2, min: sorted[0], max: sorted[sorted.length - 1] }
}

/** A spread as text: `0.53 (0.50..0.61)`, or the median alone. */
export function written(spread, digits, withEnds = true) {
  if (spread === undefined) return '–'
  const [median, min, max] = [spread.median, spread.min, spread.max].map((value) => value.toFixed(digits))
  return withEnds ? `${median} (${min}..${max})` : median
}

/**
 * Where the median of a distribution lies, by some values of it: the narrowest interval of two sorted values, as far
 * from either end, that holds it with probability `confidence`; of few values the widest. It supposes nothing about the
 * distribution: each value is below the median with probability 1/2, so that the number below is binomial (the interval
 * of the sign test).
 */
export function medianInterval(values, confidence) {
  const sorted = values.toSorted((x, y) => x - y)
  const count = sorted.length
  const chance = 2 * 0.5 ** count
  let index = 0
  let ways = 1
  let missed = chance
  for (;;) {
    ways *= (count - index) / (index + 1)
    if (missed + chance * ways > 1 - confidence) break
    missed += chance * ways
    index++
  }
  return { low: sorted[index], high: sorted[count - 1 - index], confidence: 1 - missed }
}
