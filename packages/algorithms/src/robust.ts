/** Ways to put together what the neighbours sent where some of them may send anything that is finite. Sums run in the order of names. */
import { norm, squaredDistance } from '@murmuration/vectors'
import { edgeWeight } from './mixing.js'
import { linear, linearOf, map, type Term, type Vector } from './node/vector.js'
import { messageOf, type Mixing, type PerPeer } from './record.js'

/** Element by element the median of all: of an even number the mean of the two in the middle. */
export function coordinateMedian(mine: Vector, theirs: readonly Vector[]): Vector {
  const [low, high] = [theirs.length >> 1, (theirs.length + 1) >> 1]
  return map(
    (...values) => {
      values.sort((left, right) => left - right)
      return (values[low] + values[high]) / 2
    },
    mine,
    ...theirs
  )
}

/** Of n vectors that whose squared distances to the n − b − 2 nearest others sum to the least, the first of equals; the first of all where n < 2 b + 3. */
export function krum(b: number, vectors: readonly Vector[]): Vector {
  const count = vectors.length
  if (count < 2 * b + 3) return vectors[0]
  const distances = vectors.map(({ values }) => vectors.map((other) => squaredDistance(values, other.values)))
  const scores = distances.map((row, own) =>
    row
      .filter((_, place) => place !== own)
      .sort((left, right) => left - right)
      .slice(0, count - b - 2)
      .reduce((sum, value) => sum + value, 0)
  )
  return vectors[scores.indexOf(Math.min(...scores))]
}

/** `x + Σ_j W_ij clip(x_j − x, τ)`; with τ = 0 the distance of the (b + 1)-th farthest neighbour, or of the nearest. */
export function addClipped(
  W: Mixing,
  x: Vector,
  theirs: PerPeer<{ readonly x: Vector }>,
  radius: number,
  b = 1
): Vector {
  const all = W.from.flatMap((j) => {
    const message = messageOf(theirs, j)
    if (message === undefined) return []
    const difference = linear([1, message.x], [-1, x])
    return [{ weight: edgeWeight(W, j, message), difference, length: norm(difference.values) }]
  })
  const lengths = all.map(({ length }) => length).sort((left, right) => right - left)
  const τ = radius > 0 ? radius : (lengths[b] ?? lengths.at(-1) ?? 0)
  const terms = all.map(({ weight, difference, length }): Term<Vector> => [
    length > τ ? (weight * τ) / length : weight,
    difference
  ])
  return linearOf([[1, x], ...terms])
}
