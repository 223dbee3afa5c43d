import type { Span } from '../results.js'

/** The number of intervals into which the time of a whole run is divided. */
const buckets = 400

/**
 * A long run in few spans: each interval shows what a peer did most in it, or nothing if that took less than a quarter
 * of the interval.
 */
export function inBuckets(spans: readonly Span[], end: number): readonly Span[] {
  const width = end / buckets
  const times = new Map<string, Map<string, Float64Array>>()
  for (const { peer, kind, start, end: stop } of spans) {
    const kinds = times.get(peer) ?? new Map<string, Float64Array>()
    times.set(peer, kinds)
    const sums = kinds.get(kind) ?? new Float64Array(buckets)
    kinds.set(kind, sums)
    const last = Math.min(buckets - 1, Math.floor(stop / width))
    for (let k = Math.floor(start / width); k <= last; k++)
      sums[k] += Math.max(0, Math.min(stop, (k + 1) * width) - Math.max(start, k * width))
  }
  return [...times].flatMap(([peer, kinds]) => runsOf(peer, kinds, width))
}

function runsOf(peer: string, kinds: ReadonlyMap<string, Float64Array>, width: number): readonly Span[] {
  const shown = Array.from({ length: buckets }, (_, k) => {
    const [kind, sums] = [...kinds].reduce((best, other) => (other[1][k] > best[1][k] ? other : best))
    return sums[k] >= width / 4 ? kind : undefined
  })
  const spans: { peer: string; kind: string; start: number; end: number }[] = []
  for (const [k, kind] of shown.entries()) {
    if (kind === undefined) continue
    const last = spans[spans.length - 1]
    if (k > 0 && shown[k - 1] === kind) last.end = (k + 1) * width
    else spans.push({ peer, kind, start: k * width, end: (k + 1) * width })
  }
  return spans
}
