/**
 * The arithmetic of support vector machines in the dual, without messages: which samples violate the optimality
 * conditions most, and the solution of a small problem. f_i = Σ_j α_j y_j K_ij − y_i; a sample may move `up` where y_i
 * α_i may grow, and `low` where it may fall. At the optimum no f of the first kind is below one of the second (Keerthi
 * et al., Improvements to Platt's SMO algorithm). All ties go to the lowest number.
 */

/** Steps this close to a bound, relative to C, reach it. */
const atBound = 1e-12

/** The curvature of a pair of equal samples. */
const minCurvature = 1e-12

/** A sample of a block. */
export interface DualSample {
  /** Its number among the samples of all peers. */
  readonly at: number
  /** 1 or −1. */
  readonly y: number
  readonly alpha: number
  readonly f: number
  readonly input: Float32Array
}

/** Which samples of a peer are to be chosen from; their y, α and f by their place in the peer. */
export interface Candidates {
  readonly active: Uint32Array
  readonly y: Float64Array
  readonly alpha: Float64Array
  readonly f: Float64Array
  readonly c: number
}

export function mayRise(y: number, alpha: number, c: number): boolean {
  return y > 0 ? alpha < c : alpha > 0
}

export function mayFall(y: number, alpha: number, c: number): boolean {
  return y > 0 ? alpha > 0 : alpha < c
}

/** α on its bounds where it is within rounding of them. */
export function snapped(alpha: number, c: number): number {
  if (alpha < atBound * c) return 0
  return alpha > c * (1 - atBound) ? c : alpha
}

/**
 * The places of at most `count` active samples, ascending: the most violating one of each kind; of `last`, those with 0
 * < α < C, until half of the count is reached; then the next violating ones, in turns of both kinds.
 */
export function chosen(candidates: Candidates, count: number, last: Uint32Array): readonly number[] {
  const { active, y, alpha, f, c } = candidates
  const rising = leading(active, count, f, 1, (i) => mayRise(y[i], alpha[i], c))
  const falling = leading(active, count, f, -1, (i) => mayFall(y[i], alpha[i], c))
  const block = new Set([...rising.slice(0, 1), ...falling.slice(0, 1)])
  for (const i of last) if (2 * block.size < count && alpha[i] > 0 && alpha[i] < c) block.add(i)
  const violating = [rising, falling]
  for (let rank = 0; rank < count; rank++)
    for (const list of violating) if (rank < list.length && block.size < count) block.add(list[rank])
  return [...block].sort((a, b) => a - b)
}

/** The `count` places with the least `sign · f` that pass a test, in this order; ties in the order given. */
function leading(
  places: Uint32Array,
  count: number,
  f: Float64Array,
  sign: 1 | -1,
  test: (place: number) => boolean
): readonly number[] {
  const best: number[] = []
  for (const place of places) {
    const value = sign * f[place]
    if ((best.length === count && !(value < sign * f[best[count - 1]])) || !test(place)) continue
    let rank = Math.min(best.length, count - 1)
    for (; rank > 0 && value < sign * f[best[rank - 1]]; rank--) best[rank] = best[rank - 1]
    best[rank] = place
  }
  return best
}

/** The most violating samples of both kinds, and f_low − f_up: at most 0 at the optimum; −Infinity without them. */
export interface ViolatingPair {
  readonly up: DualSample | undefined
  readonly low: DualSample | undefined
  readonly gap: number
}

/** @param samples - in ascending order of their numbers */
export function extremesOf(samples: readonly DualSample[], c: number): ViolatingPair {
  let up: DualSample | undefined
  let low: DualSample | undefined
  for (const sample of samples) {
    const { y, alpha, f } = sample
    if (mayRise(y, alpha, c) && (up === undefined || f < up.f)) up = sample
    if (mayFall(y, alpha, c) && (low === undefined || f > low.f)) low = sample
  }
  return { up, low, gap: up === undefined || low === undefined ? Number.NEGATIVE_INFINITY : low.f - up.f }
}

/** The most violating pair, in the order of numbers. */
export function pairOf({ up, low }: ViolatingPair): readonly DualSample[] {
  return [up, low].filter((sample) => sample !== undefined).sort((a, b) => a.at - b.at)
}

/** The bias of the decision function between the extremes. */
export function biasOf({ up, low }: ViolatingPair): number {
  if (up === undefined || low === undefined) return -(up?.f ?? low?.f ?? 0)
  return -(up.f + low.f) / 2
}

/**
 * The α of a block's samples that maximise the objective with all others fixed, until f_low − f_up ≤ `tolerance`:
 * steps of Platt's sequential minimal optimisation along the most violating pair (Keerthi et al.).
 *
 * @param kernel - K of all pairs, `samples.length` squared
 */
export function solved(
  samples: readonly DualSample[],
  kernel: Float64Array,
  c: number,
  tolerance: number
): Float64Array {
  const size = samples.length
  const y = Float64Array.from(samples, (sample) => sample.y)
  const alpha = Float64Array.from(samples, (sample) => sample.alpha)
  const f = Float64Array.from(samples, (sample) => sample.f)
  for (let step = 0; step < 100 * size; step++) {
    let u = -1
    let d = -1
    for (let i = 0; i < size; i++) {
      if (mayRise(y[i], alpha[i], c) && (u < 0 || f[i] < f[u])) u = i
      if (mayFall(y[i], alpha[i], c) && (d < 0 || f[i] > f[d])) d = i
    }
    if (u < 0 || d < 0 || f[d] - f[u] <= tolerance) break
    const curvature = Math.max(kernel[u * size + u] + kernel[d * size + d] - 2 * kernel[u * size + d], minCurvature)
    const [risen, fallen] = moved([alpha[u], y[u]], [alpha[d], y[d]], (f[d] - f[u]) / curvature, c)
    const rise = y[u] * (risen - alpha[u])
    const fall = y[d] * (fallen - alpha[d])
    alpha[u] = risen
    alpha[d] = fallen
    for (let i = 0; i < size; i++) f[i] += rise * kernel[u * size + i] + fall * kernel[d * size + i]
  }
  return alpha
}

/** α of both ends of a pair after y α of the first has grown by `step` and that of the second fallen, within bounds. */
function moved(
  [a, ya]: readonly [number, number],
  [b, yb]: readonly [number, number],
  step: number,
  c: number
): readonly [number, number] {
  const sign = ya * yb
  const least = sign < 0 ? Math.max(0, b - a) : Math.max(0, a + b - c)
  const most = sign < 0 ? Math.min(c, c + b - a) : Math.min(c, a + b)
  const next = Math.min(most, Math.max(least, b - yb * step))
  return [snapped(a + sign * (b - next), c), snapped(next, c)]
}

/**
 * Whether a sample will probably stay at its bound: it may move one way only, and would have to pass all that may move
 * the other way (Narasimhan et al., arXiv 1406.5161).
 *
 * @param extremes - from before the last step, whose α and f these are
 */
export function isEliminated(y: number, alpha: number, f: number, c: number, { up, low }: ViolatingPair): boolean {
  const rises = mayRise(y, alpha, c)
  const falls = mayFall(y, alpha, c)
  if (rises === falls || up === undefined || low === undefined) return false
  return rises ? f > low.f : f < up.f
}
