/**
 * Functions that combine the neighbours' messages where some may send any finite numbers. Sums run in the order of
 * names.
 */
import { invariant } from '@murmuration/core'
import { norm, sortElements, squaredDistance } from '@murmuration/vectors'
import { type Collected, edgeWeight, linear, linearOf, type Mixing, type Term, type Vector } from '@murmuration/engine'

/** How many elements are sorted at a time: they fit the processor's first-level cache. */
const blockLength = 512

/** The median of all, element by element; for an even number the mean of the two in the middle. */
export function coordinateMedian(mine: Vector, theirs: readonly Vector[]): Vector {
  const low = theirs.length >> 1
  const high = (theirs.length + 1) >> 1
  return ofSorted([mine, ...theirs], (sorted, k) => (sorted[low][k] + sorted[high][k]) / 2)
}

/**
 * The mean, element by element, of the peer's own values and the others' without their `b` largest and `b` smallest;
 * requires more than 2 b others.
 */
export function trimmedMean(b: number, mine: Vector, theirs: readonly Vector[]): Vector {
  const kept = theirs.length - 2 * b
  invariant(kept > 0, () => `of ${theirs.length} vectors ${b} are left out at each end`)
  return ofSorted(theirs, (sorted, k, element) => {
    let sum = mine.values[element]
    for (let index = b; index < b + kept; index++) sum += sorted[index][k]
    return sum / (1 + kept)
  })
}

/** Each element by `take`, from place `k` of the sorted columns. */
function ofSorted(
  vectors: readonly Vector[],
  take: (sorted: readonly Float32Array[], k: number, element: number) => number
): Vector {
  const [{ arena, length }] = vectors
  return arena.compute(length, (out, from, to) => {
    const columns = vectors.map(() => new Float32Array(blockLength))
    for (let start = from; start < to; start += blockLength) {
      const end = Math.min(to, start + blockLength)
      for (const [index, { values }] of vectors.entries()) columns[index].set(values.subarray(start, end))
      sortElements(columns, end - start)
      for (let k = 0; k < end - start; k++) out[start + k] = take(columns, k, start + k)
    }
  })
}

/**
 * The one of n vectors with the smallest sum of squared distances to its n − b − 2 nearest others, the first of equals;
 * the first of all where n < 2 b + 3.
 */
export function krum(b: number, vectors: readonly Vector[]): Vector {
  const count = vectors.length
  if (count < 2 * b + 3) return vectors[0]
  const distances = vectors.map(({ values }) => vectors.map((other) => squaredDistance(values, other.values)))
  const scores = distances.map((row, own) =>
    row
      .filter((_, index) => index !== own)
      .sort((left, right) => left - right)
      .slice(0, count - b - 2)
      .reduce((sum, value) => sum + value, 0)
  )
  return vectors[scores.indexOf(Math.min(...scores))]
}

/** A neighbour's weight, and how far its vector is from the peer's own. */
export interface WeightedDistance {
  readonly weight: number
  readonly length: number
}

/** `x + Σ_j W_ij clip(x_j − x, τ)`, with τ computed from the distances of all received vectors. */
export function addClipped(
  W: Mixing,
  x: Vector,
  theirs: Collected<{ readonly x: Vector }>,
  radius: (all: readonly WeightedDistance[]) => number
): Vector {
  const all = W.from.flatMap((j) => {
    const message = theirs[j]
    if (message === undefined) return []
    const difference = linear([1, message.x], [-1, x])
    return [{ weight: edgeWeight(W, j, theirs), difference, length: norm(difference.values) }]
  })
  const τ = radius(all)
  const terms = all.map(({ weight, difference, length }): Term<Vector> => [
    length > τ ? (weight * τ) / length : weight,
    difference
  ])
  return linearOf([[1, x], ...terms])
}

/** The (b + 1)-th largest distance, or the smallest if there are fewer; 0 if there is none. */
export function farthestBut(b: number, all: readonly WeightedDistance[]): number {
  const lengths = all.map(({ length }) => length).sort((left, right) => right - left)
  return lengths[b] ?? lengths.at(-1) ?? 0
}

/**
 * The largest distance (the peer's own, 0, included) such that all vectors within it weigh at most the weight of all
 * less twice that of the `b` heaviest neighbours; 0 where the peer's own weight is more than that.
 */
export function radiusWithin(b: number, ownWeight: number, all: readonly WeightedDistance[]): number {
  const sum = (list: readonly WeightedDistance[]) => list.reduce((total, { weight }) => total + weight, 0)
  const heaviest = [...all].sort((left, right) => right.weight - left.weight).slice(0, b)
  const most = (ownWeight + sum(all) - 2 * sum(heaviest)) * (1 + 1e-9)
  const isWithin = (τ: number) => ownWeight + sum(all.filter(({ length }) => length <= τ)) <= most
  return Math.max(0, ...all.map(({ length }) => length).filter(isWithin))
}
